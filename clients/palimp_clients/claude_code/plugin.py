"""The Claude Code plugin and marketplace; `python -m palimp_clients.claude_code.plugin FOLDER` writes them.

For unknown machines: programs are on the PATH, hooks are silent without palimp, and are calls (2.1.118).
"""

import json
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from palimp_clients.claude_code.claude_hooks import HOOK_S, HOOKS, call, group
from palimp_clients.claude_code.install import TEXTS
from palimp_protocol import __version__

NAME: Final = "palimp"
FOLDER: Final = "plugins/palimp"
DESCRIPTION: Final = (
    "A memory that lasts, shared by your coding agents' sessions; and a guard against code that was removed."
)

SERVER: Final = "plugin:palimp:palimp"
"""A plugin's server, as Claude Code's hooks name it."""

RELAY: Final = "relay.sh"


def files() -> dict[str, str]:
    """Return plugin and marketplace, by path in a repository."""
    marketplace: dict[str, Any] = {
        "name": NAME,
        "owner": {"name": NAME},
        "metadata": {"description": DESCRIPTION, "version": __version__},
        "plugins": [{"name": NAME, "source": f"./{FOLDER}", "description": DESCRIPTION}],
    }
    manifest: dict[str, Any] = {
        "name": NAME,
        "version": __version__,
        "description": DESCRIPTION,
        "author": {"name": NAME},
        "license": "MIT",
        "keywords": ["memory", "mcp", "removed code"],
    }
    relay = {"type": "stdio", "command": "sh", "args": [f"${{CLAUDE_PLUGIN_ROOT}}/{RELAY}"]}
    hooks = {event: [group(event, call(event, SERVER) or _command(event))] for event in HOOKS}
    found = {
        ".claude-plugin/marketplace.json": _as_json_file(marketplace),
        f"{FOLDER}/.claude-plugin/plugin.json": _as_json_file(manifest),
        f"{FOLDER}/.mcp.json": _as_json_file({"mcpServers": {NAME: relay}}),
        f"{FOLDER}/{RELAY}": _asset("plugin_relay.sh"),
        f"{FOLDER}/hooks/hooks.json": _as_json_file({"description": DESCRIPTION, "hooks": hooks}),
    }
    for name, asset in TEXTS.items():
        found[f"{FOLDER}/{name}"] = _asset(asset)
    return found


def _command(event: str) -> dict[str, Any]:
    command = f"command -v palimp >/dev/null 2>&1 || exit 0; exec palimp hook {event}"
    return {"type": "command", "command": command, "timeout": HOOK_S}


def _asset(name: str) -> str:
    return resources.files("palimp_clients.claude_code").joinpath("assets", name).read_text(encoding="utf-8")


def _as_json_file(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write the files below *folder*."""
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
