"""Hermes: its settings, its command line, its tools."""

from pathlib import Path
from typing import Final

from client import RealClient, Step


def configure(home: Path, address: str, model: str = "scripted") -> dict[str, str]:
    """Write settings under which Hermes talks to the scripted model."""
    folder = home / ".hermes"
    folder.mkdir(parents=True)
    # It waits 1.5 s for servers, which a busy machine may need for its own start; `hermes -z` waits for none.
    provider = f"  default: {model}\n  provider: custom\n  base_url: {address}/v1\n  api_key: none\n"
    settings = f"# mine\nmodel:\n{provider}mcp_discovery_timeout: 60\n"
    (folder / "config.yaml").write_text(settings, encoding="utf-8")
    return {}


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal; nobody is there to agree to hooks."""
    return ["hermes", "chat", "-Q", "-q", prompt, "--yolo", "--accept-hooks"]


def save(text: str) -> Step:
    """A call of palimp's tool."""
    return {"tool": "mcp__palimp__save_memory", "input": {"text": text, "kind": "decision"}}


def write(path: Path, text: str) -> Step:
    """A whole file."""
    return {"tool": "write_file", "input": {"path": str(path), "content": text}}


def edit(path: Path, old: str, new: str) -> Step:
    """Replace one text by another."""
    return {"tool": "patch", "input": {"path": str(path), "old_string": old, "new_string": new}}


CLIENT: Final = RealClient(
    "hermes", "hermes-agent[mcp]==0.19.0", "hermes", configure, command, save, write, edit, tells_end=False
)
