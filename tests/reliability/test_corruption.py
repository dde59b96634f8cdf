"""F5: bytes of the database are not what was written; that is said, and nobody is served a part as if it were all."""

import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from claude_hooks import PALIMP
from daemon_asking import ask
from lanes import IS_SOAK, many
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import check_request, recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.integrity.commit_counter import HighWaterMark
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreDamagedError, leave
from palimp_daemon.store.store import Store
from palimp_protocol.env.paths import database_path
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

DAMAGES = many(100, 300)
MEMORIES = 120
ASKED = 30
"""Memories that are searched for by a word of their own."""

PAGE = 4096


def filled(path: Path) -> None:
    """Make a database of MEMORIES memories at *path*."""
    store = open_store(path, "auto")
    request_context = RequestContexts(store)
    chance = random.Random(7)
    for number in range(MEMORIES):
        words = " ".join(f"word{chance.randrange(400)}" for _ in range(40))
        save_memory(request_context(), SaveMemory(text=f"Decision number{number}x: {words}"))
    store.connection.close()


def known(store: Store) -> tuple[list[tuple], list[list[str]]]:
    """Return all memories, and what is found by the words of some."""
    rows = store.connection.execute("SELECT id, title, content, kind, deleted_at FROM memories").fetchall()
    asked = [Recall(query=f"number{number}x") for number in range(0, MEMORIES, MEMORIES // ASKED)]
    request_context = RequestContexts(store)
    return rows, [[each.id for each in recall(request_context(), check_request(one)).memories] for one in asked]


def flip(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def scribble(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) - 8)
    data[at : at + 8] = chance.randbytes(8)


def lose_page(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) // PAGE) * PAGE
    data[at : at + PAGE] = bytes(PAGE)


@pytest.mark.parametrize("damage", [flip, scribble, lose_page], ids=lambda each: each.__name__)
def test_f5_damage_at_random_places_is_refused_or_harmless(tmp_path: Path, tally, damage: Callable):
    """Whatever is served is all of it, and is found as before."""
    path = tmp_path / "palimp.db"
    filled(path)
    store = open_store(path, "auto")
    whole = known(store)
    store.connection.close()
    original = path.read_bytes()
    chance, found = random.Random(11), Counter[str]()
    for _ in range(DAMAGES // 3):
        data = bytearray(original)
        damage(data, chance)
        path.write_bytes(data)
        found[_what_is_served(path, whole)] += 1
        path.with_name("palimp.db-wal").unlink(missing_ok=True)
    tally("F5", f"damage: {damage.__name__}", **found)
    assert found["less"] == 0
    assert found["refused"] > 0


def _what_is_served(path: Path, whole: object) -> str:
    try:
        store = open_store(path, "auto")
    except StoreDamagedError:
        return "refused"
    try:
        return "harmless" if known(store) == whole else "less"
    except (apsw.Error, PalimpError, ValueError):
        return "refused_later"
    finally:
        leave(store.connection)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def zero_first_page(path: Path) -> None:
    path.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:])


def remove(path: Path) -> None:
    path.unlink()


def turn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0x10
    path.write_bytes(data)


def of_the_log(damage: Callable[[Path], None]) -> Callable[[Path], None]:
    def damaged(path: Path) -> None:
        damage(path.with_name(f"{path.name}-wal"))

    return damaged


def older(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()
    shutil.copy(path.with_name("older.db"), path)


def newer_with_old_log(path: Path) -> None:
    shutil.copy(path.with_name("older.db"), path)


def another(path: Path) -> None:
    path.unlink()
    path.with_name(f"{path.name}-wal").unlink()
    mark = HighWaterMark(path).path
    kept = mark.read_bytes()
    mark.unlink()
    filled(path)
    mark.write_bytes(kept)


def zero_first_page_at_rest(path: Path) -> None:
    """Zero the first page of a database whose log was written into it, since a log may have that page, too."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    zero_first_page(path)


FIXED = {
    "database cut in half": cut,
    "database emptied": empty,
    "first page zero": zero_first_page_at_rest,
    "database removed": remove,
    "log cut in half": of_the_log(cut),
    "log emptied": of_the_log(empty),
    "log removed": of_the_log(remove),
    "bit of the log": of_the_log(turn),
    "first page of the log zero": of_the_log(zero_first_page),
    "older copy without its log": older,
    "older copy with the newer log": newer_with_old_log,
    "another database": another,
}


def files_of(path: Path) -> dict[str, bytes]:
    """Return the database at *path* and its logs; an empty one is none, since opening makes it."""
    files = {each.name: each.read_bytes() for each in path.parent.glob("palimp.db*") if each.is_file()}
    return {name: content for name, content in files.items() if content or name == path.name}


ON_EVERY_COMMIT = ("first page zero", "database emptied", "log cut in half", "older copy without its log")
"""The others are tried in `make soak`; what they do to the store is in tests/daemon/test_ledger.py."""


@pytest.mark.parametrize("name", FIXED if IS_SOAK else ON_EVERY_COMMIT)
def test_f5_a_daemon_on_damaged_files_says_so_and_the_doctor_copies_what_can_be_read(daemon, env, project, name):
    """It neither serves less nor deletes anything; afterwards it serves, and the damaged files are there."""
    damage = FIXED[name]
    for number in range(20):
        ask(env, project, "save_memory", text=f"Before the copy {number}.")
    path = Path(database_path(env))
    daemon.stop()
    shutil.copy(path, path.with_name("older.db"))
    for end in (daemon.stop, daemon.kill):
        daemon.start()
        for number in range(20):
            ask(env, project, "save_memory", text=f"After it {number}.")
        end()
    damage(path)
    before = files_of(path)
    daemon.start()
    try:
        # What is saved again in the same words is the same memory: of the 60 saves, 40 are others.
        assert ask(env, project, "recall").total == 2 * 20, "the log had what was damaged"
    except PalimpError as error:
        assert re.search("is gone|is empty|is damaged|lacks the last|another database", error.text)
    else:
        return
    health = ask(env, project, "health")
    assert health.is_damaged
    assert "palimp doctor --fix" in health.hint
    assert daemon.stop() == 0
    assert files_of(path) == before

    done = subprocess.run([*PALIMP, "doctor", "--fix"], env=env, capture_output=True, text=True, check=False)

    assert "mended" in done.stdout, done.stdout + done.stderr
    daemon.start()
    total = ask(env, project, "recall").total
    assert total <= 3 * 20 or damage is another
    assert total >= 20 or damage in (empty, remove, another) or "Every memory in it is gone" in done.stdout
    kept = path.with_name("palimp.db.damaged-1")
    assert damage is remove or files_of(kept / path.name).items() <= before.items()


def test_f5_a_repair_ends_the_daemon_that_has_it_open(daemon, env, project):
    """Sessions find the next one."""
    ask(env, project, "save_memory", text="One.")
    said = subprocess.run(
        [sys.executable, "-m", "palimp_daemon", "--repair"], env=env, capture_output=True, text=True, check=True
    )
    assert "nothing was changed" in said.stdout
    assert daemon.process.wait(10) == 0
    daemon.start()
    assert ask(env, project, "recall").total == 1
