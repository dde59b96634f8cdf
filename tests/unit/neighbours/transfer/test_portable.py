"""Exports and imports: whatever a memory is, it comes back as it was."""

import tempfile
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples
from new_stores import new_store

from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.store.ids import new_id
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.import_origins import imported_as, note_imported
from palimp_daemon.store.tables.memory_links import links_among, pointers_differing
from palimp_daemon.store.tables.memory_rows import erase
from palimp_daemon.store.tables.mutes import mute
from palimp_daemon.store.tables.pins import pin
from palimp_daemon.store.tables.proposals import propose
from palimp_daemon.store.tables.rule_checks import (
    KnownChecks,
    checks_among,
    encode_checks,
    put_off,
    set_at_breach,
    set_own_checks,
)
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.transfer.daemon.import_handlers import keep_portable, portable
from palimp_neighbours.transfer.daemon.portable import portable_after
from palimp_neighbours.transfer.transfer_messages import PortableLink, PortableMemory, PortableRule
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.links import EditMemory, Supersede
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.rule_messages import Check

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


@settings(max_examples=examples(40))
@given(memories())
def test_what_is_imported_is_exported_the_same(made):
    """In pages, through JSON, and a second import changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        store = new_store(Path(folder) / "palimp.db")
        request_context = RequestContext(store, Caller(ProjectRef("/work/x", "x")), NOW_MS, lambda: 1)
        given_ = [msgspec.json.decode(msgspec.json.encode(memory), type=PortableMemory) for memory in made]

        assert keep_portable(request_context, portable(given_, Redactor()), here=False).imported == len(made)
        assert keep_portable(request_context, portable(given_, Redactor()), here=False).known == len(made)

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
    assert imported_as(store, project, "other:1") is not None


def test_links_pins_mutes_and_proposals_come_back_with_who_said_what(store, request_context, tmp_path):
    """Also where the one that was stored first replaces the other, and with what holds in all projects."""
    everywhere = save_memory(request_context(None), SaveMemory(text="Commit in small steps.")).id
    old = save_memory(request_context(), SaveMemory(text="Retries are three.")).id
    new = save_memory(request_context(), SaveMemory(text="Retries are five.", replaces=[old], narrows=[everywhere])).id
    back = save_memory(request_context(), SaveMemory(text="Timeouts are two.")).id
    supersede(request_context(), Supersede(older=back, newer=new, why="one text says both"))
    edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=new, text="Retries are six.")))
    pin(store, [1, 3], NOW_MS)
    propose(store, 4, NOW_MS)
    mute(store, [2], NOW_MS)
    exported, _ = portable_after(store, None, 0, 100)

    other = new_store(tmp_path / "other.db")
    context = RequestContext(other, Caller(ProjectRef("/work/x", "x")), NOW_MS, lambda: 1)
    copies = [msgspec.json.decode(msgspec.json.encode(memory), type=PortableMemory) for memory in exported]
    assert keep_portable(context, portable(copies, Redactor()), here=False).imported == 5
    assert portable_after(other, None, 0, 100)[0] == exported
    assert [link[1:] for link in links_among(other, [1, 2, 3, 4, 5])] != []
    assert {link[1:] for link in links_among(other, [1, 2, 3, 4, 5])} == {
        link[1:] for link in links_among(store, [1, 2, 3, 4, 5])
    }
    assert pointers_differing(other) == []
    other.connection.close()


def test_checks_of_rules_come_back_and_what_a_person_enforced_does_not(store, request_context, tmp_path):
    """Whoever wrote the file is not to refuse anything here."""
    person = request_context(session=None)
    for text in ("Use pnpm, never npm.", "Never use yarn, use pnpm."):
        save_memory(person, SaveMemory(text=text, kind="preference"))
    own = Check(sort="command", commands=("npm ci",))
    set_own_checks(store, 1, encode_checks([own]))
    set_at_breach(store, 1, "refuse")
    put_off(store, 2)
    exported, _ = portable_after(store, None, 0, 100)
    assert [each.rule for each in exported] == [
        PortableRule(own=(own,), at_breach="refuse"),
        PortableRule(at_breach="off"),
    ]
    other = new_store(tmp_path / "other.db")
    context = RequestContext(other, Caller(ProjectRef("/work/x", "x")), NOW_MS, lambda: 1)
    hostile = msgspec.structs.replace(
        exported[1], id="m1zzzzzzz", content="x", rule=PortableRule(own=(Check(sort="command", commands=("*",)),))
    )
    keep_portable(context, portable([*exported, hostile], Redactor()), here=False)
    assert checks_among(other, [1, 2, 3]) == {
        1: KnownChecks(encode_checks([own]), "remind", is_own=True),
        2: KnownChecks("[]", "off"),
    }
    other.connection.close()


def test_a_link_that_would_make_a_circle_is_not_imported(store):
    context = RequestContext(store, Caller(ProjectRef("/work/x", "x")), NOW_MS, lambda: 1)
    one, two = (new_id("m", NOW_MS + number * 1000, number) for number in range(2))
    links = [
        PortableLink(other=one, relation="replaces", said_by="user", at=5, is_older=is_older)
        for is_older in (False, True)
    ]
    memories = [
        PortableMemory(id=one, title="One", content="One", kind="note", created_at=1),
        PortableMemory(id=two, title="Two", content="Two", kind="note", created_at=2, links=links),
    ]
    kept = keep_portable(context, portable(memories, Redactor()), here=True)
    assert kept.imported == 2
    assert [(link.newer, link.older) for link in links_among(store, [1, 2])] == [(2, 1)]
