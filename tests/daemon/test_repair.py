"""What can be read of a damaged database goes into a new one, and the damaged one is kept."""

from pathlib import Path

import apsw
import pytest

from desks import Desks
from palimp_daemon.config import Config
from palimp_daemon.operations.save_memory import save_memory
from palimp_daemon.repair import repair
from palimp_daemon.store import salvaging
from palimp_daemon.store.connection import StoreDamagedError, StoreUnavailableError, leave
from palimp_daemon.store.ledger import Mark
from palimp_daemon.store.opening import open_store
from palimp_protocol.operations import SaveMemory

MEMORIES = 200


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Where a database with MEMORIES memories in two projects lies, most of them in its log."""
    config = Config(
        database=tmp_path / "palimp.db",
        lock=tmp_path / "palimp.lock",
        address=tmp_path / "palimp.address",
        stopped=tmp_path / "stopped",
        socket=tmp_path / "palimp.sock",
        spool=tmp_path / "spool",
    )
    store = open_store(config.database, "auto")
    desk = Desks(store)
    for number in range(MEMORIES):
        project = "/work/one" if number % 2 else "/work/two"
        save_memory(desk(project), SaveMemory(text=f"Fact {number}: " + f"word{number} " * 40))
    store.connection.close()
    return config


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
    assert Mark(config.database).read() is not None


def test_a_memory_with_a_flipped_bit_is_kept_and_named(config: Config):
    """Its user sees what is wrong with it."""
    # Everywhere: pages that were split still have it in what is free of them.
    data = config.database.read_bytes().replace(b"Fact 7: word7 word7", b"\xffact 7: word7 word7")
    config.database.write_bytes(data)
    said = repaired(config)
    assert any(line.startswith("Not what was saved") for line in said)
    assert contents(config)[8].startswith("\ufffdact 7: word7")
    assert len(contents(config)) == MEMORIES


def test_memories_of_projects_that_are_gone_are_not_hidden(config: Config):
    """They belong to a project that is called recovered."""
    overwrite(config.database, pages_of(config, "projects")[0], bytes(4096))
    repaired(config)
    assert len(contents(config)) == MEMORIES


def test_numbers_are_not_given_out_again(config: Config):
    """A memory that is saved afterwards does not become one that was lost."""
    overwrite(config.database, pages_of(config, "memories")[-1], bytes(4096))
    repaired(config)
    store = open_store(config.database, "auto")
    save_memory(Desks(store)(), SaveMemory(text="After the repair."))
    assert store.connection.execute("SELECT max(seq) FROM memories").fetchall() == [(MEMORIES + 1,)]
    store.connection.close()


def test_what_cannot_be_read_at_all_is_left_where_it_is(config: Config):
    """Page 1 says where everything is."""
    overwrite(config.database, 0, bytes(4096))
    before = config.database.read_bytes()
    with pytest.raises(StoreDamagedError, match="nothing can be read"):
        repaired(config)
    assert config.database.read_bytes() == before


def test_a_database_that_is_gone_is_begun_anew_only_when_asked(config: Config):
    """And one that never was is no damage."""
    config.database.unlink()
    assert "begins with an empty one" in repaired(config)[1]
    assert contents(config) == {}
    config.database.unlink()
    Mark(config.database).path.unlink()
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


def test_rows_are_probed_one_by_one_only_between_what_can_be_read(config: Config, monkeypatch):
    """A bound on the time that a large table takes."""
    monkeypatch.setattr(salvaging, "PROBED_MAX", 0)
    overwrite(config.database, pages_of(config, "memories")[5], bytes(4096))
    repaired(config)
    assert len(contents(config)) >= MEMORIES - 12
