"""What is derived matches its tables whatever was stored and done; where it does not, it is built anew.

Texts are drawn from all of Unicode, from the scripts that people write in, and in every normal form.
"""

import itertools
import random
import shutil
import tempfile
import unicodedata
from functools import cache
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from lanes import ENGINES, IS_NIGHTLY, examples, steps
from msgspec.structs import replace
from new_stores import new_store, put_new_store, template_folder, without_fsync
from request_contexts import RequestContexts

from palimp_daemon.codediff.diff import Hunk, without_moves
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.features.memories.save import draft, store_drafts
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.search.engine import SECTIONS_TRIGGERS, WORDS_TRIGGERS
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED
from palimp_daemon.store.checks.rebuild import rebuilds
from palimp_daemon.store.checks.rewriting import rewrite
from palimp_daemon.store.checks.verify import examine
from palimp_daemon.store.derived_index import Derived
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store, ensure_project, newest_memory
from palimp_daemon.store.tables import memory_merge
from palimp_daemon.store.tables.memory_links import pointers_differing
from palimp_daemon.store.tables.memory_rows import delete_project_memories, set_purged
from palimp_daemon.store.tables.project_merge import join
from palimp_daemon.store.tables.project_rows import project_at
from palimp_daemon.store.tables.removed_code.change_rows import Change, forget_hunks, insert_change
from palimp_daemon.store.tables.removed_code.hunk_index import unwatch
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.documents.daemon.document_rows import (
    FileState,
    ReadDocument,
    SectionText,
    forget_documents,
    update_sections,
)
from palimp_neighbours.transfer.daemon.import_handlers import keep_portable, portable
from palimp_neighbours.transfer.daemon.portable import portable_after
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

SCRIPTS = (
    "We met at the café.",
    "Ærøskøbing, Łódź, Übergröße, naïve façade, ﬁn de siècle, ſtraße",
    "API用のキーを環境変数に入れる",
    "用户决定使用 SQLite 而不是 Postgres",
    "결정: 캐시는 쓰지 않는다",
    "Мы встретились в кафе, ёлка",
    "Συναντηθήκαμε στο καφέ, ΟΔΟΣ",
    "נפגשנו בבית הקפה, שָׁלוֹם",
    "التقينا في المقهى، مُحَمَّد",
    "हम कैफ़े में मिले, क्षत्रिय",
    "เราพบกันที่ร้านกาแฟ",
    "ကော်ဖီဆိုင်",
    "𝒜𝓁𝓅𝒽𝒶 𐐀𐐨 𒀀𒀁",
    "İstanbul ığdır ŉ ǰ ΐ",
    "👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 1️⃣",
    "ＡＰＩ　ｋｅｙ：１２３",
    "e\u0301\u0327\u0489 \u0301\u0301 a\u20dd",
    "\u200bzero\u200dwidth\ufeff \u202eright\u202c \U000e0041",
    "…!?—«»·•§¶ ☃ ∑∂",
    "don't it's o'clock foo_bar fooBar2 HTTP2Server 1.2.3 a/b-c",
    "\x01\x02\x1b[31m\x7f\x85",
)

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
long_words = st.builds(
    lambda letter, count: letter * count, st.sampled_from("xß1中é"), st.sampled_from([63, 65, 200, 3_000])
)
said = st.lists(st.sampled_from(SCRIPTS) | any_text | long_words, min_size=1, max_size=4).map(" ".join)
texts = st.tuples(said, st.sampled_from([None, "NFC", "NFD", "NFKC", "NFKD"])).map(
    lambda drawn: unicodedata.normalize(drawn[1], drawn[0]) if drawn[1] else drawn[0]
)
requests = st.builds(
    lambda text, title, tags, kind: (text, title, tags, kind),
    texts,
    st.none() | texts,
    st.lists(texts.map(lambda text: text[:40]), max_size=3),
    st.sampled_from(["note", "decision", "summary"]),
)


def drafted(text: str, title: str | None, tags: list[str], kind: str):
    """Return what a request to save amounts to; None where it is refused."""
    try:
        return draft(Redactor(), SaveMemory(text=text, title=title and title[:200], tags=tags, kind=kind))
    except PalimpError:
        return None


def opened(path: Path, engine: str) -> Store:
    """Return the store at *path*, which does not call fsync."""
    if not path.exists():
        put_new_store(path, engine)
    return without_fsync(open_store(path, engine))


def differences(store: Store, after: int = 0) -> list[str]:
    """Return what differs in any derived table, compared row by row, each also looked for by its words."""
    found = []
    for each in ALL_DERIVED:
        rows = each.next_rows(store, after, 10_000)
        found += [f"{each.name}: {why}" for row in [[], *([row] for row in rows)] if (why := each.problem(store, row))]
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_a_healthy_store_is_never_found_to_differ(engine: str, tmp_path: Path):
    """Whatever its texts are: each is compared by itself, and all of them at the end."""
    path = tmp_path / "palimp.db"
    store = opened(path, engine)
    request_context = RequestContexts(store)

    @given(saved=st.lists(requests, min_size=1, max_size=4))
    @settings(max_examples=examples(15))
    def saved_and_compared(saved: list):
        newest = newest_memory(store)
        if drafts := [each for request in saved if (each := drafted(*request))]:
            store_drafts([(request_context(), each) for each in drafts])
        assert differences(store, newest) == []

    saved_and_compared()
    assert examine(store) == ""
    store.connection.close()
    store = open_store(path, engine)
    assert rebuilds(store) == []
    store.connection.close()


