"""Gather a session's context from the store and git, within a budget.

It takes a tenth of a second at most: git runs in threads with a deadline, the store only reads.
"""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio

from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.memories.staleness import Staleness, Written
from palimp_daemon.features.recall.recall_in_tree import texts_of_tree
from palimp_daemon.features.removed_code.check import Checks
from palimp_daemon.features.sessions.before_compaction import known_before_compaction
from palimp_daemon.features.sessions.inbox import inbox_line, note_inbox_line
from palimp_daemon.features.sessions.moved_projects import ProjectMoves
from palimp_daemon.features.sessions.prompt_context import known_for_prompt, proposal_for_prompt
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.features.sessions.session_pointer import SessionPointers
from palimp_daemon.features.sessions.start_context import (
    known_at_start,
    only_news,
    standing_knowledge,
    told_of,
    with_remarks,
)
from palimp_daemon.features.sessions.subagent_pointer import pointer_line
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.git import GitError
from palimp_daemon.git.recent_work import STATUS_S, RecentWork, RecentWorkReader
from palimp_daemon.render.context_text import KnownAtStart, context_text
from palimp_daemon.render.prompted import Given, prompted_text
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import PATIENCE_S, Settings
from palimp_daemon.store.store import Store, ensure_project, ensure_session, project_row, session_row
from palimp_daemon.store.tables.memory_rows import Row, shown_id
from palimp_daemon.store.tables.rule_counts import forget_rules_told
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_daemon.store.tables.sessions.session_rows import (
    already_told,
    context_given,
    forget_injected,
    inherit_injected,
    note_context,
    note_injected,
    saved_by,
    session_forked,
)
from palimp_daemon.store.tables.team_heard import FROM_TEAM, authors_among
from palimp_daemon.store.tables.vector_rows import QueryVectors
from palimp_daemon.store.worker.group_commit import Job, read_job
from palimp_protocol.limits import CHARACTERS_PER_TOKEN, CONTEXT_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller

REMOVED_SINCE_MS: Final = 30 * 86_400_000
"""Milliseconds. Older removals are not mentioned at a session's start."""

REMOVED_ROWS: Final = 8

EMBEDDED_CHARACTERS: Final = 500
"""Characters of a prompt that are embedded: questions precede pasted text."""

QUERY_VECTORS_SHARE: Final = 0.5
"""Share of a prompt's time for its embedding, of a few milliseconds. While the embedder starts, only words are
searched; the next prompt finds it running."""

MEMORIES_SHARE: Final = 0.9
"""Share of a prompt's time for finding memories beside an earlier session, so that even on a busy machine, that session
is shown."""

COMPACTED: Final = "compact"
"""How a session restarts after a compaction: to its user it goes on."""

FORK: Final = "fork"
GOING_ON: Final = ("resume", FORK)
"""How a session starts if its client still has the former context."""

START_WAIT_S: Final = 0.03
PROMPT_WAIT_S: Final = 0.03
"""Seconds to wait for git to judge whether memories are current. Late results serve the next recall, so all memories
are checked."""

START_SHARE: Final = 0.5
"""Share of a prompt's time to wait for its session's start: Copilot CLI sends both at once."""

STALENESS_SHARE: Final = 0.2
"""Share of a prompt's time for the check by git."""

CHECKED_MAX: Final = 60
"""Memories of a starting session that are checked, the first."""


class TreeServices(NamedTuple):
    """The services for a working tree and its repository."""

    checks: Checks
    staleness: Staleness
    identities: Identities
    projects: ProjectMoves


class _Start(NamedTuple):
    text: str = ""
    told: Sequence[tuple[int, str]] = ()
    """The numbers of the memories in it, each with its reason."""


class TellingBefore(NamedTuple):
    """The memories a continued session was told before."""

    newest: int
    """The newest memory's number then."""
    seen: frozenset[int]
    """Memories shown to it since, and those it saved."""
    parent: int | None
    """The session it was forked from, which was told this; None: it was told itself."""

    def is_news(self, seq: int) -> bool:
        """Tell whether the session does not know memory *seq*."""
        return seq > self.newest and seq not in self.seen


