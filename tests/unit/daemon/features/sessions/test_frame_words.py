"""The word of a project's frames: the same after a restart, another for each project and each user."""

import stat
from pathlib import Path

import pytest

from palimp_daemon.features.sessions.frame_words import KEY_BYTES, FrameWords
from palimp_protocol.messages.caller import Caller, ProjectRef

ONE = Caller(ProjectRef("/work/größe", "größe"))
OTHER = Caller(ProjectRef("/work/other", "other"))


def test_a_project_has_its_word_and_keeps_it_over_a_restart(tmp_path: Path):
    path = tmp_path / "key"
    words = FrameWords(path)
    found = [words.of(caller) for caller in (ONE, OTHER, Caller())]
    assert len(set(found)) == len(found)
    assert [FrameWords(path).of(caller) for caller in (ONE, OTHER, Caller())] == found
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_another_key_gives_another_word(tmp_path: Path):
    """Whoever knows the project's path does not know the word."""
    assert FrameWords(tmp_path / "a").of(ONE) != FrameWords(tmp_path / "b").of(ONE)


@pytest.mark.parametrize("data", [b"", b"no key\n", b"ab\n", b"\xff", b"a" * 10_000])
def test_a_file_that_is_no_key_is_replaced(tmp_path: Path, data: bytes):
    path = tmp_path / "key"
    path.write_bytes(data)
    word = FrameWords(path).of(ONE)
    assert len(bytes.fromhex(path.read_text().strip())) == KEY_BYTES
    assert FrameWords(path).of(ONE) == word


def test_where_nothing_can_be_written_the_word_lasts_as_long_as_the_daemon(tmp_path: Path):
    words = FrameWords(tmp_path / "is not there" / "key")
    assert words.of(ONE) == words.of(ONE)


def test_a_link_in_the_key_s_place_is_not_followed(tmp_path: Path):
    """Else another's file would be the key."""
    known = tmp_path / "known"
    known.write_text("00" * KEY_BYTES)
    (tmp_path / "key").symlink_to(known)
    FrameWords(tmp_path / "key").of(ONE)
    assert not (tmp_path / "key").is_symlink()
    assert known.read_text() == "00" * KEY_BYTES
