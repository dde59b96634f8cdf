"""Store captured memories, if new, and the session's summary.

They are proposals until confirmed, or said again in another session, unless the user asked for them.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from palimp_clients.transcripts.whole_lines import MESSAGE_LINE_BYTES_MAX
from palimp_daemon.features.capture.extract import Extract
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.features.memories.save import Draft, draft, new_memory
from palimp_daemon.search.differences import say_the_same
from palimp_daemon.search.minhash import words_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, ensure_project, ensure_session
from palimp_daemon.store.tables.memory_rows import Row, insert, replace_text, rows_by_seq
from palimp_daemon.store.tables.proposals import CAPTURED, confirm, propose, texts_saved_in
from palimp_daemon.store.tables.removed_code.reintroduced import count
from palimp_daemon.store.tables.search.signatures import insert_signatures, similar_memories
from palimp_daemon.store.tables.sessions.session_rows import note_captured
from palimp_daemon.store.tables.sessions.transcript_rows import Transcript, is_new_quote, keep_transcript, summary_of
from palimp_daemon.store.tables.team_erased import is_text_erased
from palimp_daemon.store.tables.wishes import wish
from palimp_daemon.text.everywhere import is_for_all_projects
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.session_messages import Captured, CapturedMemory
from palimp_protocol.text import count_of

SAVED_WORDS_MIN: Final = 0.6
"""Share of the shorter text's words from which a captured text repeats a memory that the session's agent saved."""

SAVED_MAX: Final = 50
"""Memories compared per session; few sessions save as many."""


class Stage(Enum):
    """A session's stage at capture."""

    GOES_ON = auto()
    """Turns were taken; more follow."""
    PAUSES = auto()
    """Compacted, ending, or asked for: the summary is due. More may follow."""
    OVER = auto()
    """No more is expected; all due work is done, the summary too."""


class CaptureResult(NamedTuple):
    """The result of capturing a conversation."""

    extracts: Sequence[Extract]
    messages: int
    transcript: Transcript | None = None
    """How far the session's transcript was read; None: another text."""
    stage: Stage = Stage.GOES_ON
    too_long: int = 0
    """Lines of the transcript skipped for their length."""


def keep_gathered(context: RequestContext, gathered: CaptureResult, redact: Redactor) -> Captured:
    """Store the new part of *gathered*."""
    with recording(context, "capture"):
        return _keep_gathered(context, gathered, redact)


def _keep_gathered(context: RequestContext, gathered: CaptureResult, redact: Redactor) -> Captured:
    project = ensure_project(context.store, context.caller, context.now_ms)
    session = ensure_session(context.store, context.caller, project, context.now_ms)
    made: list[CapturedMemory] = []
    known = 0
    for extract in gathered.extracts:
        memory = _keep_extract(context, project, session, extract, redact)
        if memory:
            made.append(memory)
        else:
            known += 1
    if session is not None and gathered.transcript:
        keep_transcript(context.store, session, gathered.transcript)
        note_captured(context.store, session, is_last=gathered.stage is Stage.OVER)
        is_due = gathered.stage is not Stage.GOES_ON
        if is_due and (summary := _keep_summary(context, project, session, gathered.transcript, redact)):
            made.append(summary)
    notes: list[str] = []
    for _ in range(gathered.too_long):
        count(context.store, "messages_too_long")
    if gathered.too_long:
        most = MESSAGE_LINE_BYTES_MAX // (1024 * 1024)
        notes.append(f"{count_of(gathered.too_long, 'line')} of the transcript passed over: more than {most} MiB each.")
    return Captured(memories=made, messages=gathered.messages, known=known, notes=notes)


def _keep_extract(
    context: RequestContext, project: int, session: int | None, extract: Extract, redact: Redactor
) -> CapturedMemory | None:
    quote = redact(extract.quote).strip()
    if not quote or not is_new_quote(context.store, project, quote):
        return None
    asked = SaveMemory(text=extract.text, title=extract.title or None, kind=extract.kind, source=CAPTURED)
    memory = draft(redact, asked)
    if is_text_erased(context.store, memory.content):
        return None
    similar = similar_memories(context.store, project, memory.words, memory.hashes)
    if same := [row for row in similar if say_the_same(row.content, memory.content)]:
        confirm(
            context.store,
            [row.seq for row in same if extract.is_asked_for or _is_said_before(row, session, context.now_ms)],
        )
        return None
    if session is not None and _is_saved_already(context, session, memory):
        return None
    stored = new_memory(context, project, memory, quote, at_ms=extract.at_ms)
    seq, shown = insert(context.store, stored, context.random)
    insert_signatures(context.store, [(seq, memory.entries)])
    if not extract.is_asked_for:
        propose(context.store, seq, context.now_ms)
    if project != GLOBAL_PROJECT and is_for_all_projects(quote):
        wish(context.store, [seq], context.now_ms)
    return CapturedMemory(id=shown, kind=extract.kind, title=memory.title, is_proposal=not extract.is_asked_for)


def _is_saved_already(context: RequestContext, session: int, memory: Draft) -> bool:
    own = {*memory.words}
    return any(
        len(own & words) >= SAVED_WORDS_MIN * min(len(own), len(words))
        for text in texts_saved_in(context.store, session, SAVED_MAX)
        if (words := {*words_of(text)})
    )


def _is_said_before(row: Row, session: int | None, now_ms: int) -> bool:
    return row.session_id != session or (session is None and row.created_at < now_ms)


def _keep_summary(
    context: RequestContext, project: int, session: int, transcript: Transcript, redact: Redactor
) -> CapturedMemory | None:
    digest = transcript.digest
    if not digest.is_telling:
        return None
    memory: Draft = draft(redact, SaveMemory(text=digest.text, title=digest.title, kind="summary", source=CAPTURED))
    stored = new_memory(context, project, memory)
    if (seq := summary_of(context.store, session)) is not None:
        if [row.content for row in rows_by_seq(context.store, [seq])] != [stored.content]:
            replace_text(context.store, seq, stored)
        return None
    _, shown = insert(context.store, stored, context.random)
    return CapturedMemory(id=shown, kind="summary", title=memory.title)
