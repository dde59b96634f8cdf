"""The installable clients; those without hooks are lines of a table (documentation of 2026)."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from palimp_clients.claude_code import install as claude_code
from palimp_clients.codex.install import CODEX
from palimp_clients.copilot.install import COPILOT
from palimp_clients.cursor.install import CURSOR
from palimp_clients.droid.install import DROID
from palimp_clients.gemini.install import GEMINI
from palimp_clients.hermes.install import HERMES
from palimp_clients.install.client import Client, Settling
from palimp_clients.install.server_file import ServerFile, command_entry, in_config, in_home
from palimp_clients.kimi.install import KIMI
from palimp_clients.opencode.install import OPENCODE
from palimp_clients.pi.install import PI
from palimp_clients.qwen.install import QWEN
from palimp_clients.vscode.install import VSCODE


def _zed_entry(relay: str, _: Mapping[str, str]) -> dict[str, Any]:
    return {"command": relay, "args": [], "env": {}}


CLIENTS: Final[Mapping[str, Client]] = {
    claude_code.NAME: claude_code,
    "claude-desktop": ServerFile(
        partial(in_config, "Claude"), "claude_desktop_config.json", "mcpServers", command_entry
    ),
    CODEX.name: CODEX,
    COPILOT.name: COPILOT,
    CURSOR.name: CURSOR,
    DROID.name: DROID,
    GEMINI.name: GEMINI,
    HERMES.name: HERMES,
    KIMI.name: KIMI,
    OPENCODE.name: OPENCODE,
    PI.name: PI,
    QWEN.name: QWEN,
    VSCODE.name: VSCODE,
    "windsurf": ServerFile(partial(in_home, ".codeium/windsurf"), "mcp_config.json", "mcpServers", command_entry),
    "zed": ServerFile(partial(in_config, "zed"), "settings.json", "context_servers", _zed_entry),
}

SETTLING: Final[Mapping[str, Settling]] = {
    claude_code.NAME: claude_code,
    **{each.name: each for each in (CODEX, GEMINI, HERMES, OPENCODE, QWEN)},
}
"""Clients with something to do or to ask after the files are written."""
