"""F3 and F4: the disk is full, or fails, at every place; what is answered is true, and then it goes on."""

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Self

import apsw
import pytest
from daemon_asking import ask
from disks import READ, SYNC, WRITE, Disk
from lanes import many
from running_daemon import RunningDaemon, end_daemon, owner_pids, palimp_environment, wait_until

from palimp_protocol.env.paths import database_path
from palimp_protocol.errors import MAY_BE_DONE, ErrorCode, PalimpError
from palimp_shim.transport import dial

PLACES = many(50, 200)
"""Of each kind of fault, at the first input or output, the second, and so on."""

SYNCS = many(5, 50)
"""Syncs that fail: each ends a daemon, and the next client starts another."""

ENOUGH_MB = 4
"""A smaller disk has no room for a database, its log and the reserve, also when it is empty."""

HEALED_S = 20.0
"""Seconds in which a disk that has room again is used."""

LIMITED_BYTES = 1_500_000

KINDS = {"full": (WRITE, True), "write fails": (WRITE, False), "read fails": (READ, False)}


class Ledger:
    """Saves, and knows what was acknowledged and what was refused."""

    def __init__(self, env: dict[str, str], project: Path) -> None:
        self.env, self.project = env, project
        self.kept: list[str] = []
        self.refused: list[str] = []
        self.codes: set[ErrorCode] = set()

    def save(self) -> str | None:
        """Save; return the id, or None when it was refused."""
        text = f"Fact {len(self.kept) + len(self.refused)} on this disk."
        try:
            saved = ask(self.env, self.project, "save_memory", text=text)
        except PalimpError as error:
            self.codes.add(error.code)
            self.refused.append(text)
            return None
        self.kept.append(text)
        return saved.id

    def stored(self) -> list[str]:
        """Return what the database has, through the daemon."""
        found: list[str] = []
        following: int | None = 0
        while following is not None:
            page = ask(self.env, self.project, "export", after=following)
            found += [memory.content for memory in page.memories]
            following = page.next
        return found


@pytest.mark.parametrize("name", KINDS)
def test_f3_a_disk_that_fails_at_any_place_is_said_and_survived(env, home, project, tally, name: str):
    """Nothing is acknowledged that is not stored, nothing stored that was refused, and afterwards it goes on."""
    operations, is_full = KINDS[name]
    # Without checkpoints: apsw passes their failures on as if COMMIT had failed, which SQLite itself does not.
    disk = Disk(home, "cache_size=5", "wal_autocheckpoint=0")
    daemon = RunningDaemon(env | disk.env)
    daemon.start()
    ledger = Ledger(env, project)
    ledger.save()
    for place in range(PLACES):
        disk.fail(operations, after=place, is_full=is_full)
        ledger.save()
        try:
            assert ask(env, project, "recall", query="fact disk", limit=1).total == len(ledger.kept)
        except PalimpError:
            assert operations == READ, "who reads does not notice that nothing can be written"
        disk.heal()
        assert ledger.save(), "a healed disk is used again"
        assert ask(env, project, "recall", query="fact disk", limit=1).total == len(ledger.kept)
    assert sorted(ledger.stored()) == sorted(ledger.kept)
    assert ledger.refused
    if is_full:
        assert ledger.codes == {ErrorCode.DISK_FULL}
    assert owner_pids(env) == [daemon.pid]
    assert daemon.stop() == 0
    tally("F3", f"{PLACES} places: {name}", kept=len(ledger.kept), refused=len(ledger.refused), lost=0)


def test_f3_a_sync_that_fails_is_never_taken_for_done(env, home, project, tally):
    """What the disk did not confirm is unknown, so the daemon ends; the client's next one finds what is there."""
    disk = Disk(home)
    ledger = Ledger(env, project)
    for place in range(SYNCS):
        daemon = _started(env | disk.env)
        ledger.save()
        disk.fail(SYNC, after=place % 2, is_once=True)
        while daemon.process.poll() is None:
            assert ledger.save(), "the client waits for the next daemon, and sends it again"
        assert daemon.process.returncode == 1
        wait_until(lambda: owner_pids(env), HEALED_S)
    stored = ledger.stored()
    tally("F3", f"{SYNCS} syncs that fail", kept=len(ledger.kept), refused=len(ledger.refused), lost=0)
    assert len(stored) == len(set(stored))
    assert sorted(ledger.kept) == sorted(stored)


def test_f3_what_a_disk_that_confirms_nothing_may_have_is_said(env, home, project, monkeypatch):
    """No daemon can be started before it is healed; then what the first one was given is there."""
    monkeypatch.setattr(dial, "PALIMPD", (sys.executable, "-m", "palimp_daemon"))  # in this environment, on this disk
    disk = Disk(home)
    env |= disk.env
    daemon = RunningDaemon(env)
    daemon.start()
    assert ask(env, project, "recall").memories == []
    disk.fail(SYNC, after=0)
    with pytest.raises(PalimpError, match=MAY_BE_DONE):
        ask(env, project, "save_memory", text="Perhaps stored.")
    assert daemon.process.wait(HEALED_S) == 1
    disk.heal()
    assert [memory.title for memory in ask(env, project, "recall").memories] == ["Perhaps stored"]


def _started(env: dict[str, str]) -> RunningDaemon:
    """Return a daemon on the spoiled disk, in the place of those that clients have started on any other."""
    daemon = RunningDaemon(env)
    while True:
        end_daemon(env)
        with contextlib.suppress(AssertionError):  # one more of theirs was on its way
            daemon.start()
            return daemon