class Contexts:
    """Gives sessions their context, at the start and with prompts."""

    def __init__(
        self,
        jobs: StoreJobs,
        tree: TreeServices,
        settings: Settings,
        semantic: Semantic | None,
        usage: UsageNotes,
        pointers: SessionPointers,
    ) -> None:
        self._usage = usage
        self._pointers = pointers
        self._actor = jobs.actor
        self._checks = tree.checks
        self._identities = tree.identities
        self._projects = tree.projects
        self._settings = settings
        self._semantic = semantic
        self._staleness = tree.staleness
        self._now_ms = jobs.now_ms
        self._work = RecentWorkReader(STATUS_S * settings.current(None).number("hooks.patience"))
        self._starting: dict[str, trio.Event] = {}
        """By key, events of sessions with a context being gathered; set at the end."""

    async def text(self, caller: Caller) -> str:
        """Return the context for a session, or an empty text."""
        return (await self._start(caller)).text

    async def _start(self, caller: Caller, told: TellingBefore | None = None, *, is_compacted: bool = False) -> _Start:
        values = await self._settings.of(caller, patience_s=PATIENCE_S)
        characters = min(values.number("mcp.context_tokens") * CHARACTERS_PER_TOKEN, CONTEXT_CHARACTERS_MAX)
        if not characters:
            return _Start()
        now_ms = self._now_ms()
        standing = self._actor.begin(read_job(partial(standing_knowledge, caller)))  # while git looks, too
        work = await self._recent_work(caller.tree)
        before = await self._actor.read(partial(known_before_compaction, caller)) if is_compacted else []
        known = await self._actor.read(partial(known_at_start, caller, await standing(), work, now_ms, before=before))
        if told is not None:
            known = only_news(known, told.is_news)
            if not (known.rules or known.matches or known.decisions or known.newest or known.summary):
                return _Start()
        known = with_remarks(known, await self._staleness.remarks(caller, _texts_to_check(known), START_WAIT_S))
        removed = (
            []
            if told
            else await self._checks.removed_lately(caller, work.files, now_ms - REMOVED_SINCE_MS, REMOVED_ROWS)
        )
        said = await self._said_of_folder(caller, is_empty=not known.total)
        inbox = await self._actor.read(partial(inbox_line, caller, now_ms))
        said = "\n".join(filter(None, (said, self._settings.switched_off(caller), inbox)))
        # What stands before it is of the same budget.
        left = max(0, characters - len(said) - 1) if said else characters
        context = context_text(known, removed, left, values.text("mcp.format"))
        text = f"{said}\n{context.text}".rstrip() if said else context.text
        return _Start(text, told_of(known, context.ids, has_summary=context.has_summary))

    async def _said_of_folder(self, caller: Caller, *, is_empty: bool) -> str:
        notice = await self._identities.confirm(caller)
        return notice if notice or not is_empty else await self._projects.offer(caller)

    async def _recent_work(self, tree: str) -> RecentWork:
        nothing = RecentWork("", [], [])
        if not tree:
            return nothing
        try:
            return await in_thread(partial(self._work.read, Path(tree)))
        except GitError:
            return nothing

    async def pointer(self, caller: Caller) -> str:
        """Return the line for a subagent at its start.

        Raises:
            PalimpError: the store cannot be used.
        """
        line = await self._actor.read(partial(pointer_line, caller))
        self._usage.note(caller, "subagent", line)
        return line

    async def at_start(self, caller: Caller, source: str, idle_s: float = 0.0) -> str:
        """Return the context for a starting session, and note it.

        A resumed session or a fork gets only others' later memories. A fork's parent was active *idle_s* seconds ago.
        """
        key, is_done = caller.session_key, trio.Event()
        self._starting[key] = is_done
        now_ms = self._now_ms()
        try:
            told = None
            if source in GOING_ON:
                last_ms = now_ms - int(1000 * idle_s)
                told = await self._actor.read(partial(_told_before, caller, last_ms, is_fork=source == FORK))
            start = await self._start(caller, told, is_compacted=source == COMPACTED)
            # Not waited for: what comes after it finds it done.
            self._actor.post(Job(partial(_note_context, caller, now_ms, start, told), is_write=True))
            if start.text:
                self._actor.post(Job(partial(note_inbox_line, caller, now_ms), is_write=True))
            self._usage.note(caller, "start", start.text)
            self._pointers.prepare()
            return start.text
        finally:
            is_done.set()
            if self._starting.get(key) is is_done:
                del self._starting[key]

    async def with_prompt(self, caller: Caller, prompt: str, left_s: float) -> str:
        """Return the text for *prompt*, after a missing context; the session waits *left_s* seconds."""
        values = await self._settings.of(caller, patience_s=PATIENCE_S)
        characters = min(values.number("mcp.context_tokens") * CHARACTERS_PER_TOKEN, CONTEXT_CHARACTERS_MAX)
        if not characters:
            return ""
        start = self._starting.get(caller.session.key) if caller.session else None
        if start is not None:
            with trio.move_on_after(START_SHARE * left_s):
                await start.wait()
        if not await self._actor.read(partial(_waits_for_context, caller)):
            return await self._for_prompt(caller, prompt, left_s)
        ends_at = trio.current_time() + MEMORIES_SHARE * left_s
        context, needed = await self.at_start(caller, "startup"), ""
        with trio.move_on_at(ends_at):
            needed = await self._for_prompt(caller, prompt, max(0.0, ends_at - trio.current_time()))
        return "\n".join(filter(None, (context, needed)))

    async def _for_prompt(self, caller: Caller, prompt: str, left_s: float) -> str:
        now_ms = self._now_ms()
        rows: list[Row] = []
        query_vectors: QueryVectors = ()
        ends_at = trio.current_time() + MEMORIES_SHARE * left_s
        session = await self._pointers.begin(caller, prompt)  # while the prompt is embedded, too
        with trio.CancelScope(deadline=ends_at if session else math.inf):
            query_vectors = await self._query_vectors(prompt, QUERY_VECTORS_SHARE * left_s)
            rows = await self._actor.read(partial(known_for_prompt, caller, prompt, query_vectors, now_ms))
        if not rows:
            find = partial(proposal_for_prompt, caller, prompt, query_vectors, now_ms)
            line = await self._pointers.line(caller, session, lambda told: self._actor.read(partial(find, told)))
            self._usage.note(caller, "prompt" if line else "silent", line)
            return line
        remarks = await self._staleness.remarks(
            caller, texts_of_tree(rows), min(PROMPT_WAIT_S, STALENESS_SHARE * left_s)
        )
        is_from_team = any(row.source == FROM_TEAM for row in rows)
        authors = await self._actor.read(partial(authors_among, memories=rows)) if is_from_team else {}
        given = [_given_row(row, remarks.get(shown_id(row), ""), authors.get(row.seq, "")) for row in rows]
        text = prompted_text(given)
        self._actor.post(Job(partial(_note_given, caller, now_ms, [row.seq for row in rows]), is_write=True))
        self._usage.note(caller, "prompt", text)
        return text

    async def _query_vectors(self, prompt: str, wait_s: float) -> QueryVectors:
        text = prompt[:EMBEDDED_CHARACTERS].strip()
        if not self._semantic or not text or not self._semantic.understands(text):
            return ()
        return (await self._semantic.query_vectors_of(text, wait_s, by_all=True)).vectors


