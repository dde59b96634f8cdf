"""The Claude Code plugin and its marketplace, made of what `palimp install` puts in place.

    python -m palimp_shim.install.plugin FOLDER    writes them; those in this repository are tested to be the same

A plugin is installed from a repository, onto machines that we do not know: its commands are found on the PATH, and
hooks of a machine where palimp is not installed say nothing.
"""

import json
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from palimp_protocol import __version__
from palimp_shim.install.claude_code import HOOK_S, HOOKS, TEXTS

NAME: Final = "palimp"
FOLDER: Final = "plugins/palimp"
DESCRIPTION: Final = (
    "A memory that lasts, shared by your coding agents' sessions; and a guard against code that was removed."
)

TOOLS: Final = ("mcp__palimp__", "mcp__plugin_palimp_palimp__")
"""How our tools are called with the user's own registration, and with a plugin's."""


def files() -> dict[str, str]:
    """Return the files of plugin and marketplace, by their paths in a repository."""
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
    server: dict[str, Any] = {"mcpServers": {NAME: {"type": "stdio", "command": "palimp-shim", "args": []}}}
    found = {
        ".claude-plugin/marketplace.json": _written(marketplace),
        f"{FOLDER}/.claude-plugin/plugin.json": _written(manifest),
        f"{FOLDER}/.mcp.json": _written(server),
        f"{FOLDER}/hooks/hooks.json": _written({"description": DESCRIPTION, "hooks": _hooks()}),
    }
    for name, asset in TEXTS.items():
        text = resources.files("palimp_shim").joinpath("assets", asset).read_text(encoding="utf-8")
        found[f"{FOLDER}/{name}"] = text.replace(*TOOLS)
    return found


def _hooks() -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for event, matcher in HOOKS.items():
        command = f"command -v palimp >/dev/null 2>&1 || exit 0; exec palimp hook {event}"
        group: dict[str, Any] = {"matcher": matcher} if matcher else {}
        groups[event] = [group | {"hooks": [{"type": "command", "command": command, "timeout": HOOK_S}]}]
    return groups


def _written(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write the files below *folder*."""
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
