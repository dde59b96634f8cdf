"""Hooks are calls where the version knows them and commands where it does not, and each text goes back to its bytes."""

import json
from pathlib import Path

import pytest

from palimp_clients.claude_code.claude_hooks import HOOKS, has_calls, has_commands, with_hooks, without_hooks
from palimp_clients.install.npm_package import Version
from palimp_clients.installers import SETTLING

PROGRAMS = Path("/opt/über den/bin")
NEW, OLD = Version(2, 1, 118), Version(2, 1, 117)
TEXTS = [
    b"{}\n",
    '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sag »fertig«"}]}]}}'.encode(),
    b'{\n\t// quiet\n\t"hooks": {\n\t\t"PreToolUse": [],\n\t},\n}\n',
    b'{\r\n    "model": "opus"\r\n}\r\n',
]


def types(text: bytes) -> dict[str, str]:
    return {event: groups[-1]["hooks"][0]["type"] for event, groups in json.loads(text)["hooks"].items()}


def test_what_is_connected_is_called_and_the_two_ends_and_a_subagents_start_are_commands():
    found = types(with_hooks(PROGRAMS, NEW, b"{}\n"))
    assert found.keys() == HOOKS.keys()
    assert {event for event, kind in found.items() if kind == "command"} == {
        "SessionStart",
        "SessionEnd",
        "SubagentStart",  # whether the answer of a call reaches a subagent was not seen
    }
    assert "onFailure" not in with_hooks(PROGRAMS, NEW, b"{}\n").decode()


@pytest.mark.parametrize("version", [OLD, None, Version(1, 9, 999), Version(2, 0, 500)])
def test_older_and_unknown_versions_have_commands(version: Version | None):
    """One entry that they do not know makes them ignore the whole file."""
    assert set(types(with_hooks(PROGRAMS, version, b"{}\n")).values()) == {"command"}


def test_whoever_is_asked_of_a_template_finds_the_names_of_the_event_s_own_fields():
    told = json.loads(with_hooks(PROGRAMS, NEW, b"{}\n"))["hooks"]["PostToolUse"][0]["hooks"][0]["input"]
    assert told["event"] == "PostToolUse"
    assert told["original_file"] == "${tool_response.originalFile}"
    assert all(value == f"${{{key}}}" for key, value in told.items() if key not in {"event", "original_file"})


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("first", "then"), [(OLD, NEW), (NEW, OLD), (NEW, NEW), (OLD, OLD)])
def test_a_second_installation_switches_and_each_hook_is_there_once(text: bytes, first: Version, then: Version):
    fresh = with_hooks(PROGRAMS, then, text)
    switched = with_hooks(PROGRAMS, then, with_hooks(PROGRAMS, first, text))
    assert switched.count(b"hook_event") == fresh.count(b"hook_event")
    assert switched.count(b" hook ") == fresh.count(b" hook ")
    assert has_calls(switched) == (then == NEW)
    assert has_commands(switched) == (then == OLD)
    assert with_hooks(PROGRAMS, then, switched) == switched


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("version", [OLD, NEW])
def test_an_unknown_version_leaves_what_a_known_one_put_there(text: bytes, version: Version):
    """A shell without the program on its PATH says nothing of it."""
    installed = with_hooks(PROGRAMS, version, text)
    assert with_hooks(PROGRAMS, None, installed) == installed


@pytest.mark.parametrize("version", [OLD, NEW])
def test_what_is_not_ours_stays(version: Version):
    """Calls of other servers and tools, and groups that hold something else beside ours."""
    ours = {"type": "mcp_tool", "server": "palimp", "tool": "hook_event"}
    kept = [
        {"hooks": [{**ours, "server": "other"}]},
        {"hooks": [{**ours, "tool": "recall"}]},
        {"hooks": [ours, {"type": "command", "command": "sag es"}]},
        {"hooks": "?"},
        7,
    ]
    text = json.dumps({"hooks": {"Stop": kept}}).encode()
    assert json.loads(without_hooks(with_hooks(PROGRAMS, version, text))) == {"hooks": {"Stop": kept}}


@pytest.mark.parametrize(("value", "is_off"), [("true", True), ("false", False), ("null", False), ('"no"', False)])
def test_hooks_that_are_off_in_the_settings_are_said_to_be(tmp_path: Path, value: str, is_off: bool):
    """At the installation, and by the doctor for each client with such a switch."""
    folder = tmp_path / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(f'{{"disableAllHooks": {value}}}')
    env = {"HOME": str(tmp_path), "PATH": "/nowhere"}
    said = SETTLING["claude-code"].settle(env, PROGRAMS)
    assert any("disableAllHooks" in each for each in said) is is_off
    assert SETTLING["claude-code"].disuse_reason(env, PROGRAMS) == ("".join(said), is_off)
