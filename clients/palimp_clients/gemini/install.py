"""Gemini CLI: server and hooks in `settings.json`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from palimp_clients.install.hooked_settings import HOOK_NAME, HookedSettings
from palimp_clients.install.npm_package import Version
from palimp_protocol.env.paths import home_directory

TOOLS: Final = "^(replace|write_file|read_file|run_shell_command)$"


def folder(env: Mapping[str, str]) -> Path:
    """Return Gemini CLI's folder."""
    return Path(env.get("GEMINI_CLI_HOME") or home_directory(env)) / ".gemini"


def _gemini_off(settings: Mapping[str, Any]) -> str:
    config = _object(settings, "hooksConfig")
    if config.get("enabled") is False:
        return "hooksConfig.enabled"
    disabled: Any = config.get("disabled")
    if isinstance(disabled, list) and HOOK_NAME in disabled:
        return "hooksConfig.disabled"
    return "tools.enableHooks" if _object(settings, "tools").get("enableHooks") is False else ""


def _object(settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    value: Any = settings.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


GEMINI: Final = HookedSettings(
    "gemini",
    folder,
    "gemini",
    "@google/gemini-cli",
    Version(0, 26, 0),
    {
        "SessionStart": "",
        "BeforeAgent": "",
        "BeforeTool": TOOLS,
        "AfterTool": TOOLS,
        "AfterAgent": "",
        "PreCompress": "manual",
        "SessionEnd": "",
    },
    _gemini_off,
)
"""PreCompress precedes every request, except when a person asks for it."""