MANGLED = {
    "rows deleted": "DELETE FROM {table}",
    "one row deleted": "DELETE FROM {table} WHERE rowid = 3",
    "rows of nothing": "INSERT INTO {table} (rowid, {column}) VALUES (4711, 'wrong row')",
    "table dropped": "DROP TABLE {table}",
    "sizes deleted": "DELETE FROM {table}_docsize",
    "structure emptied": {
        "fts5": "UPDATE {table}_data SET block = zeroblob(length(block))",
        "fts4": "UPDATE {table}_segdir SET root = zeroblob(length(root))",
    },
    "words deleted": {"fts5": "DELETE FROM {table}_data WHERE id > 10", "fts4": "DELETE FROM {table}_segdir"},
    "own table dropped": {"fts5": "DROP TABLE {table}_data", "fts4": "DROP TABLE {table}_segdir"},
    "settings dropped": {"fts5": "DROP TABLE {table}_config", "fts4": "DROP TABLE {table}_stat"},
}


def filled(path: Path, engine: str) -> None:
    """Put a store with memories, sections and removed code at *path*."""
    shutil.copyfile(_filled(engine), path)


@cache
def _filled(engine: str) -> Path:
    """Return the store that is copied."""
    path = template_folder() / f"filled-{engine}.db"
    store = new_store(path, engine)
    request_context = RequestContexts(store)
    store_drafts(
        [
            (request_context(), draft(Redactor(), SaveMemory(text=f"Fact {n}: {SCRIPTS[n]}")))
            for n in range(len(SCRIPTS))
        ]
    )
    sections = [SectionText(f"Heading {n}", n, text) for n, text in enumerate(SCRIPTS)]
    update_sections(store, "/w/docs", [ReadDocument("a", "A", FileState(1, 1), "text", sections)], [])
    project = ensure_project(store, request_context().caller, 0)
    for n in range(5):
        removed = (f"def removed_code_{n}(argument):", "    return argument.of_something()")
        insert_change(store, project, Change("It was slow.", 5 + n), without_moves([Hunk(f"{n}.py", 1, removed, ())]))
    store.connection.close()
    return path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", MANGLED)
@pytest.mark.parametrize("derived", [each for each in ALL_DERIVED if each.full_text], ids=lambda each: each.full_text)
def test_a_mangled_index_is_built_anew_and_answers(tmp_path: Path, engine: str, how: str, derived: Derived):
    """The store opens, nothing differs any more, and it is noted when and why."""
    path = tmp_path / "palimp.db"
    filled(path, engine)
    statement = MANGLED[how]
    statement = statement if isinstance(statement, str) else statement[engine]
    column = "words" if derived.full_text == "hunks_fts" else "content"
    mangle(path, statement.format(table=derived.full_text, column=column))
    store = open_store(path, engine)
    assert differences(store) == []
    assert [(each.index, each.is_running) for each in rebuilds(store)] == [(derived.name, False)]
    assert recall(RequestContexts(store)(), Recall(query="café")).total >= 1
    store.connection.close()
    store = open_store(path, engine)
    assert len(rebuilds(store)) == 1, "once is enough"
    store.connection.close()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("trigger", WORDS_TRIGGERS + SECTIONS_TRIGGERS)
def test_an_index_without_what_keeps_it_in_step_is_built_anew(tmp_path: Path, engine: str, trigger: str):
    """Before anything is written that would not be in it."""
    path = tmp_path / "palimp.db"
    filled(path, engine)
    mangle(path, f"DROP TRIGGER {trigger}")
    store = open_store(path, engine)
    assert len(rebuilds(store)) == 1
    triggers = store.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    assert (trigger,) in triggers
    store.connection.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_lost_sketches_are_made_anew(tmp_path: Path, engine: str):
    """So that near-duplicates are told of."""
    path = tmp_path / "palimp.db"
    filled(path, engine)
    mangle(path, "DELETE FROM sketches")
    store = open_store(path, engine)
    assert differences(store) == []
    assert [each.index for each in rebuilds(store)] == ["similar memories"]
    store.connection.close()


def mangle(path: Path, statement: str) -> None:
    """Run *statement* on the database at *path* as a program does that is not palimp."""
    connection = apsw.Connection(str(path))
    connection.execute(statement)
    connection.close()


