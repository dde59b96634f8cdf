"""The sections of documents in the store, in step with the files."""

from functools import partial
from pathlib import Path

import pytest
import trio

from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_neighbours.documents.daemon.folder import Entry, Folder
from palimp_neighbours.documents.daemon.ranked_search import READ_AT_ONCE, DocumentSearch
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.documents import SearchDocs

DOCUMENTS = 2 * READ_AT_ONCE + 2


@pytest.fixture
async def search(tmp_path: Path, nursery):
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    with trio.fail_after(60):
        yield DocumentSearch(actor, lambda: 0)
        nursery.cancel_scope.cancel()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "docs")
    for number in range(DOCUMENTS):
        made.add(f"doc-{number:02}", f"Title {number}", f"# Heading {number}\nThe text of all number{number}.\n")
    return made


async def test_reading_that_was_broken_off_goes_on_where_it_was(search, folder, monkeypatch):
    """What was read is stored before the rest is: it need not be in memory together."""
    read: list[str] = []
    original = Folder.text

    def text(self: Folder, entry: Entry) -> str:
        read.append(entry.slug)
        if len(read) == DOCUMENTS:
            raise ZeroDivisionError("of ours")
        return original(self, entry)

    monkeypatch.setattr(Folder, "text", text)
    with pytest.raises(ZeroDivisionError):
        await search.search(folder, SearchDocs(pattern="text", ranked=True), Caller())
    read.clear()
    found = await search.search(folder, SearchDocs(pattern="text", ranked=True), Caller())

    assert found.total == DOCUMENTS
    assert read == [f"doc-{number:02}" for number in range(2 * READ_AT_ONCE, DOCUMENTS)]
    read.clear()
    await search.search(folder, SearchDocs(pattern="text", ranked=True), Caller())
    assert read == []


async def test_a_document_that_cannot_be_read_any_more_is_not_found_any_more(search, folder):
    """The others are; the reason is in the answer."""
    await search.search(folder, SearchDocs(pattern="text", ranked=True), Caller())
    (folder.path / "doc-00.md").write_bytes(b"The text \xff of all")
    (folder.path / "doc-01.md").unlink()

    found = await search.search(folder, SearchDocs(pattern="text", ranked=True), Caller())

    assert found.total == DOCUMENTS - 2
    assert [note.split(";")[0] for note in found.notes] == [
        "The file of doc-01 is missing",
        f"'{folder.path / 'doc-00.md'}' is no UTF-8 text (byte 9).",
    ]


async def test_a_match_far_down_in_a_long_section_is_shown_with_its_line(search, folder):
    """The section is searched in parts."""
    lines = [f"Nothing to see in line {number}." for number in range(1, 3000)]
    folder.add("long", "Long", "\n".join(["# Everything", *lines, "The needle is here."]))

    found = await search.search(folder, SearchDocs(pattern="needle", ranked=True), Caller())

    assert len(found.matches) == 1
    assert found.matches[0].heading == "Everything"
    assert "**needle**" in found.matches[0].snippet
    assert 2900 < found.matches[0].line_number <= 3001


async def test_a_row_says_what_its_heading_does_not(search, folder):
    found = await search.search(folder, SearchDocs(pattern="number3", ranked=True), Caller())

    assert [(match.heading, match.snippet) for match in found.matches] == [
        ("Heading 3", "The text of all **number3**.")
    ]
