"""Gemini CLI, run offline with a key that nobody checks."""

import json
from pathlib import Path
from typing import Final

from client import RealClient, Step

MODEL: Final = "gemini-2.5-pro"

SETTINGS: Final = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def configure(home: Path, address: str) -> dict[str, str]:
    """Write the settings into *home*; return the variables that lead to the model at *address*."""
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(SETTINGS, indent=2) + "\n", encoding="utf-8")
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address}


def command(prompt: str) -> list[str]:
    """Return the command of a run without a terminal, in a folder that is trusted, with all tools allowed."""
    return ["gemini", "-m", MODEL, "--yolo", "--skip-trust", "-p", prompt]


def save(text: str) -> Step:
    """Return the step that saves *text*."""
    return {"tool": "mcp_palimp_save_memory", "input": {"text": text, "kind": "decision"}}


def write(path: Path, content: str) -> Step:
    """Return the step that writes a file."""
    return {"tool": "write_file", "input": {"file_path": str(path), "content": content}}


def edit(path: Path, old: str, new: str) -> Step:
    """Return the step that replaces *old* by *new* in a file."""
    asked = {"file_path": str(path), "instruction": "Change it.", "old_string": old, "new_string": new}
    return {"tool": "replace", "input": asked}


def shell(line: str) -> Step:
    """Return the step that runs *line*."""
    return {"tool": "run_shell_command", "input": {"command": line, "description": "Run it."}}


CLIENT: Final = RealClient(
    "gemini", "@google/gemini-cli@0.61.0", "gemini", configure, command, save, write, edit, shell=shell
)
