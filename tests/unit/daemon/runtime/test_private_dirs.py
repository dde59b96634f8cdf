"""Folders of ours are closed to others; nobody else's is."""

from pathlib import Path

import pytest

from palimp_daemon.runtime.private_dirs import OpenFolderError, make_private


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_a_new_folder_is_private(tmp_path: Path):
    make_private(tmp_path / "a" / "b")
    assert mode_of(tmp_path / "a" / "b") == 0o700


@pytest.mark.parametrize(
    "names", [[], ["palimp.db", "palimp.db-wal", "palimpd.log", "http.token", "spool", "install.json"]]
)
def test_one_that_holds_nothing_but_ours_is_closed(tmp_path: Path, names: list[str]):
    for name in names:
        (tmp_path / name).touch()
    tmp_path.chmod(0o777)
    make_private(tmp_path)
    assert mode_of(tmp_path) == 0o700


@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o1755, 0o711])
def test_one_with_other_things_stays_as_it_is(tmp_path: Path, mode: int):
    """Such as /tmp, or the user's home folder."""
    (tmp_path / "palimp.db").touch()
    (tmp_path / "somebody's").touch()
    tmp_path.chmod(mode)
    make_private(tmp_path)
    assert mode_of(tmp_path) == mode


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_one_out_of_which_others_could_take_our_files_is_refused(tmp_path: Path, mode: int):
    (tmp_path / "somebody's").touch()
    tmp_path.chmod(mode)
    with pytest.raises(OpenFolderError, match="chmod go-w"):
        make_private(tmp_path)
    assert mode_of(tmp_path) == mode
