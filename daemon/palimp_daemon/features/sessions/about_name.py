"""`about` and recall(about=…): one page on a path, symbol, command, ticket, package, person or term.

A memory counts if it has a key of the name (`text.entities`), or its stems side by side. A neighbour is a name that two
of the memories share.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import trio
from msgspec.structs import replace

from palimp_daemon.features.handler import Invocation, StoreJobs, StoreWork
from palimp_daemon.search.cjk import UNSPACED_RUN
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.folding import fold
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row, scope_rows
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_links import MemoryLink, newest_versions, telling_links_among
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.memory_subjects import entities_kept, memories_with_names
from palimp_daemon.store.tables.proposals import proposed_among
from palimp_daemon.store.tables.search.memory_search import newest_with_phrase
from palimp_daemon.store.tables.sessions.session_rows import sessions_editing, sessions_numbered
from palimp_daemon.text.entities import Entity, entities_in, keys_of_name
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.limits import ABOUT_MEMORIES_MAX
from palimp_protocol.messages.about_messages import (
    SAME_NAME_TAG,
    SAME_NAME_TEXT,
    About,
    AboutMemory,
    AboutPage,
    AboutPlace,
    AboutSession,
    Neighbour,
)
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.messages.similar import Similar
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line

FORMER_MAX: Final = 5
"""Replaced versions shown below a memory."""

SESSIONS_MAX: Final = 5
PLACES_MAX: Final = 5
"""Pieces of removed code, and sections of documents."""

NEIGHBOURS_MAX: Final = 12
SHARED_MIN: Final = 2
"""Memories that must name a neighbour: one names many by chance."""

WRITTEN_MAX: Final = 6

FORMS_MAX: Final = 3
"""Forms of a name searched for in documents and removed code, one by one."""

SAME_NAMES_MAX: Final = 6
"""Synonyms searched for, one by one."""

SAME_NAME_PAIRS_MAX: Final = 200
"""Memories read that state synonyms, local and global; users have tens."""

PlaceKind = Literal["doc", "removed-code"]
SearchElsewhere = Callable[[Recall, Caller], Awaitable[Recalled]]


class AboutNames:
    """Answers `about`, and is a source of `recall`."""

    def __init__(self, jobs: StoreJobs, search_removed: SearchElsewhere, search_documents: SearchElsewhere) -> None:
        self._jobs = jobs
        self._search_removed = search_removed
        self._search_documents = search_documents

    async def answer(self, call: Invocation) -> AboutPage:
        """Return the page on the requested name.

        Raises:
            PalimpError: the name has no letter or digit, or the store cannot be used.
        """
        return await self._page(call.request, call.caller)

    def is_asked(self, request: Recall) -> bool:
        """Tell whether a page is requested."""
        return request.about is not None

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Answer `recall(about=…)` with the page.

        Raises:
            PalimpError: *request* has other conditions, or a form other than a page.
        """
        if request != Recall(about=request.about, limit=request.limit):
            text = "about is answered with a page on one name; only limit goes with it."
            raise RequestError(text, "Search with query.")
        return Recalled(about=await self._page(About(name=request.about or "", limit=request.limit), caller))

    async def _page(self, request: About, caller: Caller) -> AboutPage:
        name = one_line(request.name).strip().strip("`").replace('"', " ").strip()
        if not any(map(str.isalnum, name)):
            raise RequestError("A name has a letter or a digit.", "Example: palimp about ttl.py")
        page = self._jobs.actor.begin(
            self._jobs.job(StoreWork(page_on), Invocation(OPERATIONS["about"], replace(request, name=name), caller))
        )
        elsewhere = Elsewhere(self._search_removed, self._search_documents, caller)
        await elsewhere.find([name])  # while the page is made, too
        found: AboutPage = await page()
        await elsewhere.find([form for form in dict.fromkeys(found.written) if form != name][: FORMS_MAX - 1])
        return replace(
            found,
            removed=elsewhere.places("removed-code"),
            documents=elsewhere.places("doc"),
            notes=list(elsewhere.notes),
        )


class Elsewhere:
    """Removed code and sections of documents on names."""

    def __init__(self, search_removed: SearchElsewhere, search_documents: SearchElsewhere, caller: Caller) -> None:
        self._searches: dict[PlaceKind, SearchElsewhere] = {"removed-code": search_removed, "doc": search_documents}
        self._caller = caller
        self._found: dict[tuple[PlaceKind, str], list[AboutPlace]] = {}
        self.notes: dict[str, None] = {}
        """Reasons why something could not be searched, each once."""

    async def find(self, names: Sequence[str]) -> None:
        """Search for *names*."""
        async with trio.open_nursery() as nursery:
            for name in names:
                for kind in self._searches:
                    self._found[kind, name] = []
                    nursery.start_soon(self._find, kind, name)

    def places(self, kind: PlaceKind) -> list[AboutPlace]:
        """Return the first PLACES_MAX of *kind*, by names."""
        found = {place.id: place for (each, _), places in self._found.items() if each == kind for place in places}
        return [*found.values()][:PLACES_MAX]

    async def _find(self, kind: PlaceKind, name: str) -> None:
        asked = Recall(query=f'"{name}"', kind=kind, limit=PLACES_MAX)
        try:
            self._found[kind, name] = [
                _place(each) for each in (await self._searches[kind](asked, self._caller)).memories
            ]
        except PalimpError as error:  # what is of memories is told all the same
            self.notes[f"{error.text} {error.hint}".strip()] = None


