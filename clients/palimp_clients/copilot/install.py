"""Copilot CLI: hooks in our own file, `hooks/palimp.json` in `~/.copilot` or COPILOT_HOME.

A failing hook denies the tool, so ours never fails, even without palimp.
"""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.own_file import WithOwnFile
from palimp_clients.install.server_file import ServerFile
from palimp_protocol.env.paths import home_directory

NAME: Final = "copilot"

EDITING: Final = "create|edit|str_replace|str_replace_editor|apply_patch"
HOOKS: Final[Mapping[str, str]] = {
    "sessionStart": "",
    "userPromptSubmitted": "",
    "preToolUse": f"{EDITING}|view|bash",
    "postToolUse": f"{EDITING}|bash",
    "postToolUseFailure": "bash",
    "agentStop": "",
    "subagentStart": "",
    "preCompact": "",
    "sessionEnd": "",
}
"""Hooked events, each with a pattern of tools."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""


def folder(env: Mapping[str, str]) -> Path:
    """Return Copilot CLI's folder."""
    chosen = env.get("COPILOT_HOME")
    return Path(chosen) if chosen else Path(home_directory(env)) / ".copilot"


def hooks_file(env: Mapping[str, str]) -> Path:
    """Return our file."""
    return folder(env) / "hooks" / "palimp.json"


def hooks_text(programs: Path) -> bytes:
    """Return our file's text."""
    program = shlex.quote(os.fspath(programs / "palimp"))
    hooks: dict[str, Any] = {}
    for event, matcher in HOOKS.items():
        command = f"{program} hook {event} --client {NAME} 2>/dev/null || :"
        entry: dict[str, Any] = {"type": "command", "bash": command, "timeoutSec": HOOK_S}
        hooks[event] = [({"matcher": matcher} if matcher else {}) | entry]
    return (json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n").encode()


def entry(relay: str, _: Mapping[str, str]) -> dict[str, Any]:
    """Return our server's entry."""
    return {"type": "local", "command": relay, "args": [], "tools": ["*"]}


COPILOT: Final = WithOwnFile(NAME, ServerFile(folder, "mcp-config.json", "mcpServers", entry), hooks_file, hooks_text)
