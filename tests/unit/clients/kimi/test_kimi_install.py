"""Kimi Code's `config.toml` gets our hooks behind everything else, and loses them to the byte."""

import tomllib
from pathlib import Path

import pytest

from palimp_clients.install.toml_servers import TomlTextError
from palimp_clients.kimi.dialect import EVENTS
from palimp_clients.kimi.install import HOOKS, KIMI, with_hooks, without_hooks
from palimp_protocol.errors import PalimpError

PROGRAMS = Path("/opt/my programs")
OWN = '# mine\r\n[[hooks]]\r\nevent = "Stop"\r\ncommand = "say done"\r\n\r\n[loop_control]\r\nmax = 3\r\n'


@pytest.mark.parametrize("text", ["", "# mine\n", '[model]\nname = "x" # yes\n', OWN])
def test_hooks_are_there_once_and_go_again(text: str):
    installed = with_hooks(PROGRAMS, text.encode())
    assert with_hooks(PROGRAMS, installed) == installed
    assert installed.startswith(text.encode())
    hooks = tomllib.loads(installed.decode())["hooks"]
    ours = [each for each in hooks if "--client kimi" in each["command"]]
    assert [each["event"] for each in ours] == [*HOOKS]
    assert all(each["command"].startswith("'/opt/my programs/palimp' hook ") for each in ours)
    assert len(hooks) - len(ours) == text.count("[[hooks]]")
    assert without_hooks(installed) == text.encode()
    assert HOOKS.keys() == EVENTS


def test_hooks_of_another_installation_are_replaced():
    former = with_hooks(Path("/old"), OWN.encode())
    assert with_hooks(PROGRAMS, former) == with_hooks(PROGRAMS, OWN.encode())


def test_what_was_written_behind_ours_stays():
    installed = with_hooks(PROGRAMS, b"") + b'\n[[hooks]]\nevent = "Stop"\ncommand = "say done"\n'
    assert b"palimp" not in without_hooks(installed)
    assert tomllib.loads(without_hooks(installed).decode()) == {"hooks": [{"event": "Stop", "command": "say done"}]}


@pytest.mark.parametrize("text", ['hooks = [{ event = "Stop", command = "x" }]\n', "hooks = 3\n"])
def test_a_form_that_takes_no_more_is_left_and_the_lines_are_told(text: str):
    with pytest.raises(TomlTextError) as refused:
        with_hooks(PROGRAMS, text.encode())
    assert refused.value.lines.count("[[hooks]]") == len(HOOKS)


def test_a_file_that_is_no_toml_is_named_and_nothing_is_changed(tmp_path: Path):
    (tmp_path / "config.toml").write_text("[model\n")
    with pytest.raises(PalimpError, match=r"config\.toml cannot be changed"):
        KIMI.changes({"KIMI_CODE_HOME": str(tmp_path), "HOME": str(tmp_path)}, PROGRAMS)


def test_server_and_hooks_are_in_kimis_own_folder(tmp_path: Path):
    changes, _ = KIMI.changes({"HOME": str(tmp_path)}, PROGRAMS)
    assert [change.path for change in changes] == [
        tmp_path / ".kimi-code/mcp.json",
        tmp_path / ".kimi-code/config.toml",
    ]
    assert b'"PALIMP_CLIENT": "kimi"' in (changes[0].after or b"")
