"""What keeps conversations, without a daemon: both stores, a person's switch, and transcripts to be read."""

import itertools
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import trio
import trio.testing
from new_stores import put_new_conversations, put_new_store
from request_contexts import NOON_MS

from palimp_clients.transcript_readers import client_of
from palimp_clients.transcripts.turn import SessionFile
from palimp_daemon.features.conversations.client_history import History
from palimp_daemon.features.conversations.commits import CommitMessages
from palimp_daemon.features.conversations.conversation_service import ROW_NAME_PREFIX, Conversations, ConversationStore
from palimp_daemon.features.conversations.erasing import ConversationErasures
from palimp_daemon.features.conversations.transcript_reading import Transcripts
from palimp_daemon.features.memories.hard_delete import HardDelete
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.sql import rows
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.ids import RANDOM_BITS
from palimp_daemon.store.opening import open_conversations, open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

PAUSE_S = 0.005
"""Seconds in which nothing happens here, since threads and other processes read."""


async def pause() -> None:
    """Leave the processor to whatever a test waits for."""
    await trio.testing.wait_all_tasks_blocked(PAUSE_S)


def entry(role: str, text: Any, at_ms: int | None = NOON_MS, folder: str = "", session: str = "") -> str:
    """Return a line of Claude Code's transcript; without a time where *at_ms* is None."""
    line: dict[str, Any] = {"type": role}
    if at_ms is not None:
        line["timestamp"] = f"2025-11-21T12:{at_ms // 60_000 % 60:02}:{at_ms // 1000 % 60:02}.{at_ms % 1000:03}Z"
    if folder:
        line["cwd"] = folder
    if session:
        line["sessionId"] = session
    return json.dumps({**line, "message": {"role": role, "content": text}}) + "\n"


def transcript(*texts: str, first: int = 0, **more: Any) -> str:
    """Return lines of the user and the agent by turns, a second from one to the next."""
    return "".join(
        entry("assistant" if place % 2 else "user", text, NOON_MS + place * 1000, **more)
        for place, text in enumerate(texts, first)
    )


def session_file(path: Path) -> SessionFile:
    """Return the session whose transcript is at *path*."""
    found, client = path.stat(), client_of(str(path))
    return SessionFile(client or "claude-code", str(path), found.st_size, found.st_mtime_ns // 1_000_000)


def _opened(path: Path) -> Store:
    """Open the conversations at *path*, new ones where there are none: like a daemon, not before they are needed."""
    if not path.exists():
        put_new_conversations(path)
    return open_conversations(path, "auto")


def write(file: Path, text: str | bytes | None) -> None:
    """Write *text* as the whole file; None: remove it."""
    if text is None:
        file.unlink()
    else:
        file.write_bytes(text.encode() if isinstance(text, str) else text)


class KeptConversations:
    """Conversations on an actor of their own in *folder*, as a daemon has them; what is set of it counts at once."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        if not (folder / "palimp.db").exists():
            put_new_store(folder / "palimp.db")
        self.env = {"HOME": str(folder), **env}
        self.path = folder / "conversations.db"
        self.off: set[str] = set()
        """Roots of projects that are switched off."""
        self.now_ms = NOON_MS
        bits = itertools.count(1)
        self.bugs: list[Exception] = []
        self.memories = Actor(partial(open_store, folder / "palimp.db", "auto"), self.bugs.append)
        log = Log("critical")
        log.bug = self.bugs.append  # what is logged as one is one
        self.conversations = Conversations(
            ConversationStore(
                self.path,
                partial(_opened, self.path),
                lambda: self.now_ms,
                lambda: next(bits) * 7_919_191 % 2**RANDOM_BITS,
            ),
            self.memories,
            Settings(self.env),
            log,
        )
        self.transcripts = Transcripts(
            self.conversations, lambda caller: bool(caller.project and caller.project.root in self.off), Redactor(), log
        )
        of_memories = HardDelete(self.memories, folder / "palimp.db", lambda: self.now_ms, lambda: next(bits))
        self.erasures = ConversationErasures(
            self.conversations, self.transcripts, of_memories, trio.lowlevel.checkpoint
        )
        self.history = History(self.conversations, self.transcripts, self.env, Redactor(), log)
        self.commits = CommitMessages(self.conversations, Redactor(), log)

    async def start(self, nursery: trio.Nursery) -> None:
        """Have everything run that runs in a daemon, except what is asked for in the background."""
        await nursery.start(self.memories.run)
        await nursery.start(self.conversations.run)
        nursery.start_soon(self.transcripts.run)

    def caller(self, project: str = "", session: str = "s1") -> Caller:
        """Return who asks from *project*."""
        root = project or str(self.folder / "project")
        return Caller(ProjectRef(root, Path(root).name), SessionRef(session, "claude-code"))

    async def read(self, path: Path, caller: Caller | None = None) -> int:
        """Read the transcript at *path* on."""
        return await self.transcripts.read(session_file(path), caller)

    async def texts(self) -> list[str]:
        """Return what is stored, in its order."""
        return [text for (text,) in await self.rows("SELECT content FROM memories ORDER BY seq")]

    async def folders(self) -> list[str]:
        """Return the folders of the projects that have turns or commits."""
        names = await self.rows("SELECT root FROM projects WHERE id IN (SELECT project_id FROM memories)")
        numbers = ", ".join(name.removeprefix(ROW_NAME_PREFIX) for (name,) in names)
        statement = f"SELECT root FROM projects WHERE id IN ({numbers})"
        return [root for (root,) in await self.memories.read(lambda store: rows(store.connection, statement))]

    async def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return what *statement* finds in the conversations' store."""

        def work(store: Store) -> list[tuple[Any, ...]]:
            return rows(store.connection, statement, values)

        return await self.conversations.ask(work)
