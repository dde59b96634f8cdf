"""`handoff`: compile a session's state for another agent, without a model."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from palimp_daemon.features.conversations.conversation_service import Conversations
from palimp_daemon.features.handler import Invocation, StoreJobs, StoreWork
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.times import date_and_time
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.sessions.failed_commands import failures_of
from palimp_daemon.store.tables.sessions.handoff_rows import Turns, memories_of, paths_changed, turns_of
from palimp_daemon.store.tables.sessions.session_rows import (
    Event,
    SessionRow,
    events_of,
    newest_sessions,
    sessions_named,
)
from palimp_daemon.store.tables.sessions.transcript_rows import transcript_of
from palimp_daemon.text.messages import short
from palimp_daemon.text.session_summary import Digest
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import CHARACTERS_PER_TOKEN, HANDOFF_TOKENS_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.session_messages import HandedOff, Handoff
from palimp_protocol.text import one_line, quote_text, shown_name

LOOKED_AT_MAX: Final = 20
"""Sessions, the newest, searched for one that did something."""

SETTLING: Final = ("decision", "architecture", "correction", "preference", "fix", "finding")

REQUEST_CHARACTERS: Final = 700
ROW_CHARACTERS: Final = 180
"""Characters of a memory, command or piece of removed code."""

LAST_WORDS_CHARACTERS: Final = 800
MEMORIES_MAX: Final = 10
REMOVED_MAX: Final = 4
FILES_MAX: Final = 15
COMMANDS_MAX: Final = 4
OPEN_MAX: Final = 4
FRAME_CHARACTERS: Final = 400
"""Characters kept free for the frame and its heading."""

Redact = Callable[[str], str]


class Standing(NamedTuple):
    """The records of a session in the memories' store."""

    session: SessionRow
    digest: Digest
    settled: Sequence[Row]
    removed: Sequence[Event]
    files: Sequence[str]
    commands: Sequence[tuple[str, str, str]]
    """Failed lines, each with its error and the line that worked."""
    questions: Sequence[Row]


class Handoffs:
    """Answers `handoff`."""

    def __init__(self, jobs: StoreJobs, conversations: Conversations, redact: Redact) -> None:
        self._jobs = jobs
        self._conversations = conversations
        self._redact = redact

    async def answer(self, call: Invocation) -> HandedOff:
        """Return the state of the named session.

        Raises:
            PalimpError: the name is unknown or ambiguous.
        """
        standing: Standing = await self._jobs.actor.ask(self._jobs.job(StoreWork(standing_of), call))
        turns = Turns()
        if self._conversations.is_filled:
            with suppress(PalimpError):  # it is told without
                turns = await self._turns(call.caller, standing.session.key)
        text = handoff_text(standing, Turns(*map(self._redact, turns)), self._redact)
        return HandedOff(session=standing.session.key, client=standing.session.client, text=text)

    async def _turns(self, caller: Caller, key: str) -> Turns:
        owner = await self._conversations.canonical(caller)

        def work(store: Store) -> Turns:
            project = project_row(store, owner)
            return Turns() if project is None else turns_of(store, project, key)

        return await self._conversations.ask(work)


def standing_of(context: RequestContext, request: Handoff) -> Standing:
    """Return the records of the named session.

    Raises:
        PalimpError: the name is unknown or ambiguous.
    """
    store = context.store
    session = _session(context, request)
    transcript = transcript_of(store, session.id)
    events = [each for each in events_of(store, session.id, 200) if each.what == "removed-code"]
    return Standing(
        session=session,
        digest=transcript.digest if transcript else Digest(),
        settled=rows_by_seq(store, memories_of(store, session.id, SETTLING, MEMORIES_MAX)),
        removed=events[-REMOVED_MAX:],
        files=paths_changed(store, session.id, FILES_MAX),
        commands=[(each.command, each.error, each.worked) for each in failures_of(store, session.id, COMMANDS_MAX)],
        questions=rows_by_seq(store, memories_of(store, session.id, ("question",), OPEN_MAX)),
    )


