"""What can be read of a damaged database goes into a new one, and the damaged one is kept."""

import errno
import random
import shutil
from pathlib import Path

import apsw
import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.repair import repair
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.integrity.commit_counter import HighWaterMark
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.recovery import orphan_rows
from palimp_daemon.store.sqlite_connection import StoreDamagedError, StoreUnavailableError, leave
from palimp_daemon.store.tables.project_merge import join
from palimp_daemon.store.tables.project_rows import project_at
from palimp_daemon.store.worker.group_commit import Job, commit_group
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

MEMORIES = 200


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of MEMORIES memories in two projects, which is only copied."""
    folder = tmp_path_factory.mktemp("filled")
    store = open_store(folder / "palimp.db", "auto")
    request_context = RequestContexts(store)
    for number in range(MEMORIES):
        project = "/work/one" if number % 2 else "/work/two"
        save_memory(request_context(project), SaveMemory(text=f"Fact {number}: " + f"word{number} " * 40))
    store.connection.close()
    return folder


@pytest.fixture
def config(tmp_path: Path, filled: Path) -> Config:
    """Where a database with MEMORIES memories in two projects lies."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return Config(
        database=tmp_path / "palimp.db",
        conversations=tmp_path / "conversations.db",
        lock=tmp_path / "palimp.lock",
        address=tmp_path / "palimp.address",
        stopped=tmp_path / "stopped",
        socket=tmp_path / "palimp.sock",
        spool=tmp_path / "spool",
    )


def repaired(config: Config) -> list[str]:
    said: list[str] = []
    repair(config, said.append)
    return said


def contents(config: Config) -> dict[int, str]:
    """Return the memories that can be reached through their projects, by number."""
    store = open_store(config.database, "auto")
    found = dict(
        store.connection.execute(
            "SELECT m.seq, m.content FROM memories m JOIN projects p ON p.id = m.project_id"
        ).fetchall()
    )
    store.connection.close()
    return found


def pages_of(config: Config, table: str) -> list[int]:
    """Return the offsets of the leaf pages of *table*, the first in the file first."""
    connection = apsw.Connection(str(config.database))
    found = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", (table,)
    ).fetchall()
    leave(connection)
    return [(number - 1) * 4096 for (number,) in found]


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def test_a_whole_database_is_left_alone(config: Config):
    """Byte for byte."""
    before = config.database.read_bytes()
    assert "whole" in repaired(config)[0]
    assert config.database.read_bytes() == before
    assert not list(config.database.parent.glob("*damaged*"))


def test_what_is_on_other_pages_than_the_damaged_one_is_kept(config: Config):
    """Rows before and after it, though SQLite cannot read on there; and the file as it was."""
    whole = contents(config)
    overwrite(config.database, pages_of(config, "memories")[5], bytes(4096))
    damaged = config.database.read_bytes()
    with pytest.raises(StoreDamagedError):
        open_store(config.database, "auto")

    said = repaired(config)

    kept = contents(config)
    assert kept.items() < whole.items()
    assert len(kept) >= MEMORIES - 12
    assert f"Memories that are gone: {MEMORIES - len(kept)}." in said
    assert config.database.with_name("palimp.db.damaged-1").joinpath("palimp.db").read_bytes() == damaged
    assert HighWaterMark(config.database).read() is not None


def test_a_memory_with_a_flipped_bit_is_kept_and_named(config: Config):
    """Its user sees what is wrong with it."""
    # Everywhere: pages that were split still have it in what is free of them.
    data = config.database.read_bytes().replace(b"Fact 7: word7 word7", b"\xffact 7: word7 word7")
    config.database.write_bytes(data)
    said = repaired(config)
    assert any(line.startswith("Checksum mismatch") for line in said)
    assert contents(config)[8].startswith("\ufffdact 7: word7")
    assert len(contents(config)) == MEMORIES


def test_memories_of_projects_that_are_gone_are_not_hidden(config: Config):
    """They belong to a project that is called recovered, which a folder may adopt."""
    overwrite(config.database, pages_of(config, "projects")[0], bytes(4096))
    said = repaired(config)
    assert len(contents(config)) == MEMORIES
    assert any(
        line.startswith("The project of these is unreadable: palimp:recovered/1, palimp:recovered/2.") for line in said
    )
    store = open_store(config.database, "auto")
    join(store, project_at(store, "palimp:recovered/1").id, ProjectRef("/work/two", "two"))
    assert len(recall(RequestContexts(store)("/work/two"), Recall(limit=50)).memories) == 50
    store.connection.close()


