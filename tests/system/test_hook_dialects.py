"""Hooks of every client through the real process: what is recorded, cut, of other types, or of nobody that is known."""

import json
import select
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from claude_hooks import PALIMP
from hook_inputs import FOLDERS, event_name, inputs_of
from running_daemon import RunningDaemon

from palimp_clients.dialects import CLIENTS
from palimp_protocol.env.paths import socket_path

STRANGERS: tuple[dict[str, Any], ...] = (
    {"agent_action_name": "pre_write_code", "trajectory_id": "t", "tool_info": {"file_path": "/größe.py"}},
    {"hook_event_name": "agentSpawn", "cwd": "/家", "prompt": "מחיר"},
    {"session_id": ["s"], "tool_name": "Edit"},
    {},
)
"""What other clients say (Windsurf, Kiro), and what nobody does."""


def recorded(client: str) -> list[Path]:
    """Return one input of each event that *client* was seen to tell of."""
    found: dict[str, Path] = {}
    for path in inputs_of(client):
        found.setdefault(event_name(path), path)
    return list(found.values())


def hook(env: dict[str, str], event: str, data: bytes, client: str = "") -> str:
    """Run the hook; return what it prints, which is nothing or an object on one line."""
    command = [*PALIMP, "hook", event, *(["--client", client] if client else [])]
    done = subprocess.run(command, env=env, input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    output = done.stdout.decode()
    assert output.count("\n") == (1 if output else 0)
    assert not output or isinstance(json.loads(output), dict)
    return output


@pytest.fixture
def listening(env: dict[str, str], home: Path):
    """A socket in the place of the daemon's, and the environment in which it is one."""
    path = Path(home, "listening")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield listener, {**env, "PALIMP_SOCKET": str(path)}


def is_asked(listener: socket.socket) -> bool:
    """Tell whether somebody connected, or waits to."""
    return bool(select.select([listener], [], [], 0.0)[0])


@pytest.mark.parametrize("told", STRANGERS, ids=str)
def test_of_a_dialect_that_nobody_speaks_the_daemon_is_not_asked(listening, told: dict[str, Any]):
    listener, env = listening
    assert hook(env, "PreToolUse", json.dumps(told).encode()) == ""
    assert not is_asked(listener)


def test_of_one_that_is_known_it_is(listening):
    """Or the test above would see nothing."""
    listener, env = listening
    hook(env, "PreToolUse", (FOLDERS / "claude_code/hooks/PreToolUse-edit.json").read_bytes())
    assert is_asked(listener)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_a_client_was_seen_to_say_is_answered_as_it_takes_it(env, client: str):
    RunningDaemon(env | {"PALIMP_HOOKS_PATIENCE": "100"}, is_forked=True).start()
    for path in recorded(client):
        hook(env | {"PALIMP_HOOKS_PATIENCE": "100"}, event_name(path), path.read_bytes(), client)


@pytest.mark.parametrize("client", CLIENTS)
def test_cut_and_mistyped_it_is_answered_with_nothing_that_is_wrong(env, client: str):
    path = recorded(client)[-1]
    event, whole = event_name(path), path.read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 4)):
        assert hook(env, event, whole[:end], client) == ""
    told = json.loads(whole)
    mistyped = {key: [None, 7, "\ud800", {"x": []}][number % 4] for number, key in enumerate(told)}
    for given in (mistyped, {**told, **{f"new{number}": "größe 🐨" for number in range(9)}}):
        assert hook(env, event, json.dumps(given).encode(), client) == ""


def test_a_name_of_no_client_says_what_to_do(env):
    command = [*PALIMP, "hook", "PreToolUse", "--client", "netscape"]
    done = subprocess.run(command, env=env, input="{}", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "--client NAME" in done.stderr
    assert not Path(socket_path(env, user_id=0)).exists()


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "SessionEnd"])
def test_of_an_agent_that_writes_codexs_own_memory_the_daemon_hears_nothing(listening, event: str):
    """It is no session of the user's, and its folder no project."""
    listener, env = listening
    folder = Path(env["HOME"], ".codex", "memories_v2")
    told = {
        "session_id": "w",
        "hook_event_name": event,
        "cwd": str(folder),
        "transcript_path": None,
        "prompt": "Tidy up.",
    }
    assert hook(env, event, json.dumps(told).encode(), "codex") == ""
    assert not is_asked(listener)
