"""What was stored reaches a terminal as text, whatever is in it."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent
from retry_helper import KEEP, RETRY
from running_daemon import wait_until

HOSTILE = "red \x1b[31;5mtext\x1b[0m, a title \x1b]0;owned\x07, a bell \x07 and a \x9b2J screen"


@pytest.fixture
def stored(daemon, env, project: Path) -> str:
    """A memory with terminal escapes in it, and code that had them and was taken out."""
    said = subprocess.run([*PALIMP, "add", HOSTILE, "--json"], env=env, cwd=project, check=True, capture_output=True)
    code = f'print_something_long_enough("{HOSTILE}", and_an_argument)\n'
    (project / "a.py").write_text("keep(1)\n" + code)
    one = Agent(env, project)
    one.edit("a.py", code, "")
    one.end()
    return json.loads(said.stdout)["id"]


def on_a_terminal(env: dict[str, str], folder: Path, *arguments: str) -> str:
    """Run `palimp` on a terminal of its own and return what arrives there."""
    parent, child = pty.openpty()
    try:
        with subprocess.Popen(
            [*PALIMP, *arguments], env={**env, "TERM": "xterm", "COLUMNS": "200"}, cwd=folder,
            stdin=child, stdout=child, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            os.close(child)
            child = -1
            data = b""
            while chunk := _read(parent):
                data += chunk
            process.wait()
    finally:
        os.close(parent)
        if child >= 0:
            os.close(child)
    return data.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""


@pytest.mark.parametrize(
    "command", [("show", ""), ("list",), ("changes", "show", "h1"), ("changes", "log"), ("context",)]
)
def test_no_escape_of_stored_text_arrives(stored, env, project, command):
    arguments = [argument or stored for argument in command]
    piped = subprocess.run(
        [*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False
    ).stdout
    assert "\x1b" not in piped
    shown = on_a_terminal(env, project, *arguments)
    for escape in ("\x1b[31;5m", "\x1b]0;", "\x07", "\x9b"):
        assert escape not in shown
    assert "a title" in shown


def test_scripts_get_what_was_stored(stored, env, project):
    done = subprocess.run([*PALIMP, "show", stored, "--json"], env=env, cwd=project, check=True, capture_output=True)
    assert json.loads(done.stdout)["memories"][0]["content"] == HOSTILE


def test_a_check_on_a_terminal_reads_the_file_itself(daemon, env, project: Path):
    (project / "a.py").write_text(KEEP + RETRY)
    one = Agent(env, project)
    one.edit("a.py", RETRY, "")
    one.stop()
    wait_until(lambda: "watched" in on_a_terminal(env, project, "changes", "show", "h1"), 60)
    below = project / "below"
    below.mkdir()
    (below / "b.py").write_text(RETRY)
    check = ["changes", "check", "--project", str(project)]
    assert "b.py: reintroduces h1" in on_a_terminal(env, below, *check, "b.py")
    assert on_a_terminal(env, below, *check, "none.py") == ""  # it says so on stderr, and not for ever
