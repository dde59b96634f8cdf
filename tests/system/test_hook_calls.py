"""A client's hooks as calls of a tool over its session's own relay: no process, the same answers, never an error."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from claude_hooks import PALIMP
from daemon_asking import ask
from mcp_clients import BareClient
from retry_helper import KEEP, RENAMED, RETRY
from running_daemon import RunningDaemon, wait_until

from palimp_protocol.env import paths

TOOL = "hook_event"


class HookingClient(BareClient):
    """A client that calls the tool for each event, as Claude Code fills the template."""

    def __init__(self, env: dict[str, str], project: Path, session: str = "s1", patience: str = "100") -> None:
        super().__init__({**env, "PALIMP_HOOKS_PATIENCE": patience}, project)
        self.env, self.project, self.session, self._calls = env, project, session, 0
        self.initialize()

    def hook(self, event: str, **given: str) -> dict[str, Any]:
        """Call the tool; return what its text says, as JSON; nothing said is nothing."""
        self._calls += 1
        told = {"event": event, "session_id": self.session, "cwd": str(self.project), "transcript_path": "", **given}
        self.request(f"h{self._calls}", "tools/call", {"name": TOOL, "arguments": told})
        answer = self.answer(f"h{self._calls}")
        assert not answer["result"].get("isError")
        content = answer["result"]["content"]
        return json.loads(content[0]["text"])["hookSpecificOutput"] if content else {}

    def edit(self, use: str, old: str, new: str) -> dict[str, Any]:
        """Replace a text in the file, unless that is denied."""
        file = self.project / "client.py"
        given = {"file_path": str(file), "old_string": old, "new_string": new}
        told = {"tool_name": "Edit", "tool_use_id": use, "tool_input": json.dumps(given)}
        said = self.hook("PreToolUse", **told)
        if said.get("permissionDecision") != "deny":
            text = file.read_text()
            file.write_text(text.replace(old, new))
            self.hook("PostToolUse", **told, original_file=text)
        return said


@pytest.fixture
def client(daemon: RunningDaemon, project: Path):
    found = HookingClient(daemon.env, project)
    yield found
    found.close()


def test_the_tool_is_not_listed(client):
    client.request("l", "tools/list", {})
    assert TOOL not in [tool["name"] for tool in client.answer("l")["result"]["tools"]]


def test_a_prompt_brings_its_memory_once(client, env, project):
    ask(env, project, "save_memory", text="The ledger keeps integer cents, since floats lost a cent.", kind="decision")
    client.hook("UserPromptSubmit", prompt="hello")  # brings what the session's start would have brought
    said = client.hook("UserPromptSubmit", prompt="Why does the ledger keep integer cents?")
    assert "floats lost a cent" in said["additionalContext"]
    assert client.hook("UserPromptSubmit", prompt="Why does the ledger keep integer cents?") == {}


def test_removed_code_is_denied_once_and_its_record_survives(client, project):
    file = project / "client.py"
    file.write_text(KEEP + RETRY)
    client.edit("t1", RETRY, "")
    client.hook("Stop")
    other = HookingClient(client.env, project, "s2")
    said = other.edit("t2", KEEP, KEEP + RENAMED)
    assert said["permissionDecision"] == "deny"
    assert "reintroduces" in said["permissionDecisionReason"]
    again = other.edit("t3", KEEP, KEEP + RENAMED)
    assert "was let through" in again["additionalContext"]
    other.close()


def test_a_use_that_arrives_twice_is_handled_once(client, project):
    file = project / "client.py"
    file.write_text(KEEP + RETRY)
    client.edit("t1", RETRY, "")
    client.hook("Stop")
    other = HookingClient(client.env, project, "s2")
    given = {"file_path": str(file), "old_string": KEEP, "new_string": KEEP + RENAMED}
    told = {"tool_name": "Edit", "tool_use_id": "t2", "tool_input": json.dumps(given)}
    assert other.hook("PreToolUse", **told)["permissionDecision"] == "deny"
    assert other.hook("PreToolUse", **told) == {}
    other.close()


def test_a_prompt_that_arrives_over_two_servers_is_handled_once(client, env, project):
    """A plugin's and the user's are two; and the same prompt said again is another one."""
    ask(env, project, "save_memory", text="The ledger keeps integer cents, since floats lost a cent.", kind="decision")
    plugin = HookingClient(env, project)
    said = [each.hook("UserPromptSubmit", prompt="hello") for each in (client, plugin)]
    assert [bool(each) for each in said] == [True, False]
    plugin.close()


def test_without_a_daemon_nothing_is_said_and_the_record_waits(daemon, env, project):
    client = HookingClient(env, project, patience="1")
    file = project / "client.py"
    file.write_text(KEEP + RETRY)
    subprocess.run([*PALIMP, "stop"], env=env, check=True, capture_output=True)  # a hook alone has none started then
    assert client.hook("UserPromptSubmit", prompt="What did we decide?") == {}
    client.edit("t1", RETRY, "")
    spool = Path(paths.spool_directory(env))
    wait_until(lambda: any(spool.glob("*.json")), 60)


@pytest.mark.parametrize(
    "arguments", [None, {}, {"event": "Nonsense"}, {"event": 7}, {"event": "Stop", "session_id": []}]
)
def test_what_is_no_event_is_answered_with_nothing(client, arguments):
    client.request("x", "tools/call", {"name": TOOL, **({} if arguments is None else {"arguments": arguments})})
    assert client.answer("x")["result"]["content"] == []
