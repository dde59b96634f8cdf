"""What a scenario must know of a real client to run it: how it is configured, started, and which tools it has."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenario import Stage

Step = dict[str, Any]
"""A step of the scripted model: `{"tool": name, "input": arguments}` or `{"text": what it says}`."""


@dataclass(frozen=True)
class RealClient:
    """A client's program, and how it talks to a scripted model."""

    name: str
    """As in `palimp install --client NAME`, and as `palimp sessions` shows it."""
    package: str
    """A package of npm with its exact version, `@openai/codex@0.171.0`, or of PyPI: `hermes-agent[mcp]==0.19.0`."""
    program: str
    """The program in `node_modules/.bin`."""
    configure: Callable[[Path, str], dict[str, str]]
    """(home, address of the model): writes the client's own settings; returns environment variables."""
    command: Callable[[str], list[str]]
    """The command of a headless run with that prompt, the program first."""
    save: Callable[[str], Step]
    """The step that saves a memory with that text through palimp's MCP server."""
    write: Callable[[Path, str], Step]
    """The step that writes a whole new file."""
    edit: Callable[[Path, str, str], Step]
    """The step that replaces a text in a file by another."""
    read: Callable[[Path], Step] | None = None
    """The step that reads a file, for clients that change none which the session has not read."""

    shell: Callable[[str], Step] | None = None
    """The step that runs a command, for clients that tell an agent something before it does."""
    connected: tuple[Step, ...] = ()
    """The steps that must come before a tool of palimp's server is called: it is waited for, and found."""
    also: Callable[["Stage", "RealClient"], str] | None = None
    """Plays what only this client has to be tried for, before palimp is uninstalled; returns what was seen."""
    tells_end: bool = True
    """Whether hooks hear of the end of a run without a terminal; else the next daemon looks through the session."""

    def reading(self, path: Path) -> list[Step]:
        """Return the steps that must come before *path* is changed."""
        return [self.read(path)] if self.read else []
