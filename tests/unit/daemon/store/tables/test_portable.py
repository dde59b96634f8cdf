"""Exports and imports: whatever a memory is, it comes back as it was."""

import tempfile
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from palimp_daemon.features.transfer.handlers import keep_portable
from palimp_daemon.store.ids import new_id
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.memories import erase
from palimp_daemon.store.tables.portable import is_imported, note_imported, portable_after
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.transfer import PortableMemory

NOW_MS = 1_763_726_400_000
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<"), min_size=1, max_size=40).map(
    str.strip
)


@st.composite
def memories(draw) -> list[PortableMemory]:
    """Memories in two projects and none, in the order of their ids; some purged, some replaced by later ones."""
    made: list[PortableMemory] = []
    for number in range(draw(st.integers(1, 6))):
        project = draw(st.sampled_from(["", "/work/one", "/work/two"]))
        older = [each.id for each in made if each.project == project and not any(each.id in m.supersedes for m in made)]
        made.append(
            PortableMemory(
                id=new_id("m", NOW_MS + number * 1000, number),
                title=draw(TEXT.filter(bool)),
                content=draw(TEXT.filter(bool)),
                kind=draw(st.sampled_from(["note", "decision", "fix"])),
                created_at=NOW_MS + number,
                project=project,
                project_name=project.rsplit("/", 1)[-1],
                tags=draw(st.lists(st.sampled_from(["a", "b-c", "日本"]), unique=True, max_size=2)),
                source=draw(st.sampled_from(["manual", "cli"])),
                session=draw(st.sampled_from(["", "s1"])),
                client="",
                updated_at=draw(st.none() | st.just(NOW_MS)),
                purged_at=draw(st.none() | st.just(NOW_MS + 5)),
                quote=draw(st.sampled_from(["", "So it was said."])),
                supersedes=sorted(draw(st.sets(st.sampled_from(older), max_size=2))) if older else [],
            )
        )
    return made


@settings(max_examples=40)
@given(memories())
def test_what_is_imported_is_exported_the_same(made):
    """In pages, through JSON, and a second import changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "palimp.db", "auto")
        request_context = RequestContext(store, Caller(ProjectRef("/work/x", "x")), NOW_MS, lambda: 1)
        given_ = [msgspec.json.decode(msgspec.json.encode(memory), type=PortableMemory) for memory in made]

        assert keep_portable(request_context, given_, Redactor(), here=False).imported == len(made)
        assert keep_portable(request_context, given_, Redactor(), here=False).known == len(made)

        exported: list[PortableMemory] = []
        after: int | None = 0
        while after is not None:
            page, after = portable_after(store, None, after, 2)
            exported += page
        store.connection.close()
    assert exported == made


def test_what_was_erased_is_not_imported_again(store):
    """The hash of what another program calls it stays."""
    project = ensure_project(store, Caller(ProjectRef("/work/one", "one")), NOW_MS)
    note_imported(store, project, "other:1", 7)
    erase(store, 7, "m1abcdefg")
    assert is_imported(store, project, "other:1")
