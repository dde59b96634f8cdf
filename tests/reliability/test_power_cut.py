"""F2: the power is cut at any moment of the daemon's life, and nothing that was acknowledged is gone.

The real daemon runs on a disk that is written down (`disks`). Then its files are made as they may be found after a cut
at thousands of places of that trace, and opened. The control has the same daemon with `synchronous=NORMAL`, which does
not call fsync: if that lost nothing, the test would see nothing.
"""

import itertools
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest
from daemon_asking import ask
from disks import MODES, Disk, Trace
from lanes import many
from running_daemon import RunningDaemon

from palimp_daemon.store.checks.verify import memories_damage, newest_number, structure_of
from palimp_daemon.store.sqlite_connection import StoreUnavailableError, new_database, open_database
from palimp_protocol.env.paths import database_path

POINTS = many(600, 20_000)
"""Crashes that are looked at in all."""

SAVERS = 4
SAVES = many(12, 80)

CONTROL_POINTS = many(200, 2_000)
"""Of them, in the control, in migrations and in a repair each."""

MIGRATED_FROM = 6
"""The schema of the database that is migrated: two steps, one of which makes an index of what is there."""

BACKUPS_LOOKED_AT = 0.2
"""The part of the points at which the backup is opened, too."""

MEMORY = Path("/dev/shm")

LIVES = {
    "default": (),
    "checkpoints all the time": ("wal_autocheckpoint=8",),
    "checkpoints when told": ("wal_autocheckpoint=0",),
}
"""How the daemon's log is moved into its database."""


@dataclass
class Ledger:
    """What was acknowledged, each with how long the trace was then; and what was in the backup."""

    saved: list[tuple[int, str]] = field(default_factory=list)
    backup: tuple[int, list[str]] | None = None


def live(env: dict[str, str], project: Path, disk: Disk) -> Ledger:
    """Live the daemon's life, with everything that touches the disk; return what was acknowledged."""
    ledger = Ledger()
    numbers = itertools.count()

    def save(_: int) -> None:
        text = f"Fact {next(numbers)} of the life: {'and so on ' * 30}"
        ask(env, project, "save_memory", text=text)
        ledger.saved.append((disk.traced_bytes, text.strip()))

    def save_some() -> None:
        with ThreadPoolExecutor(SAVERS) as pool:
            list(pool.map(save, range(SAVES)))

    daemon = RunningDaemon(env)
    daemon.start()
    save_some()
    gone = ask(env, project, "save_memory", text="This one is erased.").id
    ask(env, project, "erase", ids=[gone])
    known = [text for _, text in ledger.saved]
    ask(env, project, "backup", path=str(Path(env["HOME"]) / "backup.db"))
    ledger.backup = disk.traced_bytes, known
    save_some()
    daemon.kill()
    daemon.start()
    save_some()
    assert daemon.stop() == 0
    daemon.start()
    save_some()
    daemon.kill()
    return ledger


def look(trace: Trace, ledger: Ledger, database: Path, points: int) -> Counter[str]:
    """Cut the power at about *points* places of *trace*, and count what is found."""
    chance, found = random.Random(points), Counter[str]()
    part = points / (trace.steps() * len(MODES))
    backup = database.parent.parent / "backup.db"
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.exists() else None) as folder:
        for reached in trace:
            for mode in MODES:
                if chance.random() >= part:
                    continue
                state = contents(trace.put_down(database, Path(folder), mode, chance))
                found[verdict(state, {text for at, text in ledger.saved if at <= reached})] += 1
                if ledger.backup and reached >= ledger.backup[0] and chance.random() < BACKUPS_LOOKED_AT:
                    state = contents(trace.put_down(backup, Path(folder), mode, chance))
                    found[f"backup {verdict(state, set(ledger.backup[1]))}"] += 1
    return found


def verdict(state: set[str] | str, due: set[str]) -> str:
    """Return in a word what was found: *state*, where *due* must be."""
    return "corrupt" if isinstance(state, str) else "whole" if due <= state else "lost"


