"""`palimp changes check FILE`: it checks the code on stdin, else the file, and never nothing."""

import argparse
import io
from pathlib import Path

import pytest
from fake_client import FakeClient

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.removed_code import ChangeChecked
from palimp_shim.cli import changes
from palimp_shim.cli.main import parser_for


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch):
    """Runs the command with something on stdin; returns the texts that were checked."""

    def call(file: Path, stdin: str) -> list[str]:
        client = FakeClient([ChangeChecked(returns=[], new_lines=2)])
        monkeypatch.setattr(changes, "Client", client)
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        options: argparse.Namespace = parser_for(["changes"]).parse_args(["changes", "check", str(file), "--global"])
        assert options.run(options, {}) == 0
        return [request.text for request in client.asked]

    return call


@pytest.mark.parametrize("nothing", ["", "\n", " \n\t\n"])
def test_where_nothing_comes_on_stdin_the_file_is_checked(check, tmp_path: Path, nothing: str, capsys):
    """As in a hook, in cron, or behind a pipe that is empty."""
    file = tmp_path / "ключ.py"
    file.write_text("def call_again():\n    pass\n")
    assert check(file, nothing) == ["def call_again():\n    pass\n"]
    assert "2 new lines checked" in capsys.readouterr().out


def test_code_on_stdin_is_checked_in_place_of_the_file(check, tmp_path: Path):
    assert check(tmp_path / "new.py", "x = 1\n") == ["x = 1\n"]


def test_where_there_is_nothing_to_check_that_is_an_error(check, tmp_path: Path):
    with pytest.raises(PalimpError, match="cannot be read"):
        check(tmp_path / "missing.py", "")
    (tmp_path / "empty.py").touch()
    with pytest.raises(PalimpError, match="is empty"):
        check(tmp_path / "empty.py", "")
