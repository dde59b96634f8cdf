"""OpenCode: its settings, its command line, its tools."""

import json
from pathlib import Path
from typing import Final

from client import RealClient, Step


def configure(home: Path, address: str, model: str = "scripted") -> dict[str, str]:
    """Write settings under which OpenCode talks to the scripted model, asks nothing, and reaches for nothing else."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{address}/v1", "apiKey": "x"},
        "models": {model: {"name": "Scripted"}},
    }
    settings = {
        "provider": {"scripted": provider},
        "model": f"scripted/{model}",
        "small_model": f"scripted/{model}",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
    }
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")}


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["opencode", "run", prompt]


def save(text: str) -> Step:
    """A call of palimp's tool."""
    return {"tool": "palimp_save_memory", "input": {"text": text, "kind": "decision"}}


def write(path: Path, text: str) -> Step:
    """A whole file."""
    return {"tool": "write", "input": {"filePath": str(path), "content": text}}


def edit(path: Path, old: str, new: str) -> Step:
    """Replace one text by another."""
    return {"tool": "edit", "input": {"filePath": str(path), "oldString": old, "newString": new}}


def shell(line: str) -> Step:
    """A command line."""
    return {"tool": "bash", "input": {"command": line, "description": "Run it"}}


CLIENT: Final = RealClient(
    "opencode", "opencode-ai@1.18.33", "opencode", configure, command, save, write, edit, shell=shell
)
