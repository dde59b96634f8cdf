"""Factory droid: server in `mcp.json`, hooks in `settings.json`, both in `~/.factory`. Ours never fail."""

import re
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.hook_groups import group_of, with_groups, without_groups
from palimp_clients.install.json_structure import BOM
from palimp_clients.install.server_file import ServerFile, command_entry, in_home
from palimp_clients.install.servers_and_hooks import ServersAndHooks

NAME: Final = "droid"

HOOKS: Final[Mapping[str, str]] = {
    "SessionStart": "",
    "UserPromptSubmit": "",
    "PreToolUse": "Create|Edit|Read|Execute",
    "PostToolUse": "Create|Edit|Execute",
    "Stop": "",
    "PreCompact": "",
    "SessionEnd": "",
}
"""Hooked events, each with a pattern of tools."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""

_is_ours = group_of(re.compile(r"palimp['\"]? hook \w+ --client droid\b"))


def with_hooks(programs: Path, text: bytes) -> bytes:
    """Return *text* with our hooks, each once.

    Raises:
        JsonTextError: *text* is no JSON, or has another type on the way.
    """
    program = shlex.quote(str(programs / "palimp"))
    return with_groups(text, {event: _group(event, matcher, program) for event, matcher in HOOKS.items()}, _is_ours)


def without_hooks(text: bytes) -> bytes:
    """Return *text* without our hooks and their lists.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    return without_groups(text, _is_ours) if text.removeprefix(BOM).strip() else text


def _group(event: str, matcher: str, program: str) -> dict[str, Any]:
    command = f"{program} hook {event} --client {NAME} 2>/dev/null || :"
    hook = {"type": "command", "command": command, "timeout": HOOK_S}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _hooks_file(env: Mapping[str, str]) -> Path:
    return in_home(".factory", env) / "settings.json"


DROID: Final = ServersAndHooks(
    NAME,
    ServerFile(partial(in_home, ".factory"), "mcp.json", "mcpServers", command_entry),
    _hooks_file,
    with_hooks,
    without_hooks,
)