def _session(context: RequestContext, request: Handoff) -> SessionRow:
    project = project_row(context.store, context.caller)
    name = (request.session or "").strip()
    if project is None:
        found: list[SessionRow] = []
    elif name:
        found = sessions_named(context.store, project, name)
    else:
        own = context.caller.session_key
        newest, _ = newest_sessions(context.store, project, LOOKED_AT_MAX)
        telling = [each for each in newest if each.key != own and (each.turns or each.saves or each.removed)]
        found = sorted(telling, key=lambda each: -each.seen_at)[:1]
    if not found:
        what = f"No session of this project is called {shown_name(name)}." if name else "No session is known here."
        raise PalimpError(ErrorCode.NOT_FOUND, what, "`palimp sessions` lists them.")
    if len(found) > 1:
        names = ", ".join(shown_name(row.key) for row in found)
        raise RequestError(f"{shown_name(name)} fits several: {names}", "Say more of its name.")
    return found[0]


def handoff_text(standing: Standing, turns: Turns, redact: Redact) -> str:
    """Return *standing* in words, framed, within HANDOFF_TOKENS_MAX."""
    session, digest = standing.session, standing.digest
    first = turns.first or (digest.first[0] if digest.first else "")
    asked_last = turns.last_user or (digest.last[-1] if digest.last else "")
    paths = [*standing.files]
    paths += [name for name in reversed(digest.files) if not any(path.endswith(name) for path in paths)]
    parts = [
        _part("First request", [short(redact(first), REQUEST_CHARACTERS)] if first else []),
        _part("Decided and found", [_row(row) for row in standing.settled]),
        _part("Taken out again", [short(one_line(each.title), ROW_CHARACTERS) for each in standing.removed]),
        _part("Files touched", [", ".join(map(shown_name, paths[:FILES_MAX]))] if paths else []),
        _part("Commands that failed", [_command(each, redact) for each in standing.commands]),
        _part("Open", [_row(row) for row in standing.questions]),
        _part("Last request", [short(redact(asked_last), REQUEST_CHARACTERS)] if asked_last != first else []),
        _part("Last words of the agent", _last_words(turns, digest, redact)),
    ]
    lines = [line for part in parts for line in part] or ["Nothing of it is kept but that it was there."]
    client = shown_name(session.client or "an agent")
    heading = f"Session {shown_name(session.key)} of {client}, last heard of {date_and_time(session.seen_at)}."
    room = HANDOFF_TOKENS_MAX * CHARACTERS_PER_TOKEN - FRAME_CHARACTERS - len(heading)
    return frame_text(_within("\n".join(lines), room), heading)


def _last_words(turns: Turns, digest: Digest, redact: Redact) -> list[str]:
    said = turns.last_agent or digest.statement
    # The end of a long answer says what is next.
    tail = said if len(said) <= LAST_WORDS_CHARACTERS else f"… {said[-LAST_WORDS_CHARACTERS:]}"
    return [one_line(redact(tail))] if said.strip() else []


def _part(title: str, rows: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"- {one_line(row)}" for row in rows)] if rows else []


def _row(row: Row) -> str:
    return f"{shown_id(row)} {row.kind}: {short(one_line(row.content), ROW_CHARACTERS)}"


def _command(failed: tuple[str, str, str], redact: Redact) -> str:
    command, error, worked = map(redact, failed)
    told = quote_text(command, ROW_CHARACTERS // 2)
    told += f": {short(one_line(error), ROW_CHARACTERS // 2)}" if error else ""
    return told + (f"; worked: {quote_text(worked, ROW_CHARACTERS // 2)}" if worked else "")


def _within(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    tail = characters // 3
    return f"{text[: characters - tail - 10]}\n[…]\n{text[-tail:]}"
