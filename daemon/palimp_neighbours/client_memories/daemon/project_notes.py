"""Synchronise clients' own memories with their files before each search.

Their store is in memory, so in no backup or export; only `recall` asks it. A look at the files may hang with the home
folder: hence threads, WAIT_S, and a memory of projects without notes.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

import trio
from msgspec.structs import replace

from palimp_clients.claude_code.transcript import CLIENT
from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.memories.memory_names import NO_SUCH_MEMORY
from palimp_daemon.features.memories.recall import is_open_search
from palimp_daemon.features.memories.recall import recall as recall_in
from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import brief_turns, finished_in_thread, in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.client_memories.daemon.note_files import Note, Reading, read_notes
from palimp_neighbours.client_memories.daemon.note_rows import ID_LETTER, KIND, StoredNote, id_of_note, put_notes
from palimp_neighbours.client_memories.daemon.note_search import NOT_YET, NoteSearch
from palimp_neighbours.client_memories.daemon.other_places import other_places
from palimp_neighbours.client_memories.daemon.places import Place, Seen, memory_places
from palimp_protocol.env.project import path_as_text
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import TITLE_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Recall, Recalled
from palimp_protocol.text import count_of, one_line, quote_text

WAIT_S: Final = 2.5
"""Seconds that a caller waits for a look at the files: some hundred notes."""

ABSENT_S: Final = 5.0
"""Seconds that a project counts as without notes."""

KEPT_MAX: Final = 16
"""Projects with a store, the last used: up to some megabytes each."""

ABSENT_MAX: Final = 256
"""Projects remembered as without notes; a user has tens."""

LOOKS_MAX: Final = 4
"""Projects read at once: a thread each, which may hang."""

LEFT_OUT_SHOWN: Final = 3
"""Reasons that `health` names."""

NO_SUCH_NOTE: Final = "nothing in this project has this id; search for a title or words"
OFF: Final = "Claude Code's own memory is not read here: recall.claude_memory is off."


class NotesStore(NamedTuple):
    """Opens a store in memory; gives requests time and random bits."""

    open: Callable[[], Store]
    now_ms: Callable[[], int]
    random: Callable[[], int]


class Looked(NamedTuple):
    """A look's result at a project's files."""

    places: list[Place]
    seen: Seen
    reading: Reading
    others: Mapping[Place, str] = {}
    """Of *places*, those of other clients than Claude Code, with the client."""


NOTHING: Final = Looked([], Seen(), Reading({}))


class _Kept:
    def __init__(self, project: ProjectRef) -> None:
        self.project = project
        self.looked = NOTHING
        self.is_here = False
        """Whether a session of Claude Code's is in the project."""
        self.store: Store | None = None
        self.paths: Mapping[str, str] = {}
        """By shown id."""
        self.lock = trio.Lock()
        self.is_over: trio.Event | None = None
        """Set at the end of the running look."""
        self.hangs = False
        """Whether a caller gave up waiting for that look."""


