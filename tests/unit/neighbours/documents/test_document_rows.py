"""What the store keeps of documents: former texts, within bounds, and sections."""

import pytest

from palimp_daemon.store.store import Store
from palimp_neighbours.documents.daemon import document_rows as table
from palimp_neighbours.documents.daemon.document_rows import FileState, Former, ReadDocument, SectionSearch, SectionText


def former(text: str, slug: str = "one", tree: str = "/t") -> Former:
    return Former(tree, slug, "One", text, "edited")


def document(slug: str, text: str, mtime_ns: int = 1) -> ReadDocument:
    return ReadDocument(slug, slug.title(), FileState(mtime_ns, len(text)), text, [SectionText("Part", 1, text)])


def found(store: Store, text: str, tree: str = "/t", slug: str | None = None) -> list[str]:
    return [section.slug for section in table.find_sections(store, SectionSearch(tree, text, 10, slug), 0).best]


def test_the_oldest_former_texts_of_a_document_go(store: Store, monkeypatch: pytest.MonkeyPatch):
    """When there are too many of it."""
    monkeypatch.setattr(table, "DOC_VERSIONS_MAX", 3)
    for number in range(5):
        table.keep_version(store, former(f"text {number}"), number)
    table.keep_version(store, former("another", slug="two"), 9)

    assert [version[4] for version in table.versions(store, "/t", "one")] == [4, 3, 2]
    assert table.version_text(store, "/t", "one", None) == ("One", "text 4")
    assert len(table.versions(store, "/t", None)) == 4


def test_a_former_text_has_the_number_by_which_it_is_told(store: Store):
    """A write that was sent again keeps nothing twice."""
    numbers = [table.keep_version(store, former(text), 1) for text in ("a", "b", "b")]
    assert [version[0] for version in table.versions(store, "/t", "one")] == [numbers[1], numbers[0]]
    assert numbers[1] == numbers[2]


def test_the_oldest_former_texts_of_a_project_go(store: Store, monkeypatch: pytest.MonkeyPatch):
    """When they take too much room."""
    monkeypatch.setattr(table, "DOC_HISTORY_BYTES_MAX", 60)
    for number in range(9):
        table.keep_version(store, former(f"text {number}", slug=f"s{number}"), number)

    left = [version[1] for version in table.versions(store, "/t", None)]
    assert left[0] == "s8"
    assert 1 < len(left) < 9


def test_another_worktree_has_its_own(store: Store):
    """Former texts and sections."""
    table.keep_version(store, former("mine"), 1)
    table.update_sections(store, "/t", [document("one", "otters")], [])

    assert table.versions(store, "/other", None) == []
    assert found(store, "otters", tree="/other") == []
    assert found(store, "otters") == ["one"]


def test_what_is_indexed_of_a_folder_can_be_forgotten(store: Store):
    """Some documents at a time; former texts are kept, and other folders."""
    table.keep_version(store, former("before"), 1)
    table.update_sections(store, "/t", [document("one", "otters"), document("two", "beavers")], [])
    table.update_sections(store, "/other", [document("one", "otters")], [])
    assert table.forget_documents(store, "/t", 1)
    assert not table.forget_documents(store, "/t", 1)
    assert table.indexed_trees(store) == ["/other"]
    assert found(store, "otters", tree="/t") == []
    assert found(store, "otters", tree="/other") == ["one"]
    assert len(table.versions(store, "/t", None)) == 1


def test_sections_follow_the_files(store: Store):
    """Changed ones are read again, touched ones are not, gone ones go."""
    table.update_sections(store, "/t", [document("one", "otters"), document("two", "beavers")], [])
    table.update_sections(store, "/t", [document("one", "squirrels", 2), document("two", "beavers", 3)], [])

    assert found(store, "otters") == []
    assert found(store, "squirrels") == ["one"]
    assert table.states(store, "/t")["two"] == (FileState(3, 7), "Two")
    assert found(store, "beavers squirrels", slug="two") == ["two"]

    table.update_sections(store, "/t", [], ["one"])
    assert found(store, "squirrels") == []
    assert table.states(store, "/t").keys() == {"two"}


def test_a_section_is_found_like_a_memory(store: Store):
    """By irregular forms, parts of names, phrases, and the document's title."""
    texts = {"one": "We chose parseRequestBody.", "two": "The retry budget.", "three": "A budget to retry."}
    table.update_sections(store, "/t", [document(slug, text) for slug, text in texts.items()], [])

    assert found(store, "choose") == ["one"]
    assert found(store, "request") == ["one"]
    assert found(store, '"retry budget"') == ["two"]
    assert found(store, "three") == ["three"]
    assert found(store, "?!") == []


def test_a_section_among_few_is_worth_something(store: Store):
    """Though BM25 takes a word that all of them hold for nothing."""
    table.update_sections(store, "/t", [document("one", "The retry budget.")], [])

    [section] = table.find_sections(store, SectionSearch("/t", "budget", 10), 0).best

    assert section.rank.score > 0.2