def contents(path: Path) -> set[str] | str:
    """Return what the memories of the database at *path* say, or what is wrong with it."""
    if not path.exists():
        return set()
    try:
        connection = open_database(path)
    except StoreUnavailableError as error:
        return error.text
    try:
        wrong = structure_of(connection).damage or memories_damage(connection, 0, newest_number(connection))
        return wrong or {text for (text,) in connection.execute("SELECT content FROM memories")}
    except apsw.Error as error:
        return repr(error)
    finally:
        connection.close()
        path.with_suffix(".mark").unlink(missing_ok=True)


@pytest.fixture
def cut(env, home: Path, project: Path, tally):
    """Lives a life with some pragmas, and cuts the power at some places of it."""

    def cut_at(points: int, *pragmas: str) -> Counter[str]:
        disk = Disk(home, *pragmas, is_traced=True)
        ledger = live(env | disk.env, project, disk)
        found = look(Trace(disk.trace, {}), ledger, Path(database_path(env)), points)
        tally("F2", " ".join(["power cut", *pragmas]), saves=len(ledger.saved), **found)
        return found

    return cut_at


@pytest.mark.parametrize("pragmas", LIVES.values(), ids=LIVES)
def test_f2_a_power_cut_loses_nothing_that_was_acknowledged(cut, pragmas: tuple[str, ...]):
    """Neither of the database nor of a backup, at any place, whatever of the unsynced is there."""
    found = cut(POINTS // len(LIVES), *pragmas)
    assert found["whole"] > POINTS // len(LIVES) // 2
    assert set(found) == {"whole", "backup whole"}


def test_f2_the_control_that_does_not_wait_for_the_disk_loses_something(cut):
    """Or this test would see nothing."""
    found = cut(CONTROL_POINTS, "synchronous=NORMAL")
    assert found["lost"] > 0
    assert found["corrupt"] == 0


def test_f2_a_power_cut_in_a_migration_loses_nothing(env, home: Path, tally):
    """It is there as it was, or as it will be."""
    path = Path(database_path(env))
    path.parent.mkdir()
    old = new_database(path, MIGRATED_FROM)
    old.execute("INSERT INTO projects (id, root, name, created_at) VALUES (1, '/p', 'p', 1)")
    for number in range(SAVES):
        old.execute(
            "INSERT INTO memories (id, project_id, title, content, tags, kind, source, created_at)"
            f" VALUES ('m{number:09}', 1, 'Old {number}', 'Old {number} {'words ' * 50}', '', 'note', '', 1)"
        )
    due = {text for (text,) in old.execute("SELECT content FROM memories")}
    old.close()
    before = {str(path): path.read_bytes()}
    disk = Disk(home, is_traced=True)
    daemon = RunningDaemon(env | disk.env)
    daemon.start()
    assert daemon.stop() == 0
    found = look(Trace(disk.trace, before), Ledger([(0, text) for text in due]), path, CONTROL_POINTS)
    tally("F2", "power cut in migrations", **found)
    assert set(found) == {"whole"}


def test_f2_a_power_cut_while_an_older_copy_is_repaired_loses_nothing(env, home: Path, project: Path, tally):
    """While it is repaired, what is in the place of the database is always the whole of what can be read."""
    daemon = RunningDaemon(env)
    daemon.start()
    for number in range(SAVES):
        ask(env, project, "save_memory", text=f"In the copy {number}.")
    older, path = home / "older.db", Path(database_path(env))
    assert daemon.stop() == 0
    shutil.copy(path, older)
    daemon.start()
    ask(env, project, "save_memory", text="After it.")
    assert daemon.stop() == 0
    shutil.copy(older, path)
    before = {str(path): path.read_bytes()}
    disk = Disk(home, is_traced=True)
    command = [sys.executable, "-m", "palimp_daemon", "--repair"]
    said = subprocess.run(command, env=env | disk.env, check=True, capture_output=True, text=True).stdout
    assert "in its place" in said
    due = [(0, f"In the copy {number}.") for number in range(SAVES)]
    trace = Trace(disk.trace, before)
    found = look(trace, Ledger(due), path, CONTROL_POINTS)
    moved = found.pop("lost", 0)
    tally("F2", "power cut in a repair", moved=moved, **found)
    assert set(found) == {"whole"}
    assert moved <= len(MODES)  # between the two renames nothing is in its place, which the next start says
