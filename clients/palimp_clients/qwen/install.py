"""Qwen Code: server and hooks in `settings.json`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.hooked_settings import HookedSettings
from palimp_clients.install.npm_package import Version
from palimp_protocol.env.paths import home_directory

TOOLS: Final = "^(edit|write_file|notebook_edit|read_file|run_shell_command)$"


def folder(env: Mapping[str, str]) -> Path:
    """Return Qwen Code's folder."""
    return Path(env["QWEN_HOME"]) if env.get("QWEN_HOME") else Path(home_directory(env)) / ".qwen"


def _qwen_off(settings: Mapping[str, Any]) -> str:
    return "disableAllHooks" if settings.get("disableAllHooks") is True else ""


QWEN: Final = HookedSettings(
    "qwen",
    folder,
    "qwen",
    "@qwen-code/qwen-code",
    Version(0, 15, 0),
    {
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PreToolUse": TOOLS,
        "PostToolUse": TOOLS,
        "PostToolUseFailure": TOOLS,
        "Stop": "",
        "PreCompact": "",
        "SessionEnd": "",
    },
    _qwen_off,
)
"""Hooks are off in 0.12, and on in 0.15.10."""
