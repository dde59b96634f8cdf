"""VS Code's own agent, by its documentation of 2026 (never run): hooks in our own file.

Copilot CLI runs `~/.copilot/hooks`, too, so the form suits both, and ours are silent there. A failing hook may deny, so
ours never fails.
"""

import json
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.own_file import WithOwnFile
from palimp_clients.install.server_file import ServerFile, in_config
from palimp_protocol.env.paths import home_directory

NAME: Final = "vscode"

EVENTS: Final = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact")
"""Hooked events, for all tools: matchers are ignored."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""


def hooks_file(env: Mapping[str, str]) -> Path:
    """Return our file."""
    return Path(home_directory(env)) / ".copilot" / "hooks" / "palimp-vscode.json"


def hooks_text(programs: Path) -> bytes:
    """Return our file's text."""
    program = shlex.quote(str(programs / "palimp"))
    hooks: dict[str, list[Any]] = {}
    for event in EVENTS:
        command = f"{program} hook {event} --client {NAME} 2>/dev/null || :"
        hooks[event] = [{"type": "command", "bash": command, "timeoutSec": HOOK_S}]
    return (json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n").encode()


def _stdio(relay: str, _: Mapping[str, str]) -> dict[str, Any]:
    return {"type": "stdio", "command": relay, "args": []}


VSCODE: Final = WithOwnFile(
    NAME, ServerFile(partial(in_config, "Code/User"), "mcp.json", "servers", _stdio), hooks_file, hooks_text
)
