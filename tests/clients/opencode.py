"""OpenCode, headless and offline against the scripted model."""

import json
from pathlib import Path
from typing import Final

from client import RealClient, Step

MODEL: Final = "scripted"


def _configure(home: Path, address: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{address}/v1", "apiKey": "x"},
        "models": {MODEL: {"name": "Scripted"}},
    }
    settings = {
        "provider": {MODEL: provider},
        "model": f"{MODEL}/{MODEL}",
        "small_model": f"{MODEL}/{MODEL}",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
    }
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opencode.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    switched_off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in switched_off}


def _command(prompt: str) -> list[str]:
    return ["opencode", "run", prompt]


def _save(text: str) -> Step:
    return {"tool": "palimp_save_memory", "input": {"text": text}}


def _write(path: Path, text: str) -> Step:
    return {"tool": "write", "input": {"filePath": str(path), "content": text}}


def _edit(path: Path, old: str, new: str) -> Step:
    return {"tool": "edit", "input": {"filePath": str(path), "oldString": old, "newString": new}}


CLIENT: Final = RealClient(
    name="opencode",
    package="opencode-ai@1.18.33",
    program="opencode",
    configure=_configure,
    command=_command,
    save=_save,
    write=_write,
    edit=_edit,
)
