"""Cursor, by its documentation of 2026: hooks in `~/.cursor/hooks.json`. Ours never fail: a 2 would deny."""

import re
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.hook_groups import has_command, with_groups, without_groups
from palimp_clients.install.json_edit import value_at, with_member
from palimp_clients.install.json_structure import BOM
from palimp_clients.install.server_file import ServerFile, command_entry, in_home
from palimp_clients.install.servers_and_hooks import ServersAndHooks
from palimp_protocol.env.paths import home_directory

NAME: Final = "cursor"

HOOKS: Final[Mapping[str, str]] = {
    "sessionStart": "",
    "beforeSubmitPrompt": "",
    "preToolUse": "Shell|Read|Write|Delete",
    "postToolUse": "Shell|Delete",
    "postToolUseFailure": "Shell",
    "afterFileEdit": "",
    "stop": "",
    "preCompact": "",
    "sessionEnd": "",
}
"""Hooked events, each with a pattern of tools; `afterFileEdit` reports finished edits."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""

VERSION: Final = 1
"""Required version of the file's form."""

_OURS: Final = re.compile(r"palimp['\"]? hook \w+ --client cursor\b")


def with_hooks(programs: Path, text: bytes) -> bytes:
    """Return *text* with our hooks, each once.

    Raises:
        JsonTextError: *text* is no JSON, or has another type on the way.
    """
    if value_at(text, ("version",)) is None:
        text = with_member(text, ("version",), VERSION)
    program = shlex.quote(str(programs / "palimp"))
    return with_groups(text, {event: _hook(event, matcher, program) for event, matcher in HOOKS.items()}, _is_ours)


def without_hooks(text: bytes) -> bytes:
    """Return *text* without our hooks and their lists.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    return without_groups(text, _is_ours) if text.removeprefix(BOM).strip() else text


def _hook(event: str, matcher: str, program: str) -> dict[str, Any]:
    hook = {"command": f"{program} hook {event} --client {NAME} 2>/dev/null || :", "timeout": HOOK_S}
    return hook | {"matcher": matcher} if matcher else hook


def _is_ours(entry: Any) -> bool:
    return has_command(entry, _OURS)


def _hooks_file(env: Mapping[str, str]) -> Path:
    return Path(home_directory(env)) / ".cursor" / "hooks.json"


CURSOR: Final = ServersAndHooks(
    NAME,
    ServerFile(partial(in_home, ".cursor"), "mcp.json", "mcpServers", command_entry),
    _hooks_file,
    with_hooks,
    without_hooks,
)