def test_f4_purges_go_on_when_the_disk_is_full(env, home, project):
    """The reserve is let go of; saves are refused until there is room for it again."""
    small = SmallDisk(home, 8)
    env |= {"PALIMP_HOME": str(small.folder), "PALIMP_SOCKET": str(home / "s.sock")}
    with small:
        daemon = RunningDaemon(env)
        daemon.start()
        ledger = Ledger(env, project)
        ids = [ledger.save() for _ in range(20)]
        small.fill()
        while ledger.save():
            pass
        assert ledger.codes == {ErrorCode.DISK_FULL}
        assert ask(env, project, "recall", query="fact disk").total == len(ledger.kept)
        for memory in ids:
            assert ask(env, project, "recall", action="purge", ids=[memory]).memories
        assert ledger.save() is None
        assert not ask(env, project, "health").problem
        small.empty()
        wait_until(ledger.save, HEALED_S, lambda: str(ledger.codes))
        assert daemon.stop() == 0


def test_f4_a_full_disk_ends_no_daemon_that_ranks_by_meaning(env, home, project):
    """Vectors that cannot be stored wait for room, behind everybody's back."""
    small = SmallDisk(home, 8)
    env |= {"PALIMP_HOME": str(small.folder), "PALIMP_SOCKET": str(home / "s.sock"), "PALIMP_SEARCH_SEMANTIC": "on"}
    with small:
        daemon = RunningDaemon(env)
        daemon.start()
        ledger = Ledger(env, project)
        assert ledger.save()
        small.fill()
        while ledger.save():  # the last of them has no vector yet
            pass
        wait_until(lambda: "not_embedded" in daemon.log.read_text(), HEALED_S, daemon.log.read_text)
        assert ask(env, project, "recall", query="fact disk").total == len(ledger.kept)
        assert owner_pids(env) == [daemon.pid]
        small.empty()
        assert daemon.stop() == 0


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_f4_a_small_disk_is_filled_to_its_end(env, home, project, tally, size: int):
    """Megabytes: what was acknowledged is there, a daemon can be started on the full disk, and reads go on."""
    small = SmallDisk(home, size)
    env |= {"PALIMP_HOME": str(small.folder), "PALIMP_SOCKET": str(home / "s.sock")}
    with small:
        daemon = RunningDaemon(env)
        daemon.start()
        ledger = Ledger(env, project)
        small.fill(but=300_000 * size)
        while ledger.save():
            pass
        assert ledger.codes <= {ErrorCode.DISK_FULL, ErrorCode.STORE_UNAVAILABLE}
        daemon.kill()
        daemon.start()
        if ledger.kept:
            ledger.save()
            assert sorted(ledger.stored()) == sorted(ledger.kept)
        small.empty()
        if size >= ENOUGH_MB:
            wait_until(ledger.save, HEALED_S, lambda: str(ledger.codes))
        assert daemon.stop() == 0
        tally("F4", f"a disk of {size} MB", kept=len(ledger.kept), refused=len(ledger.refused), lost=0)


def test_f4_an_index_that_is_built_anew_waits_for_room(env, home, project):
    """As after an update: it is said, no daemon ends, and nothing is lost."""
    small = SmallDisk(home, 8)
    env |= {"PALIMP_HOME": str(small.folder), "PALIMP_SOCKET": str(home / "s.sock")}
    with small:
        daemon = RunningDaemon(env)
        daemon.start()
        for number in range(100):
            ask(env, project, "save_memory", text=" ".join(f"word{number}x{each}" for each in range(300)))
        assert daemon.stop() == 0
        with contextlib.closing(apsw.Connection(database_path(env))) as connection:
            connection.execute("UPDATE search_index SET version = 0")
        small.fill(but=200_000)
        daemon.start()
        with pytest.raises(PalimpError) as refused:
            ask(env, project, "recall", query="word7x7")
        assert refused.value.code is ErrorCode.STORE_UNAVAILABLE
        assert "full" in refused.value.text
        assert owner_pids(env) == [daemon.pid]
        small.empty()
        wait_until(lambda: _is_found(env, project, "word7x7"), HEALED_S)
        assert daemon.stop() == 0


def _is_found(env: dict[str, str], project: Path, word: str) -> bool:
    with contextlib.suppress(PalimpError):
        return ask(env, project, "recall", query=word).total == 1
    return False


def test_f4_a_limit_on_the_size_of_files_kills_nobody(daemon, env, project, tally):
    """Where the kernel would send SIGXFSZ."""
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (LIMITED_BYTES, LIMITED_BYTES))
    ledger = Ledger(env, project)
    while ledger.save():
        pass
    assert owner_pids(env) == [daemon.pid]
    assert sorted(ledger.stored()) == sorted(ledger.kept)
    tally("F4", "a limit on files", kept=len(ledger.kept), refused=len(ledger.refused), lost=0)


class SmallDisk:
    """A file system of some megabytes in memory, mounted where only root can."""

    def __init__(self, home: Path, megabytes: int) -> None:
        if os.getuid():
            pytest.skip("only root can mount a small disk: mount -t tmpfs -o size=1m tmpfs FOLDER")
        self.folder = home / "small"
        self._megabytes = megabytes

    def __enter__(self) -> Self:
        self.folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={self._megabytes}m", "tmpfs", str(self.folder)]
        if (done := subprocess.run(command, capture_output=True, text=True, check=False)).returncode:
            pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
        return self

    def __exit__(self, *_: object) -> None:
        end_daemon(palimp_environment(self.folder.parent) | {"PALIMP_HOME": str(self.folder)})
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)

    def fill(self, but: int = 0) -> None:
        """Fill it with something else, *but* for so many bytes."""
        free = shutil.disk_usage(self.folder).free - but
        with (self.folder / "something else").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, free))

    def empty(self) -> None:
        """Remove what it was filled with."""
        (self.folder / "something else").unlink()
