"""A stand-in for a client's session: it runs the real hook processes around real edits of real files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


class Agent:
    """A session that edits files in *folder* and runs palimp's hooks as Claude Code does."""

    def __init__(self, env: dict[str, str], folder: Path, session: str = "s1") -> None:
        # On a loaded machine a check that is late lets the edit through, as it should; these tests are not about that.
        self.env = {**env, "PALIMP_HOOKS_PATIENCE": "100"}
        self.folder = folder
        self.session = session
        self.transcript = folder.parent / f"{session}.jsonl"

    def hook(self, event: str, **given: Any) -> dict[str, Any]:
        """Run the hook of *event* and return what its output says; nothing printed is nothing."""
        told = {
            "session_id": self.session,
            "cwd": str(self.folder),
            "hook_event_name": event,
            "transcript_path": str(self.transcript),
            **given,
        }
        done = subprocess.run(
            [*PALIMP, "hook", event], env=self.env, input=json.dumps(told), capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}

    def start(self) -> str:
        """Start the session; return the context that it is given."""
        return self.hook("SessionStart", source="startup").get("additionalContext", "")

    def says(self, request: str, statement: str = "") -> None:
        """Write a request of the user and a statement of the agent to the transcript."""
        with self.transcript.open("a") as file:
            for kind, text in (("user", request), ("assistant", statement)):
                if text:
                    message = {"role": kind, "content": [{"type": "text", "text": text}]}
                    file.write(json.dumps({"type": kind, "message": message}) + "\n")

    def write(self, name: str, text: str) -> dict[str, Any]:
        """Write a file unless that is denied; return what the hook before it said."""
        return self._use("Write", {"file_path": str(self.folder / name), "content": text}, name, text)

    def edit(self, name: str, old: str, new: str) -> dict[str, Any]:
        """Edit a file unless that is denied; return what the hook before it said."""
        text = (self.folder / name).read_text()
        assert old in text
        given = {"file_path": str(self.folder / name), "old_string": old, "new_string": new}
        return self._use("Edit", given, name, text.replace(old, new, 1))

    def stop(self) -> None:
        """End the turn."""
        self.hook("Stop", stop_hook_active=False)

    def end(self) -> None:
        """End the session."""
        self.hook("SessionEnd", reason="exit")

    def _use(self, tool: str, given: dict[str, Any], name: str, text: str) -> dict[str, Any]:
        said = self.hook("PreToolUse", tool_name=tool, tool_input=given)
        if said.get("permissionDecision") != "deny":
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            self.hook("PostToolUse", tool_name=tool, tool_input=given, tool_response={})
        return said


def is_denied(said: dict[str, Any]) -> bool:
    """Tell whether an edit was denied."""
    return said.get("permissionDecision") == "deny"
