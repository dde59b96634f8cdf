"""VS Code and Cursor, as they are documented to run hooks: what one removed the other is kept from bringing back."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from retry_helper import KEEP, RENAMED, RETRY

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


@pytest.fixture
def hook(env, project: Path):
    """Runs a hook of a client as it does; returns what the client is told."""
    run = {"env": env | {"PALIMP_HOOKS_PATIENCE": "20"}, "cwd": project, "capture_output": True, "text": True}

    def tell(client: str, event: str, **told: Any) -> dict[str, Any]:
        about = {
            "vscode": {"sessionId": "v1", "hookEventName": event, "cwd": str(project)},
            "cursor": {"conversation_id": "c1", "hook_event_name": event, "workspace_roots": [str(project)]},
        }[client]
        command = [*PALIMP, "hook", event, "--client", client]
        done = subprocess.run(command, input=json.dumps({**about, **told}), check=True, **run)
        assert done.stderr == ""
        return json.loads(done.stdout or "{}")

    subprocess.run([*PALIMP, "add", "Guests keep their cart 14 days (`client.py`)."], check=True, **run)
    return tell


def test_what_one_removed_the_other_is_kept_from_bringing_back(hook, env, project: Path):
    """Both are told the session's context, each in its words, and are listed under their own names."""
    file = project / "client.py"
    file.write_text(KEEP + RETRY)
    assert "14 days" in hook("vscode", "SessionStart", source="new")["hookSpecificOutput"]["additionalContext"]
    removal = {"filePath": str(file), "oldString": RETRY, "newString": ""}
    used = {"tool_name": "replace_string_in_file", "tool_input": removal, "tool_use_id": "t1"}
    told = hook("vscode", "PreToolUse", **used)["hookSpecificOutput"]
    assert "14 days" in told["additionalContext"]
    assert "permissionDecision" not in told
    file.write_text(KEEP)
    assert hook("vscode", "PostToolUse", **used, tool_response="File edited") == {}
    assert hook("vscode", "Stop", stop_hook_active=False) == {}

    assert "14 days" in hook("cursor", "sessionStart")["additional_context"]
    assert hook("cursor", "beforeSubmitPrompt", prompt="Make calls more robust") == {}
    again = {"file_path": str(file), "old_string": KEEP, "new_string": KEEP + RENAMED}
    denied = hook("cursor", "preToolUse", tool_name="Write", tool_input=again, tool_use_id="u1")
    assert denied["permission"] == "deny"
    assert "reintroduces code that was removed" in denied["agent_message"]
    assert "permission" not in hook("cursor", "preToolUse", tool_name="Write", tool_input=again, tool_use_id="u2")

    listed = subprocess.run([*PALIMP, "sessions"], env=env, cwd=project, capture_output=True, text=True, check=True)
    assert {line.split("\t")[1] for line in listed.stdout.splitlines() if line} == {"vscode", "cursor"}
