"""A source of `recall`: memories on a team's server of projects not on this machine.

It is asked only for `scope=team`, and for whole ids unknown here, and soon given up, with a note.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import trio
from msgspec.structs import replace

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.team.password_file import without_password
from palimp_daemon.features.team.team_places import is_database, search_module
from palimp_daemon.features.team.team_rounds import in_transport
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import team_tables
from palimp_daemon.store.tables.team_tables import TeamRow
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.text import count_of

LOOK_S: Final = 2.0
"""Seconds for a search of the server with `scope=team`, connecting included."""

FOUND_MAX: Final = 100
"""Memories that the server returns, to be ranked here."""


WHOLE_ID: Final = re.compile("m[0-9a-z]{11}")
"""An id as the server's search returns it."""


class ServerSource:
    """Searches the server beside the memories."""

    def __init__(self, actor: Actor, redact: Redactor) -> None:
        self._actor = actor
        self._redact = redact

    def is_asked(self, request: Recall) -> bool:  # noqa: ARG002  the interface has it
        """As in `Source`: never alone."""
        return False

    def ids_in(self, request: Recall) -> Sequence[str]:  # noqa: ARG002  the same
        """As in `SourceBeside`: ids are local."""
        return ()

    def may_answer(self, request: Recall, caller: Caller) -> bool:  # noqa: ARG002  the same
        """Tell whether *request* searches others' memories by conditions the server knows."""
        is_narrow = request.title or request.since or request.until or request.as_of or request.client or request.author
        return (
            request.scope == "team"
            and bool(request.query)
            and not (is_narrow or request.include_purged or request.detail == "timeline")
        )

    async def recall(self, request: Recall, caller: Caller) -> Recalled:  # noqa: ARG002  the same
        """As in `Source`: never asked alone."""
        return Recalled()

    def begin_search(self, call: Invocation) -> "ServerSearch":
        """As in `SourceBeside`."""
        return ServerSearch(self._actor, self._redact, call.request)


class ServerView:
    """Views the server's memories by id."""

    def __init__(self, actor: Actor, redact: Redactor) -> None:
        self._actor = actor
        self._redact = redact

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return the whole ids in a view: shortened ones are local."""
        if request.action != "view":
            return ()
        names = [request.id] if request.id else request.ids or []
        return [name for name in names if WHOLE_ID.fullmatch(name.strip().lower())]

    async def view(self, names: Sequence[str]) -> Recalled:
        """Return the server's memories *names*, or a note."""
        team, here, stems = await self._actor.read(_team_here)
        if team is None or not is_database(team.place):
            return Recalled()
        ids = {name.strip().lower() for name in names}

        def look() -> list[Memory]:
            from palimp_daemon.features.team.found_texts import Asked, memories_with_ids  # noqa: PLC0415  only with a team

            found = search_module().search(team.place, team.id, here, " ".join(ids), FOUND_MAX, LOOK_S)
            asked = Asked(Recall(detail="full"), stems, self._redact)
            return memories_with_ids(found.operations, found.names, ids, asked)

        try:
            with trio.fail_after(LOOK_S):
                found = await in_transport(look)
        except trio.TooSlowError:
            return Recalled(notes=[f"The team's server did not answer within {LOOK_S:g} s."])
        except PalimpError as error:
            return Recalled(notes=[error.text])
        where = f"Of a project that is not shared here, from {without_password(team.place)}."
        return Recalled(memories=found, total=len(found), notes=[where] if found else [])


class ServerSearch:
    """One search of the server."""

    is_for_doubt = False

    def __init__(self, actor: Actor, redact: Redactor, request: Recall) -> None:
        self._actor = actor
        self._redact = redact
        self._request = request
        self._found: list[Memory] = []
        self._note = ""

    async def find(self) -> None:
        """Search the server until a deadline."""
        team, here, stems = await self._actor.read(_team_here)
        if team is None or not is_database(team.place):  # a folder has no server
            return
        try:
            with trio.fail_after(LOOK_S):
                found, searched = await in_transport(partial(self._search, team, here, stems))
        except trio.TooSlowError:
            self._note = f"The team's server did not answer within {LOOK_S:g} s: only this machine was searched."
        except PalimpError as error:
            self._note = f"Only this machine was searched. {error.text}"
        else:
            self._found = found
            if found:
                where = without_password(team.place)
                self._note = f"{count_of(searched, 'project')} not shared here: searched on {where}."

    def _search(self, team: TeamRow, here: frozenset[str], stems: Stems) -> tuple[list[Memory], int]:
        from palimp_daemon.features.team.found_texts import Asked, asked_words, memories_in  # noqa: PLC0415  only with a team

        found = search_module().search(
            team.place, team.id, here, asked_words(self._redact(self._request.query or "")), FOUND_MAX, LOOK_S
        )
        told = memories_in(found.operations, found.names, Asked(self._request, stems, self._redact))
        return told[: self._request.limit], found.searched

    async def added_to(self, reply: Recalled) -> Recalled:
        """Return *reply* with the found rows before those that answer less."""
        notes = [*reply.notes, *([self._note] if self._note else [])]
        rows, left = list[Memory](), [*self._found]
        for memory in reply.memories:
            while left and (left[0].covered or 0.0) > (memory.covered or 0.0):
                rows.append(left.pop(0))
            rows.append(memory)
        rows = [*rows, *left][: self._request.limit]
        return replace(reply, memories=rows, total=reply.total + len(self._found), notes=notes)


def _team_here(store: Store) -> tuple[TeamRow | None, frozenset[str], Any]:
    here = frozenset(each.key for each in team_tables.shared_projects(store))
    return team_tables.team_of(store), here, store.stems
