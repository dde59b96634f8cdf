"""Ranked search in documents: their sections in the store, brought in step with the files before each search.

Files are read some at a time, and stored before the next are read: what is in memory stays small however much there
is, other sessions come in between, and what was broken off goes on where it was.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from palimp_daemon.actor import Actor
from palimp_daemon.docs.folder import Entry, Folder
from palimp_daemon.docs.sections import passages_of
from palimp_daemon.group_commit import Job
from palimp_daemon.plain_files import is_gone
from palimp_daemon.search.snippet import row_snippet
from palimp_daemon.store import documents as table
from palimp_daemon.store.documents import FileState, FoundSections, ReadDocument, SectionText
from palimp_daemon.store.store import Store
from palimp_daemon.threads import in_thread
from palimp_protocol.documents import DocMatch, DocMatches, SearchDocs
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import DOC_MATCHES_MAX, READ_DEADLINE_S
from palimp_protocol.operations import Memory, Recall, Recalled

READ_AT_ONCE: Final = 5
"""Documents that are read, and then stored, at a time."""


class DocumentSearch:
    """Finds sections of documents."""

    def __init__(self, actor: Actor, now_ms: Callable[[], int]) -> None:
        self._actor = actor
        self._now_ms = now_ms

    async def search(self, folder: Folder, request: SearchDocs) -> DocMatches:
        """Answer `search_docs(ranked=true)`.

        Raises:
            PalimpError: no such document, the index of the folder is broken, or the store cannot be used.
        """
        if request.slug:
            await in_thread(partial(folder.entry, request.slug))
        notes = await self._refresh(folder)
        found, snippets = await self._sections(
            table.Asked(str(folder.path), request.pattern, DOC_MATCHES_MAX, request.slug)
        )
        matches = [
            DocMatch(
                slug=section.slug,
                title=section.title,
                line_number=section.line,
                snippet=snippet,
                heading=section.heading,
                score=round(section.rank.score, 3),
            )
            for section, snippet in zip(found.best, snippets, strict=True)
        ]
        return DocMatches(matches=matches, total=found.total, notes=notes)

    async def recall(self, folder: Folder, request: Recall) -> Recalled:
        """Answer `recall(kind="doc")`: sections of documents, marked as such.

        Raises:
            PalimpError: as `search`.
        """
        text = request.query or request.title or ""
        notes = await self._refresh(folder)
        if not text.strip():
            return Recalled(detail="compact", notes=[*notes, "Documents are listed by list_docs; give a query here."])
        found, snippets = await self._sections(table.Asked(str(folder.path), text, request.limit))
        rows = [
            Memory(
                id=section.slug,
                title=f"{section.title} › {section.heading}" if section.heading != section.title else section.title,
                kind="doc",
                created_at=section.changed_at,
                score=round(section.rank.score, 3),
                snippet=snippet,
                source="document",
                why=section.rank.why() if request.explain else "",
            )
            for section, snippet in zip(found.best, snippets, strict=True)
        ]
        hint = ["Rows are sections of documents; read_doc(slug=id) shows the document."] if rows else []
        query = f'"{" ".join(text.split())}", kind = doc'
        return Recalled(detail="compact", query=query, memories=rows, total=found.total, notes=[*notes, *hint])

    async def forget_gone(self) -> None:
        """Forget what is indexed of folders that are gone; what their documents said before is kept.

        Raises:
            PalimpError: the store cannot be used.
        """
        known: list[str] = await self._actor.ask(_read_job(table.indexed_trees))
        for tree in await in_thread(lambda: [each for each in known if is_gone(each)]):
            forget = partial(table.forget_documents, tree=tree, limit=READ_AT_ONCE)
            while await self._actor.ask(Job(forget, is_write=True)):
                pass

    async def _sections(self, asked: table.Asked) -> tuple[FoundSections, list[str]]:
        def work(store: Store) -> tuple[FoundSections, list[str]]:
            found = table.find_sections(store, asked, self._now_ms())
            return found, [
                row_snippet(section.heading, section.text, "", found.wanted, store.stems) for section in found.best
            ]

        return await self._actor.ask(_read_job(work))

    async def _refresh(self, folder: Folder) -> list[str]:
        """Bring the sections in the store in step with the files; return what could not be read."""
        tree = str(folder.path)
        known: table.Known = await self._actor.ask(_read_job(lambda store: table.states(store, tree)))
        changed, gone, notes = await in_thread(partial(_differences, folder, known))
        for first in range(0, max(len(changed), bool(gone)), READ_AT_ONCE):
            read, unreadable = await in_thread(partial(_read, folder, changed[first : first + READ_AT_ONCE]))
            left = [*unreadable, *(gone if first == 0 else ())]
            await self._actor.ask(
                Job(partial(table.update_sections, tree=tree, changed=read, gone=left), is_write=True)
            )
            notes += unreadable.values()
        return notes


class _Changed(NamedTuple):
    """A document whose file is not in the state in which it was read."""

    entry: Entry
    state: FileState


def _read_job(work: Callable[[Store], Any]) -> Job:
    return Job(work, is_write=False, deadline_s=READ_DEADLINE_S)


def _differences(folder: Folder, known: table.Known) -> tuple[list[_Changed], list[str], list[str]]:
    """Return the documents that are not as *known*, those that are gone, and what cannot be looked at."""
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
    return changed, sorted(known.keys() - there), notes


def _read(folder: Folder, changed: Sequence[_Changed]) -> tuple[list[ReadDocument], Mapping[str, str]]:
    """Return the documents as they are now, and why others, by slug, cannot be read."""
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