@pytest.mark.parametrize("has_first_page", [True, False])
def test_numbers_are_not_given_out_again(config: Config, has_first_page: bool):
    """A memory that is saved afterwards does not become one that was lost; with page 1, how many there were is, too."""
    overwrite(config.database, pages_of(config, "memories")[-1], bytes(4096))
    if not has_first_page:
        overwrite(config.database, 0, bytes(4096))
    repaired(config)
    store = open_store(config.database, "auto")
    save_memory(RequestContexts(store)(), SaveMemory(text="After the repair."))
    assert store.connection.execute("SELECT max(seq) FROM memories").fetchall() == [(MEMORIES + 1,)]
    store.connection.close()


def page_of(config: Config, root: str) -> int:
    """Return the offset of the page from which everything of *root*, a table, hangs."""
    connection = apsw.Connection(str(config.database))
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (root,)).fetchall()
    leave(connection)
    return (page - 1) * 4096


def work_on(config: Config, *statements: str) -> None:
    """Run *statements*, and leave what they changed in the log."""
    store = open_store(config.database, "auto")
    for statement in statements:
        store.connection.execute(statement)
    leave(store.connection)


def test_without_its_first_page_every_memory_is_kept(config: Config):
    """It says where everything is, but the rows are where they were; near-duplicates are known again, too."""
    work_on(config, "INSERT INTO live_lines (hash, files) VALUES (-7777777777777, 1), (3333333, 2), (7777777777777, 3)")
    whole = contents(config)
    overwrite(config.database, 0, bytes(4096))
    with pytest.raises(StoreDamagedError):
        open_store(config.database, "auto")

    said = repaired(config)

    assert contents(config) == whole
    assert not [line for line in said if "gone:" in line]
    assert f"{MEMORIES} rows of memories were copied." in said
    assert "3 rows of projects were copied." in said, "with the global one"
    assert said[-2] == "The list of its memories is unreadable, so others may be gone."
    store = open_store(config.database, "auto")
    request_context = RequestContexts(store)
    again = save_memory(request_context("/work/one"), SaveMemory(text="Fact 7: " + "word7 " * 39))
    assert [each.title for each in again.similar] == [
        "Fact 7: word7 word7 word7 word7 word7 word7 word7 word7 word7 word7 word7 word7…"
    ]
    store.connection.close()


