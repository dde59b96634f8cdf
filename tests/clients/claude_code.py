"""Claude Code: its command line and its tools. tests/system/real_client.py has more about it."""

from pathlib import Path
from typing import Final

from client import RealClient, Step
from scripted_models import claude_environment

ALLOWED: Final = "Bash,Read,Edit,Write,mcp__palimp__save_memory"


def configure(home: Path, address: str) -> dict[str, str]:
    """Return variables under which Claude Code talks to the scripted model, and to nobody else."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{\n  "cleanupPeriodDays": 30\n}\n', encoding="utf-8")
    return claude_environment(address)


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["claude", "-p", prompt, "--allowedTools", ALLOWED]


def save(text: str) -> Step:
    """The tool of palimp's server, under Claude Code's name for it."""
    return {"tool": "mcp__palimp__save_memory", "input": {"text": text, "kind": "decision"}}


def read(path: Path) -> Step:
    """Claude Code edits no file that the session has not read."""
    return {"tool": "Read", "input": {"file_path": str(path)}}


def write(path: Path, text: str) -> Step:
    """A whole new file."""
    return {"tool": "Write", "input": {"file_path": str(path), "content": text}}


def edit(path: Path, old: str, new: str) -> Step:
    """One text for another."""
    return {"tool": "Edit", "input": {"file_path": str(path), "old_string": old, "new_string": new}}


def shell(line: str) -> Step:
    """A command line."""
    return {"tool": "Bash", "input": {"command": line}}


CLIENT: Final = RealClient(
    "claude-code", "@anthropic-ai/claude-code@2.1.332", "claude", configure, command, save, write, edit, read, shell
)
