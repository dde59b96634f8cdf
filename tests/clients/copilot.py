"""GitHub's Copilot CLI, with the tools that it offers to Claude's models (`create`, `edit`)."""

from pathlib import Path
from typing import Final

from client import RealClient, Step


def configure(home: Path, address: str) -> dict[str, str]:
    """Have Copilot talk to the scripted model, ask nothing, and reach for nothing else; it needs no file for that."""
    del home
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "COPILOT_ALLOW_ALL": "true",  # also trusts the folder
    }


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["copilot", "-p", prompt, "--allow-all-tools", "--no-color"]


def save(text: str) -> Step:
    """Copilot may defer the tools of MCP servers; a call of one is taken at once."""
    return {"tool": "palimp-save_memory", "input": {"text": text, "kind": "decision"}}


def write(path: Path, text: str) -> Step:
    """Only of files that are not there."""
    return {"tool": "create", "input": {"path": str(path), "file_text": text}}


def edit(path: Path, old: str, new: str) -> Step:
    """Replace one text by another."""
    return {"tool": "edit", "input": {"path": str(path), "old_str": old, "new_str": new}}


def shell(line: str) -> Step:
    """A command line."""
    return {"tool": "bash", "input": {"command": line, "description": "Run it"}}


CLIENT: Final = RealClient(
    "copilot", "@github/copilot@1.0.102", "copilot", configure, command, save, write, edit, shell=shell
)