class ClientMemories(BackgroundTasks):
    """Answers from clients' own memories."""

    def __init__(self, stores: NotesStore, settings: Settings, redact: Redactor, log: Log) -> None:
        self._stores = stores
        self._settings = settings
        self._redact = redact
        self._log = log
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._absent: dict[str, float] = {}
        """Time of the last look without notes, by project key."""
        self._looks = 0

    @property
    def is_on(self) -> bool:
        """Whether the user's settings allow it."""
        return self._settings.current(None).flag("recall.claude_memory")

    # --- questions -------------------------------------------------------------------------------

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* asks for notes only."""
        return request.kind == KIND

    def ids_in(self, request: Recall) -> list[str]:
        """Return a view's ids of notes."""
        named = [request.id] if request.id else request.ids or []
        names = [name for name in named if is_note_id(name)] if request.action == "view" else []
        return names if names and self.is_on else []

    def may_answer(self, request: Recall, caller: Caller) -> bool:
        """Tell whether notes may answer *request*: a search, in a project."""
        is_search = is_open_search(request) and not request.client
        return is_search and caller.project is not None and not self._is_absent(caller.project) and self.is_on

    def begin_search(self, call: Invocation) -> NoteSearch:
        """Return the search for *call* beside the memories'."""
        return NoteSearch(self.recall, call, self._log)

    async def recall(self, request: Recall, caller: Caller, *, is_spelled: bool = True) -> Recalled:
        """Return notes for a valid *request*; spelling is corrected only if *is_spelled*.

        Raises:
            PalimpError: they are not read here.
        """
        if not self.is_on:
            raise RequestError(OFF, "`palimp config set recall.claude_memory on` changes that.")
        detail = request.detail or ("full" if request.id or request.ids else "compact")
        nothing = Recalled(detail=detail, unknown=_unknown(request))
        if caller.project is None:
            return nothing
        kept = await self._in_step(caller, caller.project, looks_again=self.is_asked(request))
        if kept is None:
            return nothing
        notes = [NOT_YET] if kept.is_over is not None else []
        async with kept.lock:
            if kept.store is None:
                return replace(nothing, notes=notes)
            now_ms, random = self._stores.now_ms(), self._stores.random
            context = RequestContext(kept.store, Caller(kept.project), now_ms, random, is_spelled=is_spelled)
            reply: Recalled = await finished_in_thread(partial(recall_in, context, request))
        found = [replace(memory, path=kept.paths.get(memory.id, "")) for memory in reply.memories]
        unknown = [each.replace(NO_SUCH_MEMORY, NO_SUCH_NOTE) for each in reply.unknown]
        return replace(reply, memories=found, unknown=unknown, notes=[*reply.notes, *notes])

    async def describe(self, caller: Caller) -> str:
        """Return a sentence on the files read, or empty."""
        if not self.is_on:
            return "not read: recall.claude_memory is off"
        if caller.project is not None:
            await self._in_step(caller, caller.project, looks_again=True)
        return "; ".join(dict.fromkeys(part for kept in self._kept.values() for part in _describe(kept)))

    # --- files -----------------------------------------------------------------------------------

    def _is_absent(self, project: ProjectRef) -> bool:
        return trio.current_time() - self._absent.get(_key(project), -ABSENT_S) < ABSENT_S

    async def _in_step(self, caller: Caller, project: ProjectRef, *, looks_again: bool) -> _Kept | None:
        if not looks_again and self._is_absent(project):
            return None
        kept = self._kept_of(project)
        kept.is_here |= caller.session is not None and caller.session.client == CLIENT
        with trio.move_on_after(0 if kept.hangs else WAIT_S) as waiting:
            await _end_of(kept)  # it may have passed by what was changed since it began
            if kept.is_over is not None or await self._begin_look(kept):
                await _end_of(kept)
        kept.hangs = waiting.cancelled_caught and kept.is_over is not None
        return None if self._is_absent(project) else kept

    def _kept_of(self, project: ProjectRef) -> _Kept:
        key = _key(project)
        kept = self._kept.pop(key, None) or _Kept(project)
        self._kept[key] = kept
        for other, each in [*self._kept.items()][:-KEPT_MAX]:
            if each.is_over is None and not each.lock.locked():
                self._drop(other)
        return kept

    def _drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None and kept.store is not None:
            store, kept.store = kept.store, None
            store.connection.close()

    async def _begin_look(self, kept: _Kept) -> bool:
        if self._looks >= LOOKS_MAX:
            return False
        self._looks += 1
        kept.is_over = trio.Event()
        if self._background is None:
            await self._look(kept)
        else:
            self._background.start_soon(self._look, kept)
        return True

    async def _look(self, kept: _Kept) -> None:
        try:
            env, known = self._settings.env, kept.looked
            looked = await in_thread(partial(look, kept.project, env, known, self._redact, is_here=kept.is_here))
            if looked.places:
                self._absent.pop(_key(kept.project), None)
                await self._store(kept, looked)
            else:
                key = _key(kept.project)
                async with kept.lock:
                    self._drop(key)
                if len(self._absent) >= ABSENT_MAX:
                    self._absent.clear()
                self._absent[key] = trio.current_time()
        except Exception as error:  # noqa: BLE001  memories are told all the same
            self._log.bug(error)
        finally:
            self._looks -= 1
            is_over, kept.is_over, kept.hangs = kept.is_over, None, False
            if is_over is not None:
                is_over.set()

    async def _store(self, kept: _Kept, looked: Looked) -> None:
        before, now = kept.looked.reading.notes, looked.reading.notes
        changed = [note for path, note in now.items() if before.get(path) != note]
        gone = [path for path, note in before.items() if note.content and path not in now]
        gone += [note.file.path for note in changed if not note.content]
        told = [_stored_note(note, looked.others, self._stores.now_ms()) for note in changed if note.content]
        if told or gone:

            def work() -> Store:
                store = kept.store or self._stores.open()
                put_notes(store, Caller(kept.project), told, gone)
                return store

            async with kept.lock:
                kept.store = await finished_in_thread(work)
        kept.looked = looked
        kept.paths = {shown_of(id_of_note(path)): path_as_text(path) for path, note in now.items() if note.content}


