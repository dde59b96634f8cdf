"""Qwen Code, run offline against an endpoint of chat completions."""

import json
from pathlib import Path
from typing import Final

from client import RealClient, Step
from scripted_models import MODEL

SETTINGS: Final = {
    "security": {"auth": {"selectedType": "openai"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "$version": 4,
}
"""With the version that 0.24 writes, so that it leaves the file as it is."""


def configure(home: Path, address: str) -> dict[str, str]:
    """Write the settings into *home*; return the variables that lead to the model at *address*."""
    folder = home / ".qwen"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(SETTINGS, indent=2) + "\n", encoding="utf-8")
    return {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{address}/v1",
        "OPENAI_MODEL": MODEL,
        "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
    }


def command(prompt: str) -> list[str]:
    """Return the command of a run without a terminal, with all tools allowed."""
    return ["qwen", "--yolo", "-p", prompt]


def save(text: str) -> Step:
    """Return the step that saves *text*: a tool that is listed by name only, and called at once."""
    return {"tool": "mcp__palimp__save_memory", "input": {"text": text, "kind": "decision"}}


def write(path: Path, content: str) -> Step:
    """Return the step that writes a file."""
    return {"tool": "write_file", "input": {"file_path": str(path), "content": content}}


def edit(path: Path, old: str, new: str) -> Step:
    """Return the step that replaces *old* by *new* in a file."""
    return {"tool": "edit", "input": {"file_path": str(path), "old_string": old, "new_string": new}}


def read(path: Path) -> Step:
    """Return the step that reads a file: only what was read may be edited."""
    return {"tool": "read_file", "input": {"file_path": str(path)}}


def shell(line: str) -> Step:
    """Return the step that runs *line*."""
    return {"tool": "run_shell_command", "input": {"command": line, "description": "Run it.", "is_background": False}}


CLIENT: Final = RealClient(
    "qwen",
    "@qwen-code/qwen-code@0.24.4",
    "qwen",
    configure,
    command,
    save,
    write,
    edit,
    read=read,
    shell=shell,
    tells_end=False,
)
