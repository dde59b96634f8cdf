"""A text written in the user's editor is stored, or stays where it can be found."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_shim.cli.edit import edited_text

FORMER = "Retries are three.\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    """Returns the files that were left where texts are edited."""
    folder = tmp_path / "edited"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return lambda: sorted(folder.iterdir())


def editor(tmp_path: Path, does: str) -> dict[str, str]:
    """Return an environment whose editor does *does* to its file."""
    program = tmp_path / "editor"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o700)
    return {**os.environ, "VISUAL": "", "EDITOR": str(program)}


def test_what_is_stored_leaves_no_file(tmp_path: Path, files):
    with edited_text(FORMER, editor(tmp_path, 'sed -i s/three/five/ "$1"')) as text:
        assert text == "Retries are five.\n"
    assert files() == []


def test_a_text_that_the_daemon_does_not_take_stays_in_its_file(tmp_path: Path, files):
    with (
        pytest.raises(PalimpError) as failed,
        edited_text(FORMER, editor(tmp_path, 'sed -i s/three/five/ "$1"')),
    ):
        raise PalimpError(ErrorCode.UNREACHABLE, "Nobody answers.", "Look.")

    (kept,) = files()
    assert (failed.value.code, failed.value.text) == (ErrorCode.UNREACHABLE, "Nobody answers.")
    assert failed.value.hint == f"Look. What you wrote is in {kept}."
    assert kept.read_text() == "Retries are five.\n"


def test_an_interrupt_while_it_is_sent_loses_nothing(tmp_path: Path, files, capsys):
    with pytest.raises(KeyboardInterrupt), edited_text(FORMER, editor(tmp_path, 'sed -i s/three/five/ "$1"')):
        raise KeyboardInterrupt

    (kept,) = files()
    assert f"What you wrote is in {kept}." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("does", "said", "is_kept"),
    [
        (f"head -c {TEXT_CHARACTERS_MAX + 1} /dev/zero | tr '\\0' x > \"$1\"", "has more than", True),
        ("printf '\\377' > \"$1\"", "is no UTF-8 text (byte 1 of it)", True),
        (': > "$1"', "The text is blank", False),
        ("exit 3", "ended with 3", False),
        ('echo more >> "$1"; exit 3', "ended with 3", True),
    ],
)
def test_what_cannot_be_a_memory_is_said_and_not_lost(tmp_path: Path, files, does: str, said: str, is_kept: bool):
    with pytest.raises(PalimpError) as failed, edited_text(FORMER, editor(tmp_path, does)):
        pytest.fail("it was taken")

    assert said in failed.value.text
    assert [f"What you wrote is in {path}." in failed.value.hint for path in files()] == [True] * is_kept


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("", "No editor is set."), ("vim '", "quotation marks do not match"), ("/no/vi", "/no/vi cannot")],
)
def test_an_editor_that_cannot_be_run_is_said(files, wanted: str, said: str):
    with pytest.raises(PalimpError, match=said), edited_text(FORMER, {"EDITOR": wanted}):
        pytest.fail("it was run")
    assert files() == []
