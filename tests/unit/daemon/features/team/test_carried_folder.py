"""A folder with what no palimp writes: it is said, little of it is kept in memory, and nothing hangs."""

import os
import tracemalloc

import pytest
from replicas import KEY, Replica

from palimp_daemon.features.team import carried_folder
from palimp_daemon.features.team.carried_folder import TEAM_FILE, Folder, create_team, team_in
from palimp_daemon.features.team.team_operation import LINE_BYTES_MAX, line_of
from palimp_daemon.features.team.transport import TransportError

ANOTHERS = "2" * 16
JUNK_BYTES = 100 << 20


@pytest.fixture
def root(tmp_path):
    """The folder of a team."""
    create_team(tmp_path / "shared", "t")
    (tmp_path / "shared" / KEY).mkdir()
    return tmp_path / "shared"


@pytest.fixture
def log(root):
    """A file of another replica."""
    return root / KEY / f"{ANOTHERS}-2026-11.log"


def lines(*counters: int) -> bytes:
    """Return lines of the other replica."""
    return b"".join(line_of(ANOTHERS, counter, b"{}") for counter in counters)


def test_a_file_that_is_larger_than_any_of_palimp_s_is_named_until_it_is_moved_away(root, log, tmp_path) -> None:
    ana = Replica(tmp_path, "ana", Folder(root, "t"))
    ana.save("We deploy on Tuesdays.")
    log.touch()
    os.truncate(log, (1 << 30) + 1)
    with pytest.raises(TransportError, match=log.name) as refused:
        ana.sync()
    assert "move it away" in refused.value.hint
    log.unlink()
    assert ana.sync().sent == 1


def test_more_lines_than_are_kept_are_said_until_they_are_gone(root, log, monkeypatch) -> None:
    monkeypatch.setattr(carried_folder, "LINES_MAX", 5)
    folder = Folder(root, "t")
    log.write_bytes(lines(*range(1, 7)))
    for _ in range(2):
        with pytest.raises(TransportError, match="more than 5 operations"):
            folder.look(KEY)
    log.write_bytes(lines(1, 2, 3))
    assert folder.look(KEY) == {ANOTHERS: 3}
    log.write_bytes(lines(1, 2))
    assert folder.look(KEY) == {ANOTHERS: 2}
    log.write_bytes(lines(1, 2, 3, 4, 5))
    assert folder.look(KEY) == {ANOTHERS: 5}


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_of_a_line_without_end_nothing_is_kept(root, log, end) -> None:
    folder = Folder(root, "t")
    log.write_bytes(lines(1))
    os.truncate(log, JUNK_BYTES)
    with log.open("ab") as file:
        file.write(end + lines(2) if end else end)
    tracemalloc.start()
    found = folder.look(KEY)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {ANOTHERS: 2 if end else 1}
    assert peak < 20 * LINE_BYTES_MAX


def test_a_text_that_is_to_go_leaves_files_of_which_palimp_wrote_only_a_part(root, log) -> None:
    folder = Folder(root, "t")
    log.write_bytes(lines(1) + b"x" * (2 * LINE_BYTES_MAX) + b"\n" + lines(2) + b"secret")
    folder.clear(KEY, ANOTHERS, {2: b"[]"})
    assert log.read_bytes() == lines(1) + line_of(ANOTHERS, 2, b"[]")


def test_what_is_no_file_is_not_waited_for(root) -> None:
    os.mkfifo(root / KEY / f"{ANOTHERS}.json")
    assert Folder(root, "t").notices(KEY) == []
    (root / TEAM_FILE).unlink()
    os.mkfifo(root / TEAM_FILE)
    with pytest.raises(TransportError, match="cannot be read"):
        team_in(root)
