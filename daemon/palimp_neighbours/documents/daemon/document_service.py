"""Answer operations on documents: files and store, one write at a time per folder.

A text is stored before its file is touched, the reply after it: a request sent again after a crash gets its first
reply, or is done.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from msgspec.structs import replace

from palimp_daemon.runtime.keyed_locks import KeyedLocks
from palimp_daemon.runtime.threads import finished_in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.erasures import note_erasure
from palimp_daemon.store.tables.requests import remembered_reply
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.markdown import pages_of
from palimp_neighbours.documents.daemon import document_rows as table
from palimp_neighbours.documents.daemon.cited import cited_in, names_any
from palimp_neighbours.documents.daemon.expected_version import ReadTexts, changed_since, version_of
from palimp_neighbours.documents.daemon.folder import Entry, Folder, folder_of
from palimp_neighbours.documents.daemon.folder_adoption import adoptable, markdown_below
from palimp_neighbours.documents.daemon.line_search import Pattern
from palimp_neighbours.documents.daemon.ranked_search import DocumentSearch
from palimp_neighbours.documents.daemon.slug import checked_slug
from palimp_protocol.decoders import decoder_of
from palimp_protocol.errors import NotFoundError, PalimpError, RequestError
from palimp_protocol.limits import DOC_LINES_COUNTED_MAX, DOC_MATCHES_MAX
from palimp_protocol.messages import documents as messages
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erased
from palimp_protocol.messages.memory_messages import Cited, Recall, Recalled
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import count_of, quote_text


class Documents:
    """Answers operations on documents."""

    def __init__(self, actor: Actor, settings: Settings, now_ms: Callable[[], int]) -> None:
        self._actor = actor
        self._settings = settings
        self._now_ms = now_ms
        self._locks = KeyedLocks()
        self._texts = ReadTexts()
        self.ranked = DocumentSearch(actor, now_ms)

    async def answer(self, name: str, request: Any, caller: Caller, request_id: bytes) -> Any:
        """Return the reply of operation *name*.

        Raises:
            PalimpError: it failed; the text says what is left as it was.
        """
        folder = await self._folder(caller)
        if name == "search_docs" and request.ranked:
            return await self.ranked.search(folder, request, caller)
        if name in self._readers:
            return await self._with_cited(await self._readers[name](self, folder, request), caller)
        async with self._locks.lock(str(folder.path)):
            if request_id and (stored := await self._actor.read(lambda store: remembered_reply(store, request_id))):
                return decoder_of(OPERATIONS[name].reply).decode(stored)
            reply = await self._writers[name](self, folder, request)
            if isinstance(reply, messages.DocChanged) and reply.done != "deleted":
                reply = await self._report_cited(folder, reply, caller)
            if request_id:
                kind, now_ms = OPERATIONS[name].reply, self._now_ms()
                job = Job(lambda _: reply, is_write=True, now_ms=now_ms, request_id=request_id, reply_type=kind)
                await self._actor.ask(job)
        return reply

    async def _folder(self, caller: Caller) -> Folder:
        """Return *caller*'s folder; never the default one for broken settings."""
        values = await self._settings.of(caller, look_again_s=0.0)
        if problems := self._settings.problems_of_project(caller):
            raise RequestError(problems[0], "Mend it first: it says where the documents are.")
        return await finished_in_thread(partial(folder_of, tree_of(caller), values.text("docs.dir")))

    async def _with_cited(self, reply: Any, caller: Caller) -> Any:
        if isinstance(reply, messages.DocPage):
            (cited,), notes = await self._find_cited([reply.content], caller)
            return replace(reply, cited=cited, notes=notes)
        if isinstance(reply, messages.DocMatches):
            told, notes = await self._find_cited([match.snippet for match in reply.matches], caller)
            matches = [replace(match, cited=cited) for match, cited in zip(reply.matches, told, strict=True)]
            return replace(reply, matches=matches, notes=[*reply.notes, *notes])
        return reply

    async def _report_cited(self, folder: Folder, reply: messages.DocChanged, caller: Caller) -> messages.DocChanged:
        try:
            text = await finished_in_thread(lambda: folder.text(folder.entry(reply.slug)))
        except PalimpError:
            return reply  # somebody else changed it since; it was written all the same
        (cited,), notes = await self._find_cited([text], caller)
        return replace(reply, version=self._texts.remember(text), cited=cited, notes=[*reply.notes, *notes])

    async def _find_cited(self, texts: Sequence[str], caller: Caller) -> tuple[list[list[Cited]], list[str]]:
        if not names_any(texts):
            return [[] for _ in texts], []
        try:
            return await self._actor.read(lambda store: cited_in(store, caller, texts)), []
        except PalimpError as error:  # the document is there all the same
            return [[] for _ in texts], [f"It is unknown whether the memories named here still hold: {error.text}"]

    # --- reading ---------------------------------------------------------------------------------

    async def _list(self, folder: Folder, _: messages.ListDocs) -> messages.DocList:
        def work() -> messages.DocList:
            docs = [messages.Doc(entry.slug, entry.title) for _, entry in sorted(folder.entries().items())]
            return messages.DocList(folder=str(folder.path), docs=docs, notes=folder.disagreements())

        return await finished_in_thread(work)

    async def _read(self, folder: Folder, request: messages.ReadDoc) -> messages.DocPage:
        def work() -> messages.DocPage:
            entry = folder.entry(request.slug)
            text = folder.text(entry)
            pages = pages_of(text)
            if request.page > len(pages):
                raise RequestError(
                    f"page: {quote_text(request.slug)} has {count_of(len(pages), 'page')}, not {request.page}."
                )
            content = pages[request.page - 1]
            return messages.DocPage(
                slug=entry.slug,
                title=entry.title,
                content=content,
                page=request.page,
                pages=len(pages),
                version=self._texts.remember(text),
            )

        return await finished_in_thread(work)

    async def _search(self, folder: Folder, request: messages.SearchDocs) -> messages.DocMatches:
        def work() -> messages.DocMatches:
            pattern = Pattern(request.pattern, is_regex=request.is_regex, case_sensitive=request.case_sensitive)
            entries = [folder.entry(request.slug)] if request.slug else list(folder.entries().values())
            matches: list[messages.DocMatch] = []
            notes: list[str] = []
            total = 0
            for entry in sorted(entries):
                try:
                    room = DOC_MATCHES_MAX - len(matches)
                    lines, count = pattern.lines(folder.data(entry), room, DOC_LINES_COUNTED_MAX - total)
                except PalimpError as error:
                    notes.append(error.text)
                    continue
                total += count
                matches += [
                    messages.DocMatch(
                        slug=entry.slug, title=entry.title, line_number=line.line_number, snippet=line.snippet
                    )
                    for line in lines
                ]
                if total >= DOC_LINES_COUNTED_MAX:
                    notes.append(f"Counting stopped at {DOC_LINES_COUNTED_MAX:,} lines.")
                    break
            return messages.DocMatches(matches=matches, total=total, notes=notes)

        return await finished_in_thread(work)

    async def forget(self, request: messages.ForgetDoc, caller: Caller, request_id: bytes) -> Erased:
        """Delete former texts for good, and note that the database must be rewritten.

        Raises:
            PalimpError: there are none; or as `answer`. Nothing was deleted.
        """
        folder, slug = await self._folder(caller), checked_slug(request.slug)
        now_ms, titles = self._now_ms(), dict[str, str]()

        def work(store: Store) -> Erased:
            erased = table.erase_versions(store, str(folder.path), slug, request.versions)
            if not erased:
                raise NotFoundError(f"No such former text of {slug!r} is kept.", "See `palimp docs history`.")
            note_erasure(store, now_ms)
            titles.update((_version_name(slug, number), title) for number, title in erased)
            missing = sorted({*request.versions} - {number for number, _ in erased})
            # What is remembered under the request id has no titles: they are part of what is erased.
            return Erased(
                memories=[(_version_name(slug, number), "") for number, _ in erased],
                unknown=[f"{_version_name(slug, number)}: no such former text is kept" for number in missing],
            )

        async with self._locks.lock(str(folder.path)):
            job = Job(work, is_write=True, now_ms=now_ms, request_id=request_id, reply_type=Erased).allow_on_full_disk()
            erased: Erased = await self._actor.ask(job)
        named = [(name, titles.get(name, "")) for name, _ in erased.memories]
        return replace(erased, memories=named)

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* asks for documents."""
        return request.kind == "doc"

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Answer `recall(kind="doc")`: documents' sections.

        Raises:
            PalimpError: it names memories, or does something to them; or as `answer`.
        """
        if request.id or request.ids or request.action != "view":
            raise RequestError("kind=doc is for searching.", "Use read_doc, edit_doc, delete_doc.")
        return await self.ranked.recall(await self._folder(caller), request, caller)

    async def _history(self, folder: Folder, request: messages.DocsHistory) -> messages.DocVersions:
        slug = checked_slug(request.slug) if request.slug else None
        found = await self._actor.read(lambda store: table.versions(store, str(folder.path), slug))
        return messages.DocVersions(
            versions=[
                messages.DocVersion(version=number, slug=name, title=title, done=done, at=at, characters=characters)
                for number, name, title, done, at, characters in found
            ]
        )

    # --- writing ---------------------------------------------------------------------------------

    async def _add(self, folder: Folder, request: messages.AddDoc) -> messages.DocChanged:
        _check_content(request.content)
        path = await finished_in_thread(partial(folder.add, request.slug, _line(request.title), request.content))
        return messages.DocChanged(slug=request.slug, title=_line(request.title), done="added", path=str(path))

    async def _edit(self, folder: Folder, request: messages.EditDoc) -> messages.DocChanged:
        _check_content(request.content)
        entry = await finished_in_thread(partial(folder.entry, request.slug))
        await self._check_version(folder, entry, request.version)
        title = _line(request.title) if request.title else None
        async with self._keeping(folder, entry, "edited") as former:
            entry = await finished_in_thread(partial(folder.edit, request.slug, request.content, title))
        path = str(folder.path / entry.file)
        return messages.DocChanged(slug=entry.slug, title=entry.title, done="edited", path=path, former=former)

    async def _delete(self, folder: Folder, request: messages.DeleteDoc) -> messages.DocChanged:
        entry = await finished_in_thread(partial(folder.entry, request.slug))
        await self._check_version(folder, entry, request.version)
        async with self._keeping(folder, entry, "deleted") as former:
            was_there = await finished_in_thread(partial(folder.delete, request.slug))
        path = str(folder.path / entry.file)
        notes = [] if was_there else [f"Its file was missing already: {quote_text(path)}."]
        return messages.DocChanged(
            slug=entry.slug, title=entry.title, done="deleted", path=path, former=former, notes=notes
        )

    async def _restore(self, folder: Folder, request: messages.RestoreDoc) -> messages.DocChanged:
        slug = checked_slug(request.slug)

        def read(store: Store) -> tuple[str, str] | None:
            return table.version_text(store, str(folder.path), slug, request.version)

        found = await self._actor.read(read)
        if found is None:
            which = f"version {request.version}" if request.version else "former text"
            raise NotFoundError(f"No {which} of {quote_text(slug)} is kept.", "See `palimp docs history`.")
        title, text = found
        former: int | None = None
        entry = (await finished_in_thread(folder.entries)).get(slug)
        if entry is None:
            path = await finished_in_thread(partial(folder.add, slug, title, text))
        else:
            async with self._keeping(folder, entry, "edited") as former:
                await finished_in_thread(partial(folder.edit, slug, text, title))
            path = folder.path / entry.file
        return messages.DocChanged(slug=slug, title=title, done="restored", path=str(path), former=former)

    async def _adopt(self, folder: Folder, request: messages.AdoptDocs) -> messages.Adopted:
        def work() -> messages.Adopted:
            files = request.files if request.files is not None else markdown_below(folder.path)
            entries, skipped = adoptable(folder, files)
            if entries and not request.dry_run:
                folder.take_in(entries)
            return messages.Adopted(
                adopted=[messages.Doc(entry.slug, entry.title) for entry in entries], skipped=skipped
            )

        return await finished_in_thread(work)

    async def _repair(self, folder: Folder, _: messages.RepairDocs) -> messages.Repaired:
        return messages.Repaired(done=await finished_in_thread(folder.repair))

    async def _check_version(self, folder: Folder, entry: Entry, version: str | None) -> None:
        """Check that *entry* is as its writer read it; hold the folder's lock."""
        if version is None:
            return
        text = await _text(folder, entry) or ""
        if version_of(text) == version.strip().lower():
            return
        before = self._texts.text_of(version.strip().lower())
        raise await finished_in_thread(partial(changed_since, entry.slug, before, text))

    @asynccontextmanager
    async def _keeping(self, folder: Folder, entry: Entry, done: str) -> AsyncGenerator[int | None]:
        """Keep *entry*'s text while it is replaced; yield its version, or None without a text.

        If replacing fails and leaves the text, the version is removed.
        """
        text = await _text(folder, entry)
        if text is None:
            yield None
            return
        now_ms, former = self._now_ms(), table.Former(str(folder.path), entry.slug, entry.title, text, done)
        number = await self._actor.write(lambda store: table.keep_version(store, former, now_ms))
        try:
            yield number
        except PalimpError:
            if await _text(folder, entry) == text:
                await self._actor.write(lambda store: table.forget_version(store, number))
            raise

    _readers: ClassVar[dict[str, Callable[["Documents", Folder, Any], Awaitable[Any]]]] = {
        "list_docs": _list,
        "read_doc": _read,
        "search_docs": _search,
        "docs_history": _history,
    }
    _writers: ClassVar[dict[str, Callable[["Documents", Folder, Any], Awaitable[Any]]]] = {
        "add_doc": _add,
        "edit_doc": _edit,
        "delete_doc": _delete,
        "restore_doc": _restore,
        "adopt_docs": _adopt,
        "repair_docs": _repair,
    }


async def _text(folder: Folder, entry: Entry) -> str | None:
    try:
        return await finished_in_thread(partial(folder.text, entry))
    except PalimpError:
        return None


def tree_of(caller: Caller) -> Path:
    """Return *caller*'s worktree.

    Raises:
        PalimpError: it is in no project, or that is not a folder.
    """
    if caller.project is None:
        raise RequestError("Documents belong to a project.", "Work in a project's folder, or use save_memory.")
    tree = Path(caller.project.tree or caller.project.root)
    if not tree.is_absolute() or not tree.is_dir():
        raise RequestError(f"The project's folder {quote_text(tree)} is not there.")
    return tree


def _check_content(content: str) -> None:
    if not content.strip():
        raise RequestError("content: it is blank.", "Write the document's text.")


def _version_name(slug: str, number: int) -> str:
    return f"{slug} version {number}"


def _line(title: str) -> str:
    return " ".join(title.split()) or "Untitled"
