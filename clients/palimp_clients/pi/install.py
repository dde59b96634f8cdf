"""pi, in `PI_CODING_AGENT_DIR` or `~/.pi/agent`: server in `mcp.json`, and our extension."""

import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from palimp_clients.hooks.programs import CLIENT_VARIABLE
from palimp_clients.install.own_file import WithOwnFile
from palimp_clients.install.server_file import ServerFile
from palimp_clients.transcripts.folders import folder_of
from palimp_protocol.env.paths import home_directory

NAME: Final = "pi"

PROGRAM: Final = b'const PROGRAM = "palimp"\n'


def folder(env: Mapping[str, str]) -> Path:
    """Return pi's folder."""
    return folder_of(Path(home_directory(env)), env, "PI_CODING_AGENT_DIR", ".pi/agent")


def extension_text(programs: Path) -> bytes:
    """Return our file's text."""
    text = resources.files("palimp_clients.pi").joinpath("extension.js").read_bytes()
    # A JSON text is a JavaScript one, whatever the folder is called.
    named = f"const PROGRAM = {json.dumps(os.fspath(programs / 'palimp'))}\n".encode()
    return text.replace(PROGRAM, named, 1)


def _entry(relay: str, _: Mapping[str, str]) -> dict[str, Any]:
    return {"command": relay, "args": [], "env": {CLIENT_VARIABLE: NAME}}


PI: Final = WithOwnFile(
    NAME,
    ServerFile(folder, "mcp.json", "mcpServers", _entry),
    lambda env: folder(env) / "extensions" / "palimp.js",
    extension_text,
)
