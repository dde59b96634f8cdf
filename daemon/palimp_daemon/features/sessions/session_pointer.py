"""Point to an earlier session that settled something on a prompt's subject: one line with an id.

The line has words of the prompt only: nothing said there is told unasked. Of the session with most shared words, the
last turn that settles something, by the weights of capture, is named. Without one, a proposal is.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from palimp_daemon.features.capture.extract import messages_in_context, settles
from palimp_daemon.features.conversations.conversation_service import Conversations
from palimp_daemon.features.sessions.prompt_context import POINTED_SAID_MIN, PROMPT_CHARACTERS_MAX, words_of_prompt
from palimp_daemon.render.times import date
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.sql import in_list
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.terms import parse_query
from palimp_daemon.store.store import Store, project_row, session_row
from palimp_daemon.store.tables.memory_rows import Row, in_scope, rows_by_seq, shown_id
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.sessions.conversation_rows import TURN, turns_between
from palimp_daemon.text.messages import Message
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.text import shown_name

POINTERS_MAX: Final = 3
"""Sessions that one session is pointed to; a reader can search for more."""

SESSIONS_MAX: Final = 1_024
"""Sessions whose pointers are remembered."""

LOOKED_AT: Final = 24
"""Turns found for a prompt: those of one session and some of others."""

POSTINGS_MAX: Final = 10_000
"""Postings read for one prompt: some 10 ms."""

PART_MIN: Final = 1 / 3
"""Share of the prompt's word weight: long prompts share many words by chance."""

LAST_TURNS: Final = 24
"""Turns of a session, up to the last found and the next, searched for one that settles something."""

TURN_CHARACTERS_MAX: Final = 2_000
"""Characters read of a turn: a recap is at its beginning."""

WORDS_SHOWN: Final = 3
WORD_CHARACTERS_MAX: Final = 32
"""Number and characters of the prompt's words in the line: at most 60 tokens."""


class Bearing(NamedTuple):
    """A session with words of a prompt."""

    session: int
    last: int
    """The number of its last turn that was found."""
    stems: frozenset[str]


class Pointed(NamedTuple):
    """The sessions (numbers in the conversations' store) and proposals pointed to."""

    sessions: frozenset[int] = frozenset()
    proposals: frozenset[int] = frozenset()

    @property
    def total(self) -> int:
        """The number of both."""
        return len(self.sessions) + len(self.proposals)


FindProposal = Callable[[Collection[int]], Awaitable[Row | None]]
"""Finds the proposal that a prompt needs, except those numbered."""

SessionFound = Callable[[], Awaitable[tuple[int, str] | None]]
"""Waits for the session that bears on a prompt, and its line."""