def test_memories_whose_sums_are_lost_are_kept(config: Config):
    """Without page 1, and with half of the sums: that a memory has none does not say that it was erased."""
    whole = contents(config)
    overwrite(config.database, pages_of(config, "sums")[0] + 3, (MEMORIES // 2).to_bytes(2, "big"))
    overwrite(config.database, 0, bytes(4096))
    repaired(config)
    assert contents(config) == whole


@pytest.mark.parametrize("lost", ["memories", "sums"])
def test_without_the_page_above_its_rows_every_memory_is_kept(config: Config, lost: str):
    """SQLite reads none of them then."""
    whole = contents(config)
    overwrite(config.database, page_of(config, lost), bytes(4096))
    said = repaired(config)
    assert contents(config) == whole
    assert ("Every memory that it had is as it was saved." in said) == (lost == "memories")


def test_rows_that_sqlite_passes_over_without_a_word_are_kept(config: Config):
    """The page above them names fewer pages than there are; the sums know better."""
    whole, root = contents(config), page_of(config, "memories")
    overwrite(config.database, root + 3, (2).to_bytes(2, "big"))  # where an interior page says how many it names
    repaired(config)
    assert contents(config) == whole


STATE = "SELECT seq, content, deleted_at FROM memories ORDER BY seq"


def state_of(config: Config) -> list[tuple]:
    store = open_store(config.database, "auto")
    found = store.connection.execute(STATE).fetchall()
    store.connection.close()
    return found


def test_memories_come_back_as_they_are_and_not_as_they_were(config: Config):
    """A page that is no longer used knows what was changed, and what was erased; sums say what counts."""
    first = pages_of(config, "memories")[0]
    stale = config.database.read_bytes()[first : first + 4096]
    work_on(
        config,
        "UPDATE memories SET content = 'Anew. ' || content WHERE seq <= 5",
        "DELETE FROM sketches WHERE seq = 3",
        "DELETE FROM memories WHERE seq = 3",
    )
    before = state_of(config)
    assert [seq for seq, *_ in before[:3]] == [1, 2, 4]
    root = page_of(config, "memories")
    overwrite(config.database, page_of(config, "search_index"), stale)  # before the others; that table is made anew
    overwrite(config.database, root, bytes(4096))

    repaired(config)

    assert state_of(config) == before


def test_without_its_first_page_the_log_is_read_all_the_same(config: Config):
    """What it says is newer than what the database says."""
    work_on(config, "UPDATE memories SET deleted_at = 5 WHERE seq = 3")
    overwrite(config.database, 0, bytes(4096))
    repaired(config)
    assert [seq for seq, _, purged in state_of(config) if purged] == [3]


def test_a_log_without_its_database_gives_back_what_it_has(config: Config):
    """And is kept itself."""
    work_on(config, "UPDATE memories SET tags = 'kept' WHERE seq > 150")
    log = config.database.with_name("palimp.db-wal")
    before = log.read_bytes()
    config.database.unlink()
    with pytest.raises(StoreDamagedError, match="is gone"):
        open_store(config.database, "auto")
    assert any("rows of memories were copied" in line for line in repaired(config))
    assert len(contents(config)) >= MEMORIES - 150
    assert config.database.with_name("palimp.db.damaged-1").joinpath(log.name).read_bytes() == before


def test_of_what_cannot_be_read_at_all_all_is_kept_and_said_to_be_lost(config: Config):
    """Nothing of it is a page of ours; it ends in a store that works."""
    config.database.write_bytes(random.Random(1).randbytes(40 * 4096))
    before = config.database.read_bytes()
    said = " ".join(repaired(config))
    assert "Every memory in it is gone unless there is a backup" in said
    kept = config.database.with_name("palimp.db.damaged-1")
    assert str(kept) in said
    assert kept.joinpath("palimp.db").read_bytes() == before
    assert [path.name for path in config.database.parent.glob("*pages*")] == []
    assert contents(config) == {}
    assert "nothing was changed" in repaired(config)[0]


def test_an_older_copy_in_the_place_of_a_database_is_refused_until_it_is_repaired(config: Config):
    """A write-ahead log may have been lost, so its user has to say that it is what he wants."""
    backup = config.database.read_bytes()
    store = open_store(config.database, "auto")
    commit_group(
        store,
        [Job(lambda _: save_memory(RequestContexts(store)(), SaveMemory(text="After the backup.")), is_write=True)],
        lambda error: None,
    )
    store.connection.close()
    config.database.write_bytes(backup)
    with pytest.raises(StoreDamagedError, match="older copy"):
        open_store(config.database, "auto")
    assert "Every memory that it had is as it was saved." in repaired(config)
    assert len(contents(config)) == MEMORIES


def test_a_repair_without_room_says_so_and_changes_nothing(config: Config, monkeypatch):
    """What was begun of the copy is of no harm."""
    overwrite(config.database, 0, bytes(4096))
    before = config.database.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(orphan_rows.shutil, "copyfile", full)
    with pytest.raises(StoreUnavailableError, match="No space left"):
        repaired(config)
    assert config.database.read_bytes() == before


def test_a_database_that_is_gone_is_begun_anew_only_when_asked(config: Config):
    """And one that never was is no damage."""
    config.database.unlink()
    assert "begins with an empty one" in repaired(config)[1]
    assert contents(config) == {}
    config.database.unlink()
    HighWaterMark(config.database).path.unlink()
    assert "nothing was changed" in repaired(config)[0]


def test_a_newer_database_is_not_damaged(config: Config):
    """It is refused, and nothing else."""
    connection = apsw.Connection(str(config.database))
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreUnavailableError, match="newer"):
        repaired(config)


class CutOffError(Exception):
    """Stands for a power cut."""


@pytest.mark.parametrize(
    ("step", "name"),
    [
        ("mkdir", "palimp.db.damaged-1"),
        ("rename", "palimp.db-wal"),
        ("rename", "palimp.db"),
        ("replace", "palimp.salvaged"),
        ("unlink", "palimp.mark"),
    ],
)
def test_a_repair_that_is_cut_off_goes_on_where_it_was(config: Config, monkeypatch, step: str, name: str):
    """Whatever the last step was, nothing is lost by it, and no empty database is begun meanwhile."""
    overwrite(config.database, pages_of(config, "memories")[5], bytes(4096))
    config.database.with_name("palimp.db-wal").write_bytes(b"")
    taken = getattr(Path, step)

    def cut(path: Path, *arguments, **named):
        if path.name == name:
            raise CutOffError
        return taken(path, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, cut)
        with pytest.raises(CutOffError):
            repaired(config)

    with pytest.raises(StoreDamagedError):
        open_store(config.database, "auto")
    repaired(config)
    assert len(contents(config)) >= MEMORIES - 12
