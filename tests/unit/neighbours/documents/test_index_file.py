"""What is written into the index of a folder is read back from it, whatever else stands there."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from palimp_neighbours.documents.daemon.index_file import INDEX, Entry, entries_in, index_text, load_index, row_of
from palimp_protocol.text import one_line

TITLES = st.text(min_size=1, max_size=50).map(lambda text: one_line(text, 200)).filter(bool)


@given(title=TITLES, other=st.text(alphabet=st.characters(codec=None), max_size=20))
def test_what_is_written_is_read_back(tmp_path_factory, title: str, other: str):
    """Also beside halves of characters that another program wrote there."""
    path: Path = tmp_path_factory.mktemp("docs") / INDEX
    entries = [Entry("one", title, "one.md"), Entry("two", title, "deep/er.md")]
    path.write_text(index_text({"docs": [row_of(entry) for entry in entries], "other": other}), encoding="utf-8")
    assert entries_in(path, load_index(path)) == (entries, [])


def test_the_file_of_a_document_is_only_named_where_its_slug_does_not_say_it():
    assert "file" not in row_of(Entry("one", "One", "one.md"))
    assert row_of(Entry("one", "One", "a/one.md"))["file"] == "a/one.md"


def test_a_folder_without_an_index_has_no_documents(tmp_path: Path):
    path = tmp_path / INDEX
    assert entries_in(path, load_index(path)) == ([], [])
    assert json.loads(index_text(load_index(path)))["docs"] == []
