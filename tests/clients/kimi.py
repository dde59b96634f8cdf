"""Kimi Code: its settings, its command line, its tools."""

from pathlib import Path
from typing import Final

from client import RealClient, Step
from scripted_models import MODEL


def configure(home: Path, address: str) -> dict[str, str]:
    """Write settings under which Kimi Code talks to the scripted model."""
    folder = home / ".kimi-code"
    folder.mkdir(parents=True)
    (folder / "mcp.json").write_text('{"mcpServers": {}}\n', encoding="utf-8")
    (folder / "config.toml").write_text("# mine\nmax_steps_per_turn = 40\n", encoding="utf-8")
    return {
        "KIMI_MODEL_NAME": MODEL,
        "KIMI_MODEL_API_KEY": "none",
        "KIMI_MODEL_BASE_URL": f"{address}/v1",
        "KIMI_MODEL_PROVIDER_TYPE": "openai",
    }


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["kimi", "-p", prompt]


def save(text: str) -> Step:
    """A call of palimp's tool."""
    return {"tool": "mcp__palimp__save_memory", "input": {"text": text, "kind": "decision"}}


def read(path: Path) -> Step:
    """A file's text, which Kimi wants to have been read before it is edited."""
    return {"tool": "Read", "input": {"path": str(path)}}


def write(path: Path, text: str) -> Step:
    """A whole file."""
    return {"tool": "Write", "input": {"path": str(path), "content": text}}


def edit(path: Path, old: str, new: str) -> Step:
    """Replace one text by another."""
    return {"tool": "Edit", "input": {"path": str(path), "old_string": old, "new_string": new}}


CLIENT: Final = RealClient(
    "kimi", "@moonshot-ai/kimi-code@2.1.0", "kimi", configure, command, save, write, edit, read, tells_end=False
)
