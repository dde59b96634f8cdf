"""Search documents' sections, indexed in the store and updated from files before each search.

It waits WAIT_S for the update, then answers from sections so far and says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio

from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.search.explanation import matching_words, words_in
from palimp_daemon.search.match_positions import SearchStems
from palimp_daemon.search.snippet import row_text
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import FEWER_WORDS, read_job
from palimp_daemon.text.markdown import passages_of
from palimp_neighbours.documents.daemon import document_rows as table
from palimp_neighbours.documents.daemon.cited import cited_in
from palimp_neighbours.documents.daemon.document_rows import (
    FileState,
    FoundSection,
    FoundSections,
    ReadDocument,
    SectionText,
)
from palimp_neighbours.documents.daemon.folder import Entry, Folder
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import DOC_MATCHES_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.documents import DocMatch, DocMatches, SearchDocs
from palimp_protocol.messages.memory_messages import Cited, Memory, Recall, Recalled

READ_AT_ONCE: Final = 5
READ_BYTES: Final = 512 * 1024
"""Documents, and bytes of them, read and then stored at a time, at least one document: others wait for the store a few
tenths of a second.
"""

WAIT_S: Final = 2.5
"""Seconds that a search waits for documents to be indexed: some hundred, if none was."""


class _Told(NamedTuple):
    snippet: str
    cited: list[Cited]
    why: str = ""


class _Indexing:
    def __init__(self) -> None:
        self.is_over = trio.Event()
        self.failure: Exception | None = None
        self.documents = 0
        self.left = 0
        self.notes: list[str] = []

    def so_far(self) -> str:
        if not self.documents:
            return "The documents are being looked through; ask again in a moment."
        done = self.documents - self.left
        return f"{done:,} of {self.documents:,} documents are indexed so far; ask again for the others."


class DocumentSearch(BackgroundTasks):
    """Finds sections of documents."""

    def __init__(self, actor: Actor, now_ms: Callable[[], int]) -> None:
        self._actor = actor
        self._now_ms = now_ms
        self._going_on: dict[Path, _Indexing] = {}

    async def search(self, folder: Folder, request: SearchDocs, caller: Caller) -> DocMatches:
        """Answer `search_docs(ranked=true)`.

        Raises:
            PalimpError: no such document, the index of the folder is broken, or the store cannot be used.
        """
        if request.slug:
            await in_thread(partial(folder.entry, request.slug))
        notes = await self._refresh(folder)
        found, told = await self._sections(
            table.SectionSearch(str(folder.path), request.pattern, DOC_MATCHES_MAX, request.slug), caller
        )
        matches = [
            DocMatch(
                slug=section.slug,
                title=section.title,
                line_number=section.line,
                snippet=snippet,
                heading=section.heading,
                cited=cited,
            )
            for section, (snippet, cited, _) in zip(found.best, told, strict=True)
        ]
        return DocMatches(matches=matches, total=found.total, notes=notes)

    async def recall(self, folder: Folder, request: Recall, caller: Caller) -> Recalled:
        """Answer `recall(kind="doc")`: documents' sections, marked as such.

        Raises:
            PalimpError: as `search`.
        """
        text = request.query or request.title or ""
        notes = await self._refresh(folder)
        if not text.strip():
            return Recalled(detail="compact", notes=[*notes, "Documents are listed by list_docs; give a query here."])
        asked = table.SectionSearch(str(folder.path), text, request.limit)
        found, told = await self._sections(asked, caller, explains=request.explain)
        rows = [
            Memory(
                id=section.slug,
                title=f"{section.title} › {section.heading}" if section.heading != section.title else section.title,
                kind="doc",
                created_at=section.changed_at,
                score=round(section.rank.score, 3) if request.explain else None,
                covered=round(section.covered, 2),
                snippet=snippet,
                source="document",
                cited=cited,
                why=why,
            )
            for section, (snippet, cited, why) in zip(found.best, told, strict=True)
        ]
        hint = ["Rows are sections of documents; read_doc(slug=id) shows the document."] if rows else []
        query = f'"{" ".join(text.split())}", kind = doc'
        return Recalled(detail="compact", query=query, memories=rows, total=found.total, notes=[*notes, *hint])

    async def forget_gone(self) -> None:
        """Forget removed folders' sections; former texts are kept.

        Raises:
            PalimpError: the store cannot be used.
        """
        known: list[str] = await self._actor.read(table.indexed_trees)
        for tree in await in_thread(lambda: [each for each in known if is_gone(each)]):
            forget = partial(table.forget_documents, tree=tree, limit=READ_AT_ONCE)
            while await self._actor.write(forget):
                pass

    async def _sections(
        self, asked: table.SectionSearch, caller: Caller, *, explains: bool = False
    ) -> tuple[FoundSections, list[_Told]]:
        def work(store: Store) -> tuple[FoundSections, list[_Told]]:
            found = table.find_sections(store, asked, self._now_ms())
            cited = cited_in(store, caller, [section.text for section in found.best])
            told = [
                _Told(
                    row_text(section.heading, section.text, "", found.wanted, store.stems).snippet,
                    beside,
                    _why(section, found.wanted, store.stems) if explains else "",
                )
                for section, beside in zip(found.best, cited, strict=True)
            ]
            return found, told

        return await self._actor.ask(read_job(work).hinting(FEWER_WORDS))

    async def _refresh(self, folder: Folder) -> list[str]:
        if self._background is None:
            alone = _Indexing()
            await self._index(folder, alone)
            return alone.notes
        going_on = self._going_on.get(folder.path)
        with trio.move_on_after(WAIT_S):
            if going_on:  # it may have passed by what was changed since it began
                await going_on.is_over.wait()
            going_on = self._going_on.get(folder.path)
            if not going_on:
                self._going_on[folder.path] = going_on = _Indexing()
                self._background.start_soon(self._index_behind, folder, going_on)
            await going_on.is_over.wait()
            if going_on.failure:
                raise going_on.failure
            return going_on.notes
        return [*going_on.notes, going_on.so_far()] if going_on else []

    async def _index_behind(self, folder: Folder, going_on: _Indexing) -> None:
        try:
            await self._index(folder, going_on)
        except Exception as error:  # noqa: BLE001  raised again where it is waited for
            going_on.failure = error
        finally:
            del self._going_on[folder.path]
            going_on.is_over.set()

    async def _index(self, folder: Folder, going_on: _Indexing) -> None:
        tree = str(folder.path)
        known: table.Known = await self._actor.read(lambda store: table.states(store, tree))
        found = await in_thread(partial(_differences, folder, known))
        going_on.documents, going_on.left, going_on.notes = found.documents, len(found.changed), found.notes
        gone = found.gone
        for some in _slices(found.changed) if found.changed else [[]] if gone else []:
            read, unreadable = await in_thread(partial(_read, folder, some))
            update = partial(table.update_sections, tree=tree, changed=read, gone=[*unreadable, *gone])
            await self._actor.write(update)
            gone = []
            going_on.left -= len(some)
            going_on.notes += unreadable.values()


def _why(section: FoundSection, wanted: SearchStems, stems: Stems) -> str:
    words = words_in(f"{section.title}\n{section.heading}\n{section.text}", wanted, stems)
    return f"{matching_words(words, section.covered)} Score {section.rank.score:.2f}."


class _Changed(NamedTuple):
    entry: Entry
    state: FileState


class _Differences(NamedTuple):
    documents: int
    changed: list[_Changed]
    gone: list[str]
    notes: list[str]


def _slices(changed: Sequence[_Changed]) -> Iterator[list[_Changed]]:
    part: list[_Changed] = []
    size = 0
    for each in changed:
        if part and (len(part) == READ_AT_ONCE or size + each.state.size > READ_BYTES):
            yield part
            part, size = [], 0
        part.append(each)
        size += each.state.size
    yield part


def _differences(folder: Folder, known: table.Known) -> _Differences:
    changed: list[_Changed] = []
    there: set[str] = set()
    notes: list[str] = []
    for slug, entry in folder.entries().items():
        try:
            status = folder.file(entry).stat()
        except FileNotFoundError:
            notes.append(f"The file of {slug} is missing; palimp docs repair mends it.")
        except OSError as error:
            notes.append(f"The file of {slug} cannot be looked at: {error.strerror}.")
        except PalimpError as error:
            notes.append(error.text)
        else:
            there.add(slug)
            state = FileState(status.st_mtime_ns, status.st_size)
            if known.get(slug) != (state, entry.title):
                changed.append(_Changed(entry, state))
    return _Differences(len(there), changed, sorted(known.keys() - there), notes)


def _read(folder: Folder, changed: Sequence[_Changed]) -> tuple[list[ReadDocument], Mapping[str, str]]:
    read: list[ReadDocument] = []
    unreadable: dict[str, str] = {}
    for entry, state in changed:
        try:
            text = folder.text(entry)
        except PalimpError as error:
            unreadable[entry.slug] = error.text
        else:
            passages = [SectionText(*passage) for passage in passages_of(text)]
            read.append(ReadDocument(entry.slug, entry.title, state, text, passages))
    return read, unreadable