async def _end_of(kept: _Kept) -> None:
    if kept.is_over is not None:
        await kept.is_over.wait()


def look(
    project: ProjectRef, env: Mapping[str, str], known: Looked, redact: Redactor, *, is_here: bool = False
) -> Looked:
    """Read *project*'s notes; files unchanged since *known* are not read again.

    *is_here*: a session of Claude Code is in it.
    """
    places, seen = memory_places(project, env, known.seen, is_here=is_here)
    others = other_places(project, env)
    places = [*places, *others]
    with brief_turns():
        reading = read_notes([place.folder for place in places if not place.why], known.reading.notes, redact)
    return Looked(places, seen, reading, others)


def is_note_id(name: str) -> bool:
    """Tell whether *name* is a note's id or its beginning."""
    return name.strip().lower()[:1] == ID_LETTER and name.strip().isalnum()


def _key(project: ProjectRef) -> str:
    """Another worktree may have other notes."""
    return f"{project.root}\0{project.tree}"


def _unknown(request: Recall) -> list[str]:
    names = [request.id] if request.id else request.ids or []
    return [f"{name}: {NO_SUCH_NOTE}" for name in dict.fromkeys(names)]


def _stored_note(note: Note, others: Mapping[Place, str], now_ms: int) -> StoredNote:
    changed_ms = min(max(note.file.state.mtime_ns // 1_000_000, 0), now_ms)
    client = next((client for place, client in others.items() if _is_at(note.file.path, place)), "")
    title = one_line(f"{client}: {note.title}", TITLE_CHARACTERS_MAX) if client else note.title
    return StoredNote(note.file.path, title, note.content, note.tags, changed_ms)


def _is_at(path: str, place: Place) -> bool:
    return path == str(place.folder) or path.startswith(f"{place.folder}/")


def _describe(kept: _Kept) -> list[str]:
    looked = kept.looked
    parts: list[str] = []
    for place in looked.places:
        folder, why = place
        count = sum(_is_at(path, place) for path in looked.reading.notes)
        parts.append(
            f"{quote_text(folder)} is not read: {why}" if why else f"{count_of(count, 'file')} of {quote_text(folder)}"
        )
    left_out = looked.reading.left_out
    parts += [f"not read: {each}" for each in left_out[:LEFT_OUT_SHOWN]]
    more = len(left_out) - LEFT_OUT_SHOWN
    return [*parts, f"and {more:,} more"] if more > 0 else parts
