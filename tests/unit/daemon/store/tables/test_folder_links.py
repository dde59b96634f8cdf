"""Links between projects lose nothing, whatever is said in whatever order."""

import random
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from lanes import examples, steps
from new_stores import new_store
from request_contexts import RequestContexts

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.ids import RANDOM_BITS
from palimp_daemon.store.store import Store, ensure_project, ensure_session, project_row
from palimp_daemon.store.tables import folder_links
from palimp_daemon.store.tables.memory_links import NewLink, add, pointers_differing
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.removed_code.reintroduced import returning
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

CHANCE = partial(random.Random(1).getrandbits, RANDOM_BITS)
ONE, TWO = ProjectRef("/src/one", "one"), ProjectRef("/src/two", "two")


@pytest.fixture
def store(tmp_path: Path):
    opened = new_store(tmp_path / "palimp.db")
    yield opened
    opened.connection.close()


def save(store: Store, project: ProjectRef, text: str, session: str = "s") -> None:
    request_context = RequestContexts(store)(project.root, session)
    save_memory(replace(request_context, random=CHANCE), SaveMemory(text=text))


def texts(store: Store, project: ProjectRef) -> set[str]:
    row = project_row(store, Caller(project))
    return {text for (text,) in rows(store.connection, "SELECT content FROM memories WHERE project_id = ?", (row,))}


def removed(store: Store, project: ProjectRef, line: str) -> bool:
    row = project_row(store, Caller(project))
    return row is not None and bool(returning(store, row, "a.py", [line, "    return compute_the_rest(value)"], set()))


def take_out(store: Store, project: ProjectRef, line: str) -> None:
    row = ensure_project(store, Caller(project), 1)
    session = ensure_session(store, Caller(project, SessionRef("s", "test")), row, 1)
    gone = (line, "    return compute_the_rest(value)")
    insert_change(store, row, Change("why", 1, "Edit", session_id=session), [Hunk("a.py", 1, gone, ())])


def test_what_a_memory_of_another_folder_replaced_holds_there_again_when_both_part(store: Store):
    save(store, TWO, "Retries are three.")
    save(store, ONE, "of one")
    folder_links.link_clone(store, TWO, ensure_project(store, Caller(ONE), 1), 2)
    save(store, ONE, "Retries are five.")
    add(store, NewLink(3, 1, "replaces", "user"), 5)
    assert value(store.connection, "SELECT superseded_by FROM memories WHERE seq = 1") == 3

    folder_links.unlink_clone(store, folder_links.links_of(store, TWO.root)[0])
    assert value(store.connection, "SELECT superseded_by FROM memories WHERE seq = 1") is None
    assert pointers_differing(store) == []
    folder_links.link_clone(store, TWO, ensure_project(store, Caller(ONE), 1), 2)
    assert value(store.connection, "SELECT superseded_by FROM memories WHERE seq = 1") == 3


def test_removed_code_goes_with_a_link_and_comes_back(store: Store):
    line = "def drop_everything_at_once(value, others):"
    take_out(store, TWO, line)
    save(store, ONE, "of one")
    other = ensure_project(store, Caller(ONE), 1)

    folder_links.link_clone(store, TWO, other, 2)
    assert removed(store, ONE, line)
    assert removed(store, TWO, line)
    [link] = folder_links.links_of(store, TWO.root)
    folder_links.unlink_clone(store, link)

    assert removed(store, TWO, line)
    assert not removed(store, ONE, line)


class Sayings(RuleBasedStateMachine):
    """Two clones and one folder whose repository changes: who sees what, after anything was said."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = new_store(Path(self.folder.name) / "palimp.db")
        self.random = random.Random(1)
        self.saved = 0
        self.former: set[str] = set()
        self.shown: dict[str, set[str]] = {ONE.root: set(), TWO.root: set()}
        self.own_when_linked: set[str] | None = None
        self.state = "plain"
        self.since: set[str] = set()

    @rule(project=st.sampled_from([ONE, TWO]), session=st.sampled_from(["a", "b"]))
    def save(self, project: ProjectRef, session: str) -> None:
        self.saved += 1
        text = f"memory number {self.saved} says {self.saved * 7919}"
        save(self.store, project, text, session)
        linked = self.own_when_linked is not None
        for root in (ONE.root, TWO.root) if linked else (project.root,):
            self.shown[root].add(text)

    @precondition(
        lambda self: self.own_when_linked is None and self.shown[ONE.root] and self.state in ("plain", "other")
    )
    @rule()
    def link(self) -> None:
        self.own_when_linked = set(self.shown[TWO.root])
        folder_links.link_clone(self.store, TWO, ensure_project(self.store, Caller(ONE), 1), 2)
        both = self.shown[ONE.root] | self.shown[TWO.root]
        self.shown = {ONE.root: set(both), TWO.root: set(both)}

    @precondition(lambda self: self.own_when_linked is not None)
    @rule()
    def unlink(self) -> None:
        [link] = [each for each in folder_links.links_of(self.store, TWO.root) if each.state == "clone"]
        own = self.own_when_linked or set()
        assert folder_links.unlink_clone(self.store, link) == len(own)
        self.shown = {ONE.root: self.shown[ONE.root] - own, TWO.root: own}
        self.own_when_linked = None

    @precondition(lambda self: self.own_when_linked is None and self.state == "plain" and self.shown[ONE.root])
    @rule()
    def another_repository(self) -> None:
        folder_links.set_aside(self.store, ONE.root, 3)
        self.former, self.shown[ONE.root], self.state = self.shown[ONE.root], set(), "held"

    @precondition(lambda self: self.own_when_linked is None and self.state in ("held", "other"))
    @rule()
    def same(self) -> None:
        [held] = [each for each in folder_links.links_of(self.store, ONE.root) if each.state in ("held", "other")]
        self.since = set(self.shown[ONE.root])
        folder_links.merge_held_project(self.store, held, ONE, ["b" * 40], 4)
        self.shown[ONE.root] = self.former | self.since
        self.state = "same"

    @precondition(lambda self: self.own_when_linked is None and self.state in ("held", "same"))
    @rule()
    def other(self) -> None:
        [link] = [each for each in folder_links.links_of(self.store, ONE.root) if each.state != "clone"]
        if self.state == "same":
            self.former, self.shown[ONE.root] = self.shown[ONE.root] - self.since, set(self.since)
        folder_links.keep_held_apart(self.store, link)
        self.state = "other"

    @invariant()
    def each_folder_has_what_it_should(self) -> None:
        for project in (ONE, TWO):
            assert texts(self.store, project) == self.shown[project.root]

    @invariant()
    def nothing_is_lost_or_without_its_project(self) -> None:
        connection = self.store.connection
        assert value(connection, "SELECT count(*) FROM memories") == self.saved
        strangers = "SELECT count(*) FROM memories m JOIN sessions s ON s.id = m.session_id"
        assert value(connection, f"{strangers} WHERE s.project_id != m.project_id") == 0
        assert rows(connection, "PRAGMA foreign_key_check") == []

    def teardown(self) -> None:
        self.store.connection.close()
        self.folder.cleanup()


TestSayings = Sayings.TestCase
TestSayings.settings = settings(max_examples=examples(40), stateful_step_count=steps(15), deadline=None)