class SessionPointers:
    """Points sessions to earlier ones and proposals, each once, at most POINTERS_MAX."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self._told: BoundedDict[str, Pointed] = BoundedDict(SESSIONS_MAX)
        self._is_prepared = False

    def prepare(self) -> None:
        """Open the conversations and load the signs of capture, before a prompt needs them."""
        if self._conversations.is_filled and not self._is_prepared:
            self._is_prepared = True
            self._conversations.ask_soon(_read_signs)

    async def begin(self, caller: Caller, prompt: str) -> SessionFound | None:
        """Begin the search for *prompt*; return a function that waits for it, or None."""
        key = caller.session_key
        told = self._told.get(key, Pointed())
        if not key or told.total >= POINTERS_MAX:
            return None
        self.prepare()
        if not (self._conversations.is_filled and self._conversations.is_open.is_set()):
            return None
        with suppress(PalimpError):  # whoever asks goes on without
            owner = await self._conversations.canonical(caller)
            work = partial(pointer_to_session, owner, prompt, told.sessions, self._conversations.now_ms())
            return self._conversations.begin(work)
        return None

    async def line(self, caller: Caller, found_session: SessionFound | None, find_proposal: FindProposal) -> str:
        """Return the line for a prompt; empty: nothing found, or conversations not open.

        Raises:
            PalimpError: proposals cannot be asked for.
        """
        key = caller.session_key
        told = self._told.get(key, Pointed())
        if not key or told.total >= POINTERS_MAX:
            return ""
        found: tuple[int, str] | None = None
        with suppress(PalimpError):
            found = await found_session() if found_session else None
        if found:
            session, line = found
            self._told[key] = told._replace(sessions=told.sessions | {session})
            return line
        if (row := await find_proposal(told.proposals)) is None:
            return ""
        self._told[key] = told._replace(proposals=told.proposals | {row.seq})
        day, shown = date(row.created_at), shown_id(row)
        return f'A note of an earlier session ({day}), which nobody confirmed, may bear on this: recall(id="{shown}").'


def _read_signs(_: Store) -> None:
    for heard in messages_in_context([Message("user", "We decided it."), Message("assistant", "Recap: we use it.")]):
        settles(heard)


def pointer_to_session(
    owner: Caller, prompt: str, told: Collection[int], now_ms: int, store: Store
) -> tuple[int, str] | None:
    """Return the session that shares most with *prompt* and settled something, and its line.

    *store* is the conversations', *owner* the project there; its own session and *told* ones are excluded.
    """
    project = project_row(store, owner)
    text = prompt[:PROMPT_CHARACTERS_MAX].replace('"', " ")
    words = words_of_prompt(store, text)
    least = max(POINTED_SAID_MIN, PART_MIN * sum(words.values()))
    if project is None or sum(words.values()) < least:
        return None
    rows = _turns_sharing(store, project, text, {*told, session_row(store, owner, project) or 0}, now_ms)
    bearing = most_bearing(rows, words, least, store.stems.found_by)
    turn = None if bearing is None else _last_settling(store, bearing)
    if bearing is None or turn is None:
        return None
    terms = {stem: term for term in parse_query(text).terms if " " not in term for stem in store.stems.of_term(term)}
    telling = sorted(bearing.stems & terms.keys(), key=lambda stem: (-words[stem], stem))[:WORDS_SHOWN]
    named = ", ".join(shown_name(terms[stem], WORD_CHARACTERS_MAX) for stem in telling)
    day, shown = date(turn.created_at), shown_id(turn)
    return bearing.session, f'An earlier session ({day}) settled something on {named}: recall(id="{shown}") shows it.'


def _turns_sharing(store: Store, project: int, text: str, without: Collection[int], now_ms: int) -> list[Row]:
    scope = in_scope([project])
    listed, numbers = in_list(sorted(without))
    where = Filter(f"{scope.sql} AND m.kind = ? AND m.session_id NOT IN {listed}", (*scope.values, TURN, *numbers))
    asked = SearchRequest(text, where, LOOKED_AT, postings_max=POSTINGS_MAX, projects=(project,), as_turns=True)
    return rows_by_seq(store, [each.seq for each in matching(store, asked, now_ms).ranked])


def most_bearing(
    rows: Collection[Row], words: Mapping[str, float], least: float, found_by: Callable[[str], set[str]]
) -> Bearing | None:
    """Return the session whose turns share most weight of *words*, at least *least*."""
    shared: dict[int, Bearing] = {}
    for row in rows:
        if row.session_id is not None:
            known = shared.get(row.session_id, Bearing(row.session_id, row.seq, frozenset()))
            stems = known.stems | (words.keys() & found_by(row.content))
            shared[row.session_id] = Bearing(row.session_id, max(known.last, row.seq), stems)
    said = {each: sum(words[stem] for stem in each.stems) for each in shared.values()}
    best = max(said, key=lambda each: (said[each], each.last), default=None)
    return best if best is not None and said[best] >= least else None


def _last_settling(store: Store, bearing: Bearing) -> Row | None:
    """Return the last settling turn, at most LAST_TURNS / 2 behind the last found."""
    seqs, _ = turns_between(store, bearing.session, 0, -1)
    end = min(len(seqs), seqs.index(bearing.last) + LAST_TURNS // 2)
    turns = rows_by_seq(store, seqs[max(0, end - LAST_TURNS) : end])
    said = [
        Message("user" if row.source == "user" else "assistant", row.content[:TURN_CHARACTERS_MAX]) for row in turns
    ]
    for place in reversed(range(len(turns))):
        if any(map(settles, messages_in_context(said[place : place + 1], said[:place]))):
            return turns[place]
    return None
