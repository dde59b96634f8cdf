"""Gemini CLI's and Qwen Code's hooks: real hook processes and a real daemon, told what the programs tell."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from claude_hooks import PALIMP
from mcp_clients import BareClient
from retry_helper import KEEP, RENAMED, RETRY
from running_daemon import wait_until

FACT: Final = "Guests keep their cart 14 days (`cart.py`)."
LEDGER: Final = "The ledger uses integer cents because floats lost a cent in March"
EVENTS: Final = {
    "gemini": {
        "prompt": "BeforeAgent",
        "before": "BeforeTool",
        "after": "AfterTool",
        "stop": "AfterAgent",
    },
    "qwen": {
        "prompt": "UserPromptSubmit",
        "before": "PreToolUse",
        "after": "PostToolUse",
        "stop": "Stop",
    },
}


class Session:
    """A session of Gemini CLI or of Qwen Code, which runs the hooks that are installed for it."""

    def __init__(self, env: dict[str, str], folder: Path, client: str, key: str) -> None:
        self.env = {**env, "PALIMP_HOOKS_PATIENCE": "100"}
        self.folder = folder
        self.client = client
        self.key = key
        self.uses = 0

    def hook(self, event: str, **given: Any) -> dict[str, Any]:
        """Run the hook of *event*, by the client's name of it, and return what it prints."""
        name = EVENTS[self.client].get(event, event)
        told = {"session_id": self.key, "cwd": str(self.folder), "hook_event_name": name, **given}
        done = subprocess.run(
            [*PALIMP, "hook", name, "--client", self.client],
            env=self.env,
            input=json.dumps(told),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return json.loads(done.stdout) if done.stdout else {}

    def start(self) -> str:
        """Start the session; return the context that it is given."""
        return context_in(self.hook("SessionStart", source="startup"))

    def asks(self, prompt: str) -> str:
        """Send a prompt; return the context that it is given."""
        return context_in(self.hook("prompt", prompt=prompt))

    def edits(self, name: str, old: str, new: str) -> tuple[str, str]:
        """Edit a file unless that is denied; return why it is, and what is told with the tool's answer."""
        tool = "replace" if self.client == "gemini" else "edit"
        path = self.folder / name
        asked = {"file_path": name if self.client == "gemini" else str(path), "old_string": old, "new_string": new}
        return self.uses_tool(tool, asked, lambda: path.write_text(path.read_text().replace(old, new, 1)))

    def reads(self, name: str) -> str:
        """Read a file; return what is told with the tool's answer."""
        path = name if self.client == "gemini" else str(self.folder / name)
        return self.uses_tool("read_file", {"file_path": path}, lambda: None)[1]

    def uses_tool(self, tool: str, asked: dict[str, Any], act: Any) -> tuple[str, str]:
        """Use a tool unless that is denied; return why it is, and what is told with its answer."""
        self.uses += 1
        told: dict[str, Any] = {"tool_name": tool, "tool_input": asked}
        if self.client == "qwen":
            told["tool_use_id"] = f"toolu_{self.uses}"
        said = self.hook("before", **told)
        assert "additionalContext" not in json.dumps(said)
        if denial := denial_in(said):
            return denial, ""
        act()
        return "", context_in(self.hook("after", **told, tool_response={"llmContent": "done", "returnDisplay": ""}))


def context_in(said: dict[str, Any]) -> str:
    """Return what is told the agent."""
    return said.get("hookSpecificOutput", {}).get("additionalContext", "")


def denial_in(said: dict[str, Any]) -> str:
    """Return why a tool's use is denied, in the words of either client; empty: it is not."""
    inner = said.get("hookSpecificOutput", {})
    is_denied = said.get("decision") == "deny" or inner.get("permissionDecision") == "deny"
    return said.get("reason", "") or inner.get("permissionDecisionReason", "") if is_denied else ""


@pytest.fixture(params=sorted(EVENTS))
def session(request, daemon, env, project: Path):
    """Makes sessions in the project."""
    return lambda key="s1": Session(env, project, request.param, key)


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs a command in the project; returns what it printed."""

    def run(*arguments: str, **more: str) -> str:
        done = subprocess.run(
            [*PALIMP, *arguments], env=env | more, cwd=project, capture_output=True, text=True, check=True
        )
        return done.stdout

    return run


def test_a_session_is_told_at_its_start_and_with_its_prompts(session, palimp):
    one = session()
    one.start()
    palimp("add", LEDGER)
    first = "Why does the ledger keep integer cents and not floats?"
    assert LEDGER in one.asks(f"<hook_context>what the start told</hook_context>\n\n{first}")
    assert one.asks("") == ""
    assert LEDGER in session("s2").start()
    [*found] = json.loads(palimp("sessions", "--json"))["sessions"]
    assert {each["client"] for each in found} == {one.client}


def test_removed_code_is_denied_once_with_its_reason_and_what_was_told_comes_after_it(session, palimp, project):
    (project / "a.py").write_text(KEEP + RETRY)
    one = session()
    one.start()
    assert one.edits("a.py", RETRY, "") == ("", "")
    one.hook("stop", stop_hook_active=False)
    wait_until(lambda: "watched" in palimp("changes", "log", "--json"), 20, lambda: "the edit was not recorded")
    two = session("s2")
    two.start()
    denial, _ = two.edits("a.py", "value + 1\n", "value + 1\n" + RENAMED)
    assert "reintroduces code that was removed" in denial
    assert (project / "a.py").read_text() == KEEP
    denial, told = two.edits("a.py", "value + 1\n", "value + 1\n" + RENAMED)
    assert denial == ""
    assert "let through" in told


def test_what_is_known_of_a_file_is_told_once_with_the_answer_of_the_tool(session, palimp, project):
    """Before it, neither client takes it."""
    (project / "cart.py").write_text("DAYS = 14\n")
    palimp("add", FACT)
    one = session()
    assert FACT in one.reads("cart.py")
    assert one.reads("cart.py") == ""


def test_a_compression_that_nobody_asked_for_is_nothing(session):
    one = session()
    assert one.hook("PreCompress" if one.client == "gemini" else "PreCompact", trigger="auto") == {}


def test_what_a_session_of_qwen_saved_itself_is_not_told_back_to_it(daemon, env, project, palimp):
    palimp("add", "The garden is watered on Fridays.")
    one = Session(env, project, "qwen", "q1")
    assert one.start()
    palimp("add", LEDGER, QWEN_CODE_SESSION_ID="q1")
    assert one.asks("Why does the ledger keep integer cents and not floats?") == ""


def tool_call_of_gemini(env: dict[str, str], project: Path) -> None:
    """Save a memory through the server, as Gemini CLI does: it names itself, and no session."""
    client = BareClient(env, project)
    params = {"protocolVersion": "2025-06-18", "capabilities": {}}
    client.request(0, "initialize", {**params, "clientInfo": {"name": "gemini-cli-mcp-client", "version": "0.61.0"}})
    client.answer(0)
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    client.call(1, "save_memory", text=LEDGER)
    assert "Saved" in json.dumps(client.answer(1))


def test_what_gemini_saves_through_the_server_is_of_the_session_that_hooks_tell_of(daemon, env, project, palimp):
    """If there is one; of two nobody can tell."""
    palimp("add", "The garden is watered on Fridays.")
    one = Session(env, project, "gemini", "g1")
    assert one.start()
    tool_call_of_gemini(env, project)
    assert one.asks("Why does the ledger keep integer cents and not floats?") == ""
    sessions = json.loads(palimp("sessions", "--json"))["sessions"]
    assert [(each["key"], each["client"]) for each in sessions] == [("g1", "gemini")]