class HealthyStore(RuleBasedStateMachine):
    """Does whatever palimp does to a store; nothing of it makes an index differ, or looks like damage."""

    engine = "fts5"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store = opened(self.folder / "palimp.db", self.engine)
        self.request_context = RequestContexts(self.store)
        self.chance = random.Random(5)

    def teardown(self) -> None:
        self.store.connection.close()
        shutil.rmtree(self.folder)

    def _numbers(self) -> list[int]:
        return [seq for (seq,) in self.store.connection.execute("SELECT seq FROM memories").fetchall()]

    def _has_memories(self) -> bool:
        return bool(self._numbers())

    @rule(saved=st.lists(requests, min_size=1, max_size=4), place=st.sampled_from(["/w/one", "/w/two", None]))
    def save(self, saved: list, place: str | None):
        if drafts := [each for request in saved if (each := drafted(*request))]:
            session = self.chance.choice(["s1", "s2"])
            store_drafts([(self.request_context(place, session), each) for each in drafts])

    @precondition(_has_memories)
    @rule(at=st.sampled_from([None, 5]))
    def purge_or_restore(self, at: int | None):
        set_purged(self.store, self.chance.choice(self._numbers()), at)

    @precondition(_has_memories)
    @rule()
    def delete_for_good(self):
        seq = self.chance.choice(self._numbers())
        [(shown,)] = self.store.connection.execute("SELECT id FROM memories WHERE seq = ?", (seq,)).fetchall()
        for place in ("/w/one", "/w/two", None):
            erase(self.request_context(place), Erase(ids=[shown]))
        rewrite(self.store)

    @precondition(_has_memories)
    @rule()
    def merge_and_take_it_back(self):
        request_context = self.request_context("/w/one")
        project = ensure_project(self.store, request_context.caller, request_context.now_ms)
        seqs = self._numbers()
        pairs = [memory_merge.Pair(older, newer, "") for older, newer in itertools.pairwise(seqs)]
        with recording(request_context, "compact"):
            marked = memory_merge.mark_merged(self.store, project, pairs, request_context.now_ms)
        if marked and self.chance.random() < 0.5:
            undo(request_context, Undo())

    @rule(lead=st.sampled_from(["", " \n" * 900, "\ufeff"]))
    def export_and_import(self, lead: str):
        memories, _ = portable_after(self.store, None, 0, 100)
        if memories:
            delete_project_memories(self.store, ensure_project(self.store, self.request_context("/w/one").caller, 0))
            moved = [replace(memory, content=lead + memory.content) for memory in memories]
            keep_portable(self.request_context("/w/one"), portable(moved, Redactor()), here=self.chance.random() < 0.5)

    @rule(lines=st.lists(texts, min_size=1, max_size=5), reason=texts, path=texts)
    def take_code_out(self, lines: list[str], reason: str, path: str):
        request_context = self.request_context("/w/one")
        project = ensure_project(self.store, request_context.caller, request_context.now_ms)
        removed = tuple(line for text in lines for line in text.splitlines())
        hunks = without_moves([Hunk(path, 1, removed, ())])
        insert_change(self.store, project, Change(reason, request_context.now_ms), hunks)
        for (number,) in self.store.connection.execute("SELECT id FROM hunks WHERE state = 0").fetchall():
            if self.chance.random() < 0.3:
                unwatch(self.store, project, number, "dismissed")
        if self.chance.random() < 0.2:
            forget_hunks(self.store, project, 2**53, 0, 1)

    @rule(title=texts, parts=st.lists(texts, min_size=1, max_size=4), slug=st.sampled_from(["a", "b"]))
    def read_a_document(self, title: str, parts: list[str], slug: str):
        sections = [SectionText(title, place, part) for place, part in enumerate(parts)]
        state = FileState(self.chance.randrange(10**9), 5)
        update_sections(self.store, "/w/one/docs", [ReadDocument(slug, title, state, "".join(parts), sections)], [])
        if self.chance.random() < 0.2:
            forget_documents(self.store, "/w/one/docs", 1)

    @rule()
    def join_two_projects(self):
        former = project_at(self.store, "/w/one")
        if former is not None and project_at(self.store, "/w/two") is not None:
            join(self.store, former.id, ProjectRef("/w/two", "two"))

    @rule()
    def open_again(self):
        self.store.connection.close()
        self.store = opened(self.folder / "palimp.db", self.engine)
        bits, self.request_context = self.request_context.bits, RequestContexts(self.store)
        self.request_context.bits = bits

    @invariant()
    def nothing_differs(self):
        assert differences(self.store) == []
        assert examine(self.store) == ""
        assert pointers_differing(self.store) == []
        assert rebuilds(self.store) == []


class HealthyStoreOnFts4(HealthyStore):
    """The same on the other engine."""

    engine = "fts4"


HealthyStore.TestCase.settings = settings(max_examples=examples(4), stateful_step_count=steps(8))
# On FTS4 one example takes a second.
HealthyStoreOnFts4.TestCase.settings = settings(max_examples=20 if IS_NIGHTLY else 1, stateful_step_count=steps(6))
TestHealthyStore = HealthyStore.TestCase
TestHealthyStoreOnFts4 = HealthyStoreOnFts4.TestCase
