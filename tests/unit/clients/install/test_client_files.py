"""What an installation does to files, where a race or a lost journal matters."""

from pathlib import Path

import pytest

from palimp_clients.install.client_files import Change, apply, difference, undo
from palimp_protocol.errors import PalimpError


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "state")}


def without_ours(text: bytes) -> bytes:
    return text.replace(b"ours\n", b"")


def change(path: Path, before: bytes | None) -> Change:
    return Change(path, before, (before or b"") + b"ours\n", without_ours)


def test_what_the_client_writes_in_that_moment_is_not_lost(env, tmp_path: Path):
    """The file is looked at again before it is replaced."""
    path = tmp_path / "file"
    path.write_bytes(b"old\n")
    planned = change(path, b"old\n")
    path.write_bytes(b"new\n")

    with pytest.raises(PalimpError, match="just now"):
        apply([planned], "client", env)
    assert path.read_bytes() == b"new\n"


def test_without_a_journal_what_is_ours_is_taken_out_all_the_same(env, tmp_path: Path):
    """It says that it does not know what was there before."""
    path = tmp_path / "file"
    path.write_bytes(b"old\n")
    apply([change(path, b"old\n")], "client", env)
    (tmp_path / "state" / "install.json").unlink()

    (said,) = undo([Change(path, path.read_bytes(), None, without_ours)], "client", env)
    assert "were removed from it" in said
    assert path.read_bytes() == b"old\n"


def test_a_second_installation_keeps_what_was_there_before_the_first(env, tmp_path: Path):
    """Also when the first one's files were changed by others in between."""
    path = tmp_path / "file"
    path.write_bytes(b"old\n")
    apply([change(path, b"old\n")], "client", env)
    path.write_bytes(b"old\nours\nmore\n")
    apply([Change(path, b"old\nours\nmore\n", b"old\nmore\nours\n", without_ours)], "client", env)

    (said,) = undo([Change(path, path.read_bytes(), None, without_ours)], "client", env)
    assert "as it was" in said
    assert path.read_bytes() == b"old\nmore\n"


def test_a_broken_journal_stops_before_anything_is_touched(env, tmp_path: Path):
    """It may be all that knows what was there."""
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "install.json").write_text("{")

    with pytest.raises(PalimpError, match=r"install\.json"):
        apply([change(tmp_path / "file", None)], "client", env)
    assert not (tmp_path / "file").exists()


def test_a_difference_names_what_is_new(tmp_path: Path):
    """As `diff -u` does."""
    text = difference([change(tmp_path / "file", None)])

    assert text.splitlines()[:2] == ["--- /dev/null", f"+++ {tmp_path / 'file'}"]
    assert text.splitlines()[-1] == "+ours"
