"""A home folder in which Claude Code keeps its own memory of projects, and what reads it there without a daemon."""

import json
import os
from functools import partial
from pathlib import Path

from request_contexts import NOON_MS

from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_in_memory
from palimp_daemon.store.store import Store
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.client_memories.daemon.project_notes import ClientMemories, NotesStore
from palimp_protocol.env.project_slugs import slug_of
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled


class ClaudeHome:
    """What Claude Code keeps in *home*, or in *config* where CLAUDE_CONFIG_DIR names that."""

    def __init__(self, home: Path, config: Path | None = None) -> None:
        self.home = home
        self.config = config or home / ".claude"

    def projects(self, root: Path | str) -> Path:
        """Return where it keeps what it knows of the project at *root*."""
        return self.config / "projects" / slug_of(str(root))

    def memory(self, root: Path | str) -> Path:
        """Return the folder of its memory of *root*, which is made."""
        folder = self.projects(root) / "memory"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def was_in(self, folder: Path | str, name: str = "s1") -> Path:
        """Have Claude Code been in *folder*: a transcript says so."""
        file = self.projects(folder) / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        first = {"type": "queue-operation", "content": "hello"}
        said = {"type": "user", "message": {"role": "user", "content": "hello"}, "cwd": str(folder)}
        file.write_text(f"{json.dumps(first)}\n{json.dumps(said)}\n")
        return file

    def note(self, root: Path | str, name: str, text: str, description: str = "", kind: str = "project") -> Path:
        """Write a note on *root* as Claude Code does."""
        file = self.memory(root) / f"{name}.md"
        front = f"name: {name}\ndescription: {description or name}\nmetadata:\n  node_type: memory\n  type: {kind}\n"
        file.write_text(f"---\n{front}---\n\n{text}\n")
        return file

    def forget(self, root: Path | str, name: str) -> None:
        """Delete a note on *root*."""
        (self.memory(root) / f"{name}.md").unlink()


class ReadNotes:
    """What reads these notes in a daemon; what is wrong in it is in *bugs*."""

    def __init__(self, home: Path, engine: str = "auto", **env: str) -> None:
        self.bugs: list[Exception] = []
        self.opened: list[Store] = []
        self.log = Log("critical")
        self.log.bug = self.bugs.append
        self.settings = Settings({"HOME": str(home), **env})
        stores = NotesStore(partial(self._open, engine), lambda: NOON_MS, lambda: 1)
        self.service = ClientMemories(stores, self.settings, Redactor(), self.log)

    def _open(self, engine: str) -> Store:
        self.opened.append(open_in_memory(engine))
        return self.opened[-1]

    async def recall(self, root: Path | str, **request) -> Recalled:
        """Return what *request* finds for somebody in the project at *root*."""
        return await self.service.recall(Recall(**request), caller_in(root))

    async def found(self, root: Path | str, query: str = "", **request) -> list[Memory]:
        """Return the notes that *query* finds; all where there is none."""
        kind = {} if query or "ids" in request else {"kind": "claude-memory"}
        return (await self.recall(root, query=query or None, **kind, **request)).memories

    async def titles(self, root: Path | str, query: str = "") -> list[str]:
        """Return the titles of what is found, in the order of the alphabet."""
        return sorted(memory.title for memory in await self.found(root, query))


def caller_in(root: Path | str, tree: Path | str = "") -> Caller:
    """Return somebody in the project at *root*."""
    return Caller(ProjectRef(str(root), Path(root).name, str(tree or root)))


def set_changed(file: Path, seconds: int) -> None:
    """Have *file* been changed so many *seconds* before noon."""
    at_ns = (NOON_MS // 1000 - seconds) * 10**9
    os.utime(file, ns=(at_ns, at_ns))
