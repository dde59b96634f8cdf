"""Where a client keeps its sessions is looked through, no deeper and no longer than it has to be."""

import os
from pathlib import Path

import pytest

from palimp_clients.transcripts import folders
from palimp_clients.transcripts.folders import folder_of, session_file, session_files_in


def made(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def found(folder: Path, depth: int) -> list[str]:
    return [
        Path(file.path).relative_to(folder).as_posix() for file in session_files_in("c", folder, depth, (".jsonl",))
    ]


def test_only_files_of_that_depth_and_ending_are_found(tmp_path):
    made(tmp_path, "a.jsonl", "p/b.jsonl", "p/b.txt", "p/q/c.jsonl", "r/d.jsonl")
    assert found(tmp_path, 0) == ["a.jsonl"]
    assert sorted(found(tmp_path, 1)) == ["p/b.jsonl", "r/d.jsonl"]
    assert found(tmp_path, 2) == ["p/q/c.jsonl"]


def test_links_are_followed_and_a_loop_of_them_ends(tmp_path):
    made(tmp_path, "real/a.jsonl")
    (tmp_path / "p").mkdir()
    (tmp_path / "p/loop").symlink_to(tmp_path / "p")
    (tmp_path / "p/link.jsonl").symlink_to(tmp_path / "real/a.jsonl")
    (tmp_path / "p/broken.jsonl").symlink_to(tmp_path / "nothing")
    assert sorted(found(tmp_path, 1)) == ["p/link.jsonl", "real/a.jsonl"]
    assert len(found(tmp_path, 9)) == 1


def test_what_is_no_file_is_none(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    assert found(tmp_path, 0) == []


def test_each_file_is_looked_at_once(tmp_path, monkeypatch):
    made(tmp_path, "p/a.jsonl", "p/b.jsonl", "p/c.txt")
    (tmp_path / "p/link.jsonl").symlink_to(tmp_path / "p/a.jsonl")
    looks: list[str] = []

    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.path, self.is_dir, self._stat = entry.name, entry.path, entry.is_dir, entry.stat

        def __fspath__(self) -> str:
            return self.path

        def is_file(self) -> bool:
            return bool(self.stat())

        def stat(self) -> os.stat_result:
            looks.append(self.name)
            return self._stat()

    real = folders._entries
    monkeypatch.setattr(folders, "_entries", lambda path: list(map(Entry, real(path))))
    stat_of_path = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path: looks.append(path.name) or stat_of_path(path))
    assert found(tmp_path, 1) == ["p/a.jsonl", "p/b.jsonl", "p/link.jsonl"]
    assert looks == ["a.jsonl", "b.jsonl", "link.jsonl"]


def test_a_path_is_a_session_as_it_is_given_if_it_is_a_plain_file(tmp_path):
    made(tmp_path, "a.jsonl")
    given = f"{tmp_path}//a.jsonl"
    file = session_file("c", given)
    assert file is not None
    assert (file.client, file.path, file.size, file.modified_ms > 1_600_000_000_000) == ("c", given, 1, True)
    for path in (tmp_path, tmp_path / "missing", "", "a\0b"):
        assert session_file("c", str(path)) is None


def test_a_name_that_is_no_utf_8_is_found(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl")).write_text("x")
    assert len(found(tmp_path, 0)) == 1


def test_no_more_files_are_listed_than_anybody_has(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "FILES_MAX", 3)
    made(tmp_path, *(f"{number}.jsonl" for number in range(5)))
    assert len(found(tmp_path, 0)) == 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [("", "/home/u/.x"), ("  ", "/home/u/.x"), ("/else", "/else"), ("~/else", "/home/u/else"), ("~", "/home/u")],
)
def test_a_variable_names_another_folder(given, expected):
    assert folder_of(Path("/home/u"), {"X_HOME": given}, "X_HOME", ".x") == Path(expected)
    assert folder_of(Path("/home/u"), {}, "X_HOME", ".x") == Path("/home/u/.x")