def _place(found: Memory) -> AboutPlace:
    return AboutPlace(id=found.id, title=found.title, at=found.created_at)


class Naming(NamedTuple):
    """A name to look for: its keys, text, and adjacent stems."""

    keys: frozenset[str]
    itself: re.Pattern[str]
    stems: tuple[str, ...]
    unspaced: str = ""


def naming_of(name: str, stems: Stems) -> Naming:
    """Parse *name*."""
    unspaced = fold(name) if UNSPACED_RUN.search(name) else ""
    itself = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return Naming(frozenset(keys_of_name(name)), itself, tuple(stems.of_text(name)), unspaced)


def page_on(context: RequestContext, request: About) -> AboutPage:
    """Return the page, with memories and sessions alone."""
    store = context.store
    names = same_names(context, request.name)
    namings = [naming_of(each, store.stems) for each in names]
    keys = frozenset[str]().union(*(each.keys for each in namings))
    rows = {row for each, naming in zip(names, namings, strict=True) for row in _rows_naming(context, each, naming)}
    found = sorted((row for row in rows if not _names_said_same(row)), key=lambda row: (-row.created_at, -row.seq))
    holding = [row for row in found if row.superseded_by is None]
    questions = [row for row in holding if row.kind == "question"]
    about = [row for row in holding if row.kind != "question"]
    shown = [*about[: request.limit], *questions[: request.limit]]
    links = telling_links_among(store, [row.seq for row in shown])
    ends = {end for link in links for end in (link.newer, link.older)}
    others = {row.seq: row for row in rows_by_seq(store, sorted(ends))}
    proposed = proposed_among(store, [row.seq for row in shown])
    told = {row.seq: _memory(row, links, others, is_proposal=row.seq in proposed) for row in shown}
    named = [*entities_of(store, holding).values()]
    project = project_row(store, context.caller)
    return AboutPage(
        name=request.name,
        written=list(dict.fromkeys([*names[1:], *_forms_in(named, keys)])),
        memories=[told[row.seq] for row in about if row.seq in told],
        questions=[told[row.seq] for row in questions if row.seq in told],
        more=max(0, len(about) - request.limit),
        sessions=_sessions(store, project, holding, keys),
        neighbours=neighbours_in(named, keys),
    )


def _rows_naming(context: RequestContext, name: str, naming: Naming) -> list[Row]:
    store = context.store
    projects = scope_rows(store, context.caller, "all")
    where = memory_rows.in_scope(projects)
    alive = Filter(f"{where.sql} AND m.deleted_at IS NULL", where.values)
    phrases = [name, *(key[1:] for key in naming.keys)]
    by_words = newest_with_phrase(store, phrases, alive, ABOUT_MEMORIES_MAX, projects)
    by_keys = memories_with_names(store, projects, sorted(naming.keys))[:ABOUT_MEMORIES_MAX]
    rows = [row for row in rows_by_seq(store, sorted({*by_keys, *by_words})) if row.deleted_at is None]
    entities = entities_of(store, rows)
    named = [row for row in rows if is_named(row, entities[row.seq], naming, store.stems)]
    newest = {*newest_versions(store, [row.seq for row in named]).values()} - {row.seq for row in named}
    later = [row for row in rows_by_seq(store, sorted(newest)) if row.deleted_at is None]
    return [*named, *later]


def same_names(context: RequestContext, name: str) -> list[str]:
    """Return *name* and its synonyms by memories, also indirect, at most SAME_NAMES_MAX."""
    projects = scope_rows(context.store, context.caller, "all")
    where = memory_rows.in_scope(projects)
    tagged = Filter(f"{where.sql} AND {_SAME_NAME.sql}", (*where.values, *_SAME_NAME.values))
    found = newest_with_phrase(context.store, [_SAID], tagged, SAME_NAME_PAIRS_MAX, projects)
    pairs = [*map(_names_said_same, rows_by_seq(context.store, found))]
    names = [name]
    for each in names:  # which grows
        for pair in pairs:
            others = [other for other in pair if not _is_same(other, each)]
            if len(others) == 1 and not any(_is_same(others[0], known) for known in names):
                names += others
    return names[:SAME_NAMES_MAX]


