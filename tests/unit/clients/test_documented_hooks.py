"""The hooks of clients that were not run, as their documentation has them; each text goes back to its bytes."""

import json
import subprocess
from pathlib import Path

import pytest

from palimp_clients.cursor import dialect as cursor_dialect
from palimp_clients.cursor import install as cursor
from palimp_clients.vscode import dialect as vscode_dialect
from palimp_clients.vscode import install as vscode

PROGRAMS = Path("/opt/über den/bin")
THEIRS = '{"version": 1, "hooks": {"stop": [{"command": "./sag-fertig.sh"}], "afterTabFileEdit": []}}'


@pytest.mark.parametrize("text", ["{}\n", '{"version": 1}', THEIRS, '{\r\n\t// 静か\r\n\t"hooks": {},\r\n}\r\n'])
def test_cursors_hooks_are_there_once_and_go_again(text: str):
    installed = cursor.with_hooks(PROGRAMS, text.encode())
    assert cursor.with_hooks(PROGRAMS, installed) == installed
    assert installed.count(b"--client cursor") == len(cursor.HOOKS)
    moved = cursor.with_hooks(Path("/elsewhere"), installed)
    assert moved.count(b"--client cursor") == len(cursor.HOOKS)
    assert b"/opt/" not in moved
    assert b"palimp" not in cursor.without_hooks(moved)
    if text == THEIRS:
        assert cursor.without_hooks(moved) == text.encode()
        assert json.loads(installed)["hooks"]["stop"][0] == {"command": "./sag-fertig.sh"}


def test_cursors_events_are_understood():
    assert cursor.HOOKS.keys() <= cursor_dialect.EVENTS.keys()
    assert json.loads(cursor.with_hooks(PROGRAMS, b"{}"))["version"] == 1


def test_vscodes_events_are_understood():
    text = vscode.hooks_text(PROGRAMS)
    hooks = json.loads(text)["hooks"]
    assert hooks.keys() <= vscode_dialect.EVENTS
    assert all(hook["bash"].endswith(" || :") for [hook] in hooks.values())


def test_the_commands_never_fail():
    """Both clients take some failures for a denial; the program is not even there."""
    file = json.loads(cursor.with_hooks(PROGRAMS, b"{}"))["hooks"]["preToolUse"][0]["command"]
    for command in (file, json.loads(vscode.hooks_text(PROGRAMS))["hooks"]["PreToolUse"][0]["bash"]):
        done = subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
