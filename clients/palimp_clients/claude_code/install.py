"""Claude Code: MCP server in `.claude.json`, hooks in `settings.json`, a skill, two slash commands.

With `CLAUDE_CONFIG_DIR` all are there; else the first is in the home folder, the rest in `~/.claude`.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Final, cast

from palimp_clients.claude_code.claude_hooks import CALLS_SINCE, has_calls, has_commands, with_hooks, without_hooks
from palimp_clients.claude_code.claude_version import oldest
from palimp_clients.install.client_files import Change, is_ours, text_of
from palimp_clients.install.json_edit import items_at, value_at
from palimp_clients.install.json_servers import SERVER, edit_json_file, with_server, without_server
from palimp_clients.install.json_structure import JsonTextError
from palimp_protocol.env.paths import home_directory
from palimp_protocol.errors import PalimpError

NAME: Final = "claude-code"
ALLOWED: Final = ("mcp__palimp", "mcp__palimp__*")
"""Rules that allow all of palimp's tools: without and with a pattern."""

TEXTS: Final = {
    "skills/palimp/SKILL.md": "SKILL.md",
    "commands/recall.md": "recall.md",
    "commands/remember.md": "remember.md",
}

PLUGIN_TOO: Final = (
    "The plugin palimp is enabled, too: each hook would run twice. Keep one of them: `palimp uninstall`, or"
    " `/plugin disable palimp`."
)
OPEN_NOW: Final = (
    "Restart the Claude Code sessions that are open: they use the hooks already, but are not connected to palimp, and"
    " show an error for each of them until then."
)
ASKS_FOR_TOOLS: Final = (
    "Claude Code asks before it uses a tool of palimp for the first time. To allow all of them for good, add to {}:\n"
    '  "permissions": {{"allow": ["mcp__palimp"]}}\n'
    "`recall` also purges memories, so this allows agents to purge. `palimp list --purged` shows the purged ones first,"
    " `palimp restore ID` brings one back."
)
"""*{}* is the file of settings."""
TOO_OLD: Final = (
    "Claude Code {} does not know the kind of hooks that palimp has in {}, and so ignores all of that file, including"
    " your permissions and other hooks."
)
HOOKS_OFF: Final = "palimp's hooks are switched off, by disableAllHooks in {}."
COULD_CALL: Final = (
    "Claude Code {} can call palimp's hooks over its session's own connection; those in {} start a process for each."
)


def changes(env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
    """Return an installation's changes, and remarks."""
    said = [PLUGIN_TOO] if _has_plugin(text_of(settings_file(env)) or b"") else []
    entry: dict[str, Any] = {"type": "stdio", "command": str(programs / "palimp-shim"), "args": [], "env": {}}
    wanted = [
        edit_json_file(_server_file(env), partial(with_server, entry), without_server),
        edit_json_file(settings_file(env), partial(with_hooks, programs, oldest(env)), without_hooks),
    ]
    if not is_installed(env) and has_calls(wanted[1].after or b"{}"):
        said.append(OPEN_NOW)
    for name, asset in TEXTS.items():
        path = config_folder(env) / name
        data = text_of(path)
        text = resources.files("palimp_clients.claude_code").joinpath("assets", asset).read_bytes()
        if data is not None and data != text and not is_ours(path, data, NAME, env):
            said.append(f"{path} is yours, and stays as it is.")
            continue
        wanted.append(Change(path, data, text, bytes))
    return [change for change in wanted if change.before != change.after], said


def present(env: Mapping[str, str]) -> list[Change]:
    """Return the present files."""
    found: list[Change] = []
    for path, taken_out in ((_server_file(env), without_server), (settings_file(env), without_hooks)):
        found.append(Change(path, text_of(path), None, taken_out))
    for name in TEXTS:
        path = config_folder(env) / name
        found.append(Change(path, text_of(path), None, bytes))  # of a text of ours that was changed, nothing is ours
    return found


def is_installed(env: Mapping[str, str]) -> bool:
    """Tell whether the client knows our server."""
    try:
        return value_at(text_of(_server_file(env)) or b"{}", SERVER) is not None
    except JsonTextError:
        return False


def allows_tools(env: Mapping[str, str]) -> bool:
    """Tell whether the user's settings allow all palimp tools."""

    def are_allowed(text: bytes) -> bool:
        return any(rule in ALLOWED for rule in items_at(text, ("permissions", "allow")))

    return _told_of_settings(env, are_allowed)


def is_there(env: Mapping[str, str]) -> bool:
    """Tell whether the client was used here, or can be."""
    is_used = config_folder(env).is_dir() or _server_file(env).exists()
    return is_used or shutil.which("claude", path=env.get("PATH", os.defpath)) is not None


def settle(env: Mapping[str, str], programs: Path) -> list[str]:
    """Return why hooks are off."""
    return [why for why, _ in [disuse_reason(env, programs)] if why]


def disuse_reason(env: Mapping[str, str], programs: Path) -> tuple[str, bool]:
    """Return why hooks are off, certainly."""
    del programs
    is_off = _told_of_settings(env, lambda text: value_at(text, ("disableAllHooks",)) is True)
    return (HOOKS_OFF.format(settings_file(env)), True) if is_off else ("", False)


def ignores_settings(env: Mapping[str, str]) -> str:
    """Return a remark if that version ignores our settings, or empty."""
    version, path = oldest(env), settings_file(env)
    is_ignored = version is not None and version < CALLS_SINCE and _told_of_settings(env, has_calls)
    return TOO_OLD.format(version, path) if is_ignored else ""


def could_call(env: Mapping[str, str]) -> str:
    """Return a remark if command hooks of ours could be calls, or empty."""
    version, path = oldest(env), settings_file(env)
    is_slow = version is not None and version >= CALLS_SINCE and _told_of_settings(env, has_commands)
    return COULD_CALL.format(version, path) if is_slow else ""


def _told_of_settings(env: Mapping[str, str], question: Callable[[bytes], bool]) -> bool:
    try:
        return question(text_of(settings_file(env)) or b"{}")
    except (PalimpError, JsonTextError):
        return False  # it is said elsewhere


def _has_plugin(settings: bytes) -> bool:
    try:
        enabled = value_at(settings, ("enabledPlugins",)) if settings.strip() else None
    except JsonTextError:
        return False
    return isinstance(enabled, dict) and any(
        name.startswith("palimp@") and value is True for name, value in cast("dict[str, Any]", enabled).items()
    )


def config_folder(env: Mapping[str, str]) -> Path:
    """Return Claude Code's folder."""
    chosen = env.get("CLAUDE_CONFIG_DIR")
    return Path(chosen) if chosen else Path(home_directory(env)) / ".claude"


def _server_file(env: Mapping[str, str]) -> Path:
    chosen = env.get("CLAUDE_CONFIG_DIR")
    return (Path(chosen) if chosen else Path(home_directory(env))) / ".claude.json"


def settings_file(env: Mapping[str, str]) -> Path:
    """Return the user's settings file."""
    return config_folder(env) / "settings.json"
