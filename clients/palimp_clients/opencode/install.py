"""OpenCode: its plugin, our own `plugins/palimp.js` in its configuration folder."""

import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.own_file import WithOwnFile
from palimp_clients.install.server_file import ServerFile
from palimp_protocol.env.paths import config_home

NAME: Final = "opencode"

PROGRAM: Final = b'const PROGRAM = "palimp"\n'
"""The plugin's line with our program: on the PATH, unless an installation sets its path."""


def folder(env: Mapping[str, str]) -> Path:
    """Return OpenCode's configuration folder."""
    return Path(config_home(env)) / "opencode"


def plugin_file(env: Mapping[str, str]) -> Path:
    """Return our file."""
    return folder(env) / "plugins" / "palimp.js"


def plugin_text(programs: Path) -> bytes:
    """Return our file's text."""
    text = resources.files("palimp_clients.opencode").joinpath("plugin.js").read_bytes()
    # A JSON text is a JavaScript one, whatever the folder is called.
    named = f"const PROGRAM = {json.dumps(os.fspath(programs / 'palimp'))}\n".encode()
    return text.replace(PROGRAM, named, 1)


def skip_reasons(env: Mapping[str, str]) -> list[str]:
    """Return why OpenCode would not run our plugin."""
    is_pure = env.get("OPENCODE_PURE", "").lower() in ("1", "true")
    return ["OPENCODE_PURE is set: OpenCode runs no plugin, palimp's neither."] if is_pure else []


def entry(relay: str, _: Mapping[str, str]) -> dict[str, Any]:
    """Return our server's entry."""
    return {"type": "local", "command": [relay], "enabled": True}


OPENCODE: Final = WithOwnFile(
    NAME, ServerFile(folder, "opencode.json", "mcp", entry, "opencode.jsonc"), plugin_file, plugin_text, skip_reasons
)