_SAID: Final = "another name"
"""Phrase in every memory that states a synonym: one search with few postings finds all."""

_SAME_NAME: Final = Filter(
    "m.deleted_at IS NULL AND m.superseded_by IS NULL AND instr(' ' || m.tags || ' ', ?) > 0", (f" {SAME_NAME_TAG} ",)
)
_SAME_NAME_FORM: Final = re.compile(re.escape(SAME_NAME_TEXT).replace(re.escape("{}"), "(.+)"))


def _names_said_same(row: Row) -> Sequence[str]:
    found = _SAME_NAME_FORM.fullmatch(row.content.strip()) if SAME_NAME_TAG in row.tags.split() else None
    return found.groups() if found else ()


def _is_same(one: str, other: str) -> bool:
    return fold(one) == fold(other) or not {*keys_of_name(one)}.isdisjoint(keys_of_name(other))


def entities_of(store: Store, rows: Sequence[Row]) -> dict[int, list[Entity]]:
    """Return each row's entities, parsing only texts not yet indexed."""
    kept = entities_kept(store, [row.seq for row in rows])
    named: dict[int, list[Entity]] = {}
    for row in rows:
        is_first_sentence = row.content.startswith(row.title.removesuffix("…"))
        of_title = [] if is_first_sentence else entities_in(row.title)
        named[row.seq] = [*of_title, *(kept[row.seq] if row.seq in kept else entities_in(row.content))]
    return named


def is_named(row: Row, entities: Sequence[Entity], naming: Naming, stems: Stems) -> bool:
    """Tell whether *row* names it, by a key or by adjacent words."""
    if any(each.key in naming.keys for each in entities):
        return True
    text = f"{row.title}\n{row.content}\n{row.tags}"
    if naming.unspaced:
        return naming.unspaced in fold(text)
    if naming.itself.search(text):  # most write it so, and stems take long
        return True
    words, wanted = list(stems.of_text(text)), list(naming.stems)
    starts = (place for place, word in enumerate(words) if word == wanted[0]) if wanted else iter(())
    return any(words[place : place + len(wanted)] == wanted for place in starts)


def neighbours_in(named: Sequence[Sequence[Entity]], own: frozenset[str]) -> list[Neighbour]:
    """Return the entities that at least SHARED_MIN of *named* memories have, except *own* keys, most shared first."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for entities in named:
        for each in {each.key: each for each in reversed(entities) if each.key not in own}.values():
            counts[each.key] += 1
            names.setdefault(each.key, each.name)
    shared = sorted((-count, names[key]) for key, count in counts.items() if count >= SHARED_MIN)
    return [Neighbour(name=name, memories=-count) for count, name in shared[:NEIGHBOURS_MAX]]


def _memory(row: Row, links: Sequence[MemoryLink], others: Mapping[int, Row], *, is_proposal: bool) -> AboutMemory:
    former = [link.older for link in links if link.relation == "replaces" and link.newer == row.seq]
    against = [
        link.older if link.newer == row.seq else link.newer
        for link in links
        if link.relation == "disagrees" and row.seq in (link.newer, link.older)
    ]
    narrowing = [link.newer for link in links if link.relation == "narrows" and link.older == row.seq]
    return AboutMemory(
        id=shown_id(row),
        kind=row.kind,
        title=row.title,
        created_at=row.created_at,
        project=row.project,
        former=_similar(former, others)[:FORMER_MAX],
        disputed_by=_similar([seq for seq in against if _stands(others.get(seq))], others),
        narrowed_by=_similar([seq for seq in narrowing if _stands(others.get(seq))], others),
        is_proposal=is_proposal,
    )


def _stands(row: Row | None) -> bool:
    return row is not None and row.deleted_at is None and row.superseded_by is None


def _similar(seqs: Sequence[int], others: Mapping[int, Row]) -> list[Similar]:
    numbers = sorted(set(seqs) & others.keys(), reverse=True)
    return [Similar(shown_id(others[seq]), others[seq].title) for seq in numbers]


def _forms_in(named: Sequence[Sequence[Entity]], keys: frozenset[str]) -> list[str]:
    names = [each.name for entities in named for each in entities if each.key in keys]
    return [name for name, _ in Counter(names).most_common(WRITTEN_MAX)]


def _sessions(store: Store, project: int | None, holding: Sequence[Row], keys: frozenset[str]) -> list[AboutSession]:
    numbers = [*dict.fromkeys(row.session_id for row in holding if row.session_id is not None)][: 2 * SESSIONS_MAX]
    paths = [key for key in sorted(keys) if key.startswith("/")]
    if project is not None:
        numbers += [each for path in paths for each in sessions_editing(store, project, path, SESSIONS_MAX)]
    found = sessions_numbered(store, sorted(set(numbers)))[:SESSIONS_MAX]
    return [AboutSession(key=each.key, client=each.client, seen_at=each.seen_at, about=each.about) for each in found]
