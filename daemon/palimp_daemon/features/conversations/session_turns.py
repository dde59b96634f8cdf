"""`turns`: slices of a session's redacted turns."""

from palimp_daemon.features.conversations.conversation_service import Conversations, not_kept
from palimp_daemon.features.handler import Invocation
from palimp_daemon.store.ids import normalize
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id
from palimp_daemon.store.tables.sessions.conversation_rows import session_with_turns, turns_before, turns_between
from palimp_daemon.store.tables.sessions.session_rows import sessions_named
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.conversation_messages import SaidTurn, SessionTurns, TurnList
from palimp_protocol.text import shown_name


class TurnPages:
    """Answers `turns`."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def answer(self, call: Invocation) -> TurnList:
        """Return the requested slice.

        Raises:
            PalimpError: conversations are not kept, or the session is unknown or ambiguous.
        """
        request: SessionTurns = call.request
        if not self._conversations.is_on:
            raise not_kept()
        if not self._conversations.is_there:
            raise nothing_kept(request.session)
        owner = await self._conversations.canonical(call.caller)
        return await self._conversations.ask(lambda store: turn_list(store, owner, request))


def turn_list(store: Store, owner: Caller, request: SessionTurns) -> TurnList:
    """Return the requested turns of *owner*'s project.

    Raises:
        PalimpError: the session is unknown or ambiguous.
    """
    project = project_row(store, owner)
    if project is None:
        raise nothing_kept(request.session)
    asked = request.session or session_with_turns(store, project, normalize(request.at)) or ""
    named = sessions_named(store, project, asked.strip()) if asked else []
    if len(named) > 1:
        names = ", ".join(shown_name(row.key) for row in named)
        said = f"{shown_name(asked)} fits several: {names}"
        raise RequestError(said, "Say more of its name.")
    if not named:
        raise nothing_kept(request.session)
    skip = request.first - 1
    if request.at:
        before = turns_before(store, named[0].id, normalize(request.at))
        skip = before - before % request.limit
    seqs, total = turns_between(store, named[0].id, skip, request.limit)
    if not total:
        raise nothing_kept(request.session)
    return TurnList(
        session=named[0].key,
        client=named[0].client,
        turns=[
            SaidTurn(id=shown_id(row), role=row.source, at=row.created_at, text=row.content)
            for row in rows_by_seq(store, seqs)
        ],
        first=skip + 1,
        total=total,
    )


def nothing_kept(session: str | None) -> PalimpError:
    """Return the error that *session* has no turns; None: no session of the project has."""
    return PalimpError(
        ErrorCode.NOT_FOUND,
        f"Nothing is kept of what was said in {shown_name(session) if session else 'this project'}.",
        "`palimp sessions` lists this project's sessions; `palimp conversations --read` reads those that clients keep.",
    )