def _texts_to_check(known: KnownAtStart) -> list[Written]:
    entries = (*known.rules, *known.session, *known.decisions, *known.matches, *known.newest)
    told = [entry for entry in entries if entry.whole][:CHECKED_MAX]
    return [Written(entry.id, f"{entry.title}\n{entry.whole}", entry.created_at) for entry in told]


def _given_row(row: Row, stale: str, author: str) -> Given:
    return Given(shown_id(row), row.kind, row.title, row.content, row.created_at, stale, author)


def _told_before(caller: Caller, last_ms: int, store: Store, *, is_fork: bool) -> TellingBefore | None:
    """Return a resumed session's state, or a fork's parent's: the one active nearest to *last_ms*."""
    project = project_row(store, caller)
    if project is None or caller.session is None:
        return None
    own = session_row(store, caller, project)
    parent = None
    if is_fork and (own is None or context_given(store, own) is None):
        parent = session_forked(store, project, caller.session.client, last_ms)
    known = own if parent is None else parent
    newest = None if known is None else context_given(store, known)
    if known is None or newest is None:
        return None
    seen = already_told(store, known) | saved_by(store, [each for each in (own, parent) if each is not None], newest)
    return TellingBefore(newest, frozenset(seen), parent)


def _waits_for_context(caller: Caller, store: Store) -> bool:
    project = project_row(store, caller)
    if project is None:
        return False
    session = session_row(store, caller, project)
    return session is None or context_given(store, session) is None


def _note_context(caller: Caller, now_ms: int, start: _Start, told: TellingBefore | None, store: Store) -> None:
    project = project_row(store, caller)
    if project is None:
        return  # nothing was ever saved in it: no need of a row for it
    session = ensure_session(store, caller, project, now_ms)
    if session is None:
        return
    note_context(store, session, now_ms)
    if told is None and start.text:
        forget_injected(store, session)
        forget_rules_told(store, session)
    if told is not None and told.parent is not None:
        inherit_injected(store, session, told.parent)
    note_given(store, session, "start", start.told, now_ms)


def _note_given(caller: Caller, now_ms: int, seqs: Sequence[int], store: Store) -> None:
    session = ensure_session(store, caller, ensure_project(store, caller, now_ms), now_ms)
    if session is not None:
        note_injected(store, session, seqs)
        note_given(store, session, "prompt", [(seq, "") for seq in seqs], now_ms)
