"""Codex CLI: its settings, its command line, its tools."""

from pathlib import Path
from typing import Final

from client import RealClient, Step


def configure(home: Path, address: str) -> dict[str, str]:
    """Write settings under which Codex talks to the scripted model, asks nothing, and reports nothing."""
    folder = home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f"""\
# Written by a person.
model_provider = "scripted"
model = "gpt-5.5"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false
""",
        encoding="utf-8",
    )
    hooks = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n'
    (folder / "hooks.json").write_text(hooks, encoding="utf-8")
    return {"SCRIPTED_KEY": "x"}


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["codex", "exec", "--skip-git-repo-check", prompt]


def save(text: str) -> Step:
    """Codex defers the tools of all MCP servers; a call with the server's namespace is taken at once."""
    return {"tool": "save_memory", "namespace": "mcp__palimp", "input": {"text": text, "kind": "decision"}}


def write(path: Path, text: str) -> Step:
    """A patch that adds a file."""
    return _patch(f"Add File: {path}", *(f"+{line}" for line in text.splitlines()))


def edit(path: Path, old: str, new: str) -> Step:
    """A patch that takes the lines of *old* out and puts those of *new* in."""
    lines = [f"{mark}{line}" for mark, text in (("-", old), ("+", new)) for line in text.splitlines()]
    return _patch(f"Update File: {path}", "@@", *lines)


def shell(line: str) -> Step:
    """A command line."""
    return {"tool": "exec_command", "input": {"cmd": line}}


def _patch(header: str, *lines: str) -> Step:
    return {"tool": "apply_patch", "input": "\n".join(["*** Begin Patch", f"*** {header}", *lines, "*** End Patch"])}


CONNECTED: Final[tuple[Step, ...]] = (
    {"tool": "list_mcp_resources", "input": {"server": "palimp"}},  # Codex waits for the server that it is asked about
    {"tool": "tool_search", "input": {"query": "save a memory", "limit": 8}},
)

CLIENT: Final = RealClient(
    "codex", "@openai/codex@0.171.0", "codex", configure, command, save, write, edit, shell=shell, connected=CONNECTED
)
