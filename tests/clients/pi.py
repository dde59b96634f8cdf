"""pi: its settings, its command line, its tools."""

import json
from pathlib import Path
from typing import Final

from client import RealClient, Step
from scripted_models import MODEL


def configure(home: Path, address: str) -> dict[str, str]:
    """Write settings under which pi talks to the scripted model."""
    folder = home / ".pi/agent"
    folder.mkdir(parents=True)
    limits = {"contextWindow": 128_000, "maxTokens": 4_096, "input": ["text"], "reasoning": False}
    model = {"id": MODEL, "name": MODEL, **limits}
    provider = {"baseUrl": f"{address}/v1", "api": "openai-completions", "apiKey": "none", "models": [model]}
    (folder / "models.json").write_text(json.dumps({"providers": {"local": provider}}), encoding="utf-8")
    (folder / "mcp.json").write_text('{"mcpServers": {}}\n', encoding="utf-8")
    return {"PI_OFFLINE": "1"}


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["pi", "-p", "--provider", "local", "--model", MODEL, prompt]


def save(text: str) -> Step:
    """A call of palimp's tool, in a script: pi declares no tool of a server."""
    given = json.dumps({"text": text, "kind": "decision"})
    return {"tool": "codemode", "input": {"code": f"return await tools.mcp__palimp__save_memory({given})"}}


def write(path: Path, text: str) -> Step:
    """A whole file."""
    return {"tool": "write", "input": {"path": str(path), "content": text}}


def edit(path: Path, old: str, new: str) -> Step:
    """Replace one text by another."""
    return {"tool": "edit", "input": {"path": str(path), "edits": [{"oldText": old, "newText": new}]}}


def shell(line: str) -> Step:
    """A command line."""
    return {"tool": "bash", "input": {"command": line}}


CLIENT: Final = RealClient(
    "pi", "@earendil-works/pi-coding-agent@1.6.0", "pi", configure, command, save, write, edit, shell=shell
)
