"""`palimp changes check FILE`: it checks the file, with --stdin the code that is meant for it, and never nothing."""

import argparse
import io
from pathlib import Path

import pytest
from fake_client import FakeClient

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.removed_code import ChangeChecked
from palimp_shim.cli import command as commands
from palimp_shim.cli.main import parser_for


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch):
    """Runs the command with something on stdin; returns the texts that were checked, and what is left on stdin."""

    def call(file: Path, stdin: str, *options: str) -> tuple[list[str], str]:
        client = FakeClient([ChangeChecked(returns=[], new_lines=2)])
        monkeypatch.setattr(commands, "Client", client)
        monkeypatch.setattr("sys.stdin", given := io.StringIO(stdin))
        command = ["changes", "check", str(file), "--global", *options]
        parsed: argparse.Namespace = parser_for(["changes"]).parse_args(command)
        assert parsed.run(parsed, {}) == 0
        return [request.text for request in client.asked], given.read()

    return call


@pytest.mark.parametrize("stdin", ["", "\n", "second.py\nthird.py\n"])
def test_a_file_is_checked_whatever_stands_on_stdin(check, tmp_path: Path, stdin: str, capsys):
    """As in a hook, in cron, or in a shell's loop over names of files, whose input stays as it is."""
    file = tmp_path / "ключ.py"
    file.write_text("def call_again():\n    pass\n")
    assert check(file, stdin) == (["def call_again():\n    pass\n"], stdin)
    assert "2 new lines checked" in capsys.readouterr().out


def test_code_on_stdin_is_checked_for_a_file(check, tmp_path: Path):
    """Whether or not that is there."""
    assert check(tmp_path / "new.py", "x = 1\n", "--stdin") == (["x = 1\n"], "")


def test_where_there_is_nothing_to_check_that_is_an_error(check, tmp_path: Path):
    with pytest.raises(PalimpError, match="cannot be read") as missing:
        check(tmp_path / "missing.py", "x = 1\n")
    assert "--stdin" in missing.value.hint
    (tmp_path / "empty.py").touch()
    with pytest.raises(PalimpError, match="is empty"):
        check(tmp_path / "empty.py", "x = 1\n")
    with pytest.raises(PalimpError, match="Nothing came on stdin"):
        check(tmp_path / "empty.py", " \n", "--stdin")
