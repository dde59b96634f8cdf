"""Clients' own memories: whether one is on, and its switch.

Seen in Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0 (no switch known) and Qwen Code 0.24.4.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from palimp_clients.claude_code import install as claude_code
from palimp_clients.codex.install import CODEX
from palimp_clients.gemini.install import GEMINI
from palimp_clients.hooks.event import mapping_of
from palimp_clients.install.client_files import text_of
from palimp_clients.install.json_edit import value_at
from palimp_clients.install.json_structure import JsonTextError
from palimp_clients.install.toml_servers import TomlTextError, parse_toml
from palimp_clients.qwen.install import QWEN
from palimp_clients.qwen.install import folder as qwen_folder
from palimp_clients.transcripts.folders import folder_of
from palimp_protocol.env.paths import home_directory
from palimp_protocol.errors import PalimpError


class OwnMemory(NamedTuple):
    """A client's own memory: setting, file, and default."""

    file: Callable[[Mapping[str, str]], Path]
    key: tuple[str, ...]
    is_on: bool
    switch: str
    """Text to write; empty: no switch is known."""


def _codex_file(env: Mapping[str, str]) -> Path:
    return folder_of(Path(home_directory(env)), env, "CODEX_HOME", ".codex") / "config.toml"


def _gemini_file(env: Mapping[str, str]) -> Path:
    return GEMINI.folder(env) / "settings.json"


def _qwen_file(env: Mapping[str, str]) -> Path:
    return qwen_folder(env) / "settings.json"


OWN_MEMORIES: Final[Mapping[str, OwnMemory]] = {
    claude_code.NAME: OwnMemory(
        claude_code.settings_file, ("autoMemoryEnabled",), is_on=True, switch='"autoMemoryEnabled": false'
    ),
    CODEX.name: OwnMemory(
        _codex_file, ("features", "memories"), is_on=False, switch="memories = false under [features]"
    ),
    GEMINI.name: OwnMemory(_gemini_file, (), is_on=True, switch=""),
    QWEN.name: OwnMemory(
        _qwen_file,
        ("memory", "enableManagedAutoMemory"),
        is_on=True,
        switch='"memory": {"enableManagedAutoMemory": false}',
    ),
}


def keeps_own_memory(client: str, env: Mapping[str, str]) -> bool:
    """Tell whether *client* keeps its own memory, by readable settings or default."""
    memory = OWN_MEMORIES.get(client)
    if memory is None:
        return False
    value = _value(memory.file(env), memory.key) if memory.key else None
    return value if isinstance(value, bool) else memory.is_on


def _value(file: Path, key: tuple[str, ...]) -> Any:
    try:
        text = text_of(file) or b""
        if file.suffix == ".toml":
            return mapping_of(parse_toml(text), key[0]).get(key[1])
        return value_at(text, key) if text.strip() else None
    except (PalimpError, JsonTextError, TomlTextError):
        return None
