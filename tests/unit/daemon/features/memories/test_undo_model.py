"""Acts and undos in any order, against a model that sees of each act only what it changed in the tables.

The model knows nothing of steps: it compares the tables before and after an act. Taken back, every value is what it was
before, but that what was added stays, deleted. That is refused just where a value is something else by now, or a memory
that was added was replaced, deleted or saved again; then nothing changes.
"""

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lanes import examples, steps
from new_stores import new_store
from request_contexts import RequestContexts

from palimp_daemon.features.memories.acts_list import list_acts
from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.muting import mute_memories
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.tables.memory_links import pointers_differing
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Acts, Undo
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.links import EditMemory, Mute, Pin, Supersede
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

Values = dict[tuple[str, int], Any]
"""By the name of a value and the number of its memory or link. A pin or mute of another time is another one."""

STATEMENTS = {
    "deleted": "SELECT seq, deleted_at FROM memories WHERE deleted_at IS NOT NULL",
    "words": "SELECT seq, title || '|' || tags || '|' || coalesce(updated_at, '') FROM memories",
    "pin": "SELECT seq, at FROM pins",
    "mute": "SELECT seq, at FROM mutes",
    "link": "SELECT id, 1 FROM memory_links WHERE undone_at IS NULL",
}


class Done:
    """An act as the model knows it."""

    def __init__(
        self, name: str, before: Values, after: Values, *, is_mine: bool, undoes: "Done | None" = None
    ) -> None:
        keys = {*before, *after}
        self.name = name
        self.changed = {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}
        self.added = {number for name, number in after if name == "words" and ("words", number) not in before}
        self.is_mine = is_mine
        self.undoes = undoes
        self.is_undone = False

    def take_back(self) -> None:
        """Let it be in effect no more; what it had taken back is, again."""
        self.is_undone = True
        if self.undoes:
            self.undoes.put_back()

    def put_back(self) -> None:
        self.is_undone = False
        if self.undoes:
            self.undoes.take_back()


class History(RuleBasedStateMachine):
    """A person and an agent at work in one project."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="palimp-acts-"))
        self.store = new_store(self.folder / "palimp.db", "fts5")
        self.contexts = RequestContexts(self.store)
        self.acts: list[Done] = []
        self.chance = random.Random(7)

    def teardown(self) -> None:
        self.store.connection.close()
        shutil.rmtree(self.folder)

    def values(self) -> Values:
        return {
            (name, number): value
            for name, statement in STATEMENTS.items()
            for number, value in rows(self.store.connection, statement)
        }

    def context(self, session: str | None = None):
        return self.contexts("/w", session)

    def ids(self) -> list[str]:
        return [id_ for (id_,) in rows(self.store.connection, "SELECT id FROM memories ORDER BY seq")]

    def newest(self) -> str:
        acts = list_acts(self.context(), Acts(limit=1)).acts
        return acts[0].name if acts else ""

    def act(self, session: str | None, work: Callable[[Any], Any]) -> None:
        """Do *work*, unless it is refused, and note what it changed."""
        before, last = self.values(), self.newest()
        self.store.connection.execute("SAVEPOINT act")
        try:
            work(self.context(session))
        except PalimpError:
            self.store.connection.execute("ROLLBACK TO act")
            self.store.forget()
        self.store.connection.execute("RELEASE act")
        if self.newest() != last:
            self.acts.append(Done(self.newest(), before, self.values(), is_mine=session is None))
        else:
            assert self.values() == before, "something changed that no act tells"

    session = st.sampled_from([None, None, "s1"])

    @initialize()
    def begin(self):
        """So that there is something for each rule."""
        for number in range(2):
            self.save(None, number, None)

    @rule(session=session, word=st.integers(0, 5), title=st.sampled_from([None, "A title", "Another title"]))
    def save(self, session, word, title):
        """Now and then the same again."""
        request = SaveMemory(text=f"Number {word} of these", title=title)
        self.act(session, lambda context: save_memory(context, request))

    @precondition(lambda self: self.ids())
    @rule(session=session, number=st.integers(0, 99))
    def save_what_replaces(self, session, number):
        request = SaveMemory(text=f"Instead: {number}", replaces=[self.chance.choice(self.ids())])
        self.act(session, lambda context: save_memory(context, request))

    @precondition(lambda self: self.ids())
    @rule(session=session, number=st.integers(0, 99))
    def edit(self, session, number):
        request = EditMemory(id=self.chance.choice(self.ids()), text=f"Edited: {number}")
        self.act(session, lambda context: edit(context, with_clean_texts(Redactor(), request)))

    @precondition(lambda self: len(self.ids()) > 1)
    @rule(session=session, relation=st.sampled_from(["replaces", "narrows", "disagrees"]))
    def link(self, session, relation):
        older, newer = self.chance.sample(self.ids(), 2)
        self.act(session, lambda context: supersede(context, Supersede(older=older, newer=newer, relation=relation)))

    @precondition(lambda self: self.ids())
    @rule(session=session, action=st.sampled_from(["purge", "restore"]), count=st.integers(1, 3))
    def delete_or_restore(self, session, action, count):
        ids = self.chance.choices(self.ids(), k=count)
        self.act(session, lambda context: recall(context, Recall(ids=ids, action=action)))

    @precondition(lambda self: self.ids())
    @rule(session=session, off=st.booleans())
    def pin(self, session, off):
        self.act(session, lambda context: pin_memories(context, Pin(ids=[self.chance.choice(self.ids())], off=off)))

    @precondition(lambda self: self.ids())
    @rule(session=session, off=st.booleans())
    def mute(self, session, off):
        self.act(session, lambda context: mute_memories(context, Mute(ids=[self.chance.choice(self.ids())], off=off)))

    @precondition(lambda self: len(self.ids()) > 2)
    @rule()
    def erase(self):
        id_ = self.chance.choice(self.ids())
        before = self.values()
        erase(self.context(), Erase(ids=[id_]))
        done = Done(self.newest(), before, before, is_mine=True)
        done.changed = {("erased", 0): (1, None)}
        self.acts.append(done)

    @precondition(lambda self: self.acts)
    @rule()
    def undo_the_last_of_mine(self):
        mine = [act for act in self.acts if act.is_mine and not act.is_undone and not act.undoes]
        self.undo(Undo(), mine[-1] if mine else None)

    @precondition(lambda self: self.acts)
    @rule(place=st.integers(0, 99))
    def undo_any(self, place):
        act = self.acts[-1 - place % len(self.acts)]
        self.undo(Undo(id=act.name), act if not act.is_undone else None)

    def undo(self, request: Undo, act: Done | None) -> None:
        before, context = self.values(), self.context()
        expected = self.expected(act, before, context.now_ms) if act else None
        self.store.connection.execute("SAVEPOINT undo")
        try:
            undone = undo(context, request)
        except PalimpError:
            self.store.connection.execute("ROLLBACK TO undo")
            self.store.connection.execute("RELEASE undo")
            self.store.forget()
            assert expected is None or self.would_circle(act), f"{request} was refused"
            assert self.values() == before
            return
        self.store.connection.execute("RELEASE undo")
        assert act is not None
        assert undone.act.name == act.name
        assert self.values() == expected
        self.acts.append(Done(undone.name, before, self.values(), is_mine=True, undoes=act))
        act.take_back()

    def expected(self, act: Done, now: Values, at: int) -> Values | None:
        """Return the values after *act* was taken back *at* a time; None: that is to be refused."""
        known = {key: change for key, change in act.changed.items() if self.exists(key, now)}
        added = {number for number in act.added if ("words", number) in now}
        if any(("deleted", n) in now or self.is_replaced(n, act) or self.is_said_again(n, act) for n in added):
            return None
        others = {key: change for key, change in known.items() if key[0] == "link" or key[1] not in added}
        if any(now.get(key) not in change for key, change in others.items()):
            return None
        back = {**now, **{key: was for key, (was, became) in others.items() if now.get(key) == became}}
        back |= {("deleted", number): at for number in added}
        back = {key: value for key, value in back.items() if value is not None}
        return back if back != now else None

    def exists(self, key: tuple[str, int], now: Values) -> bool:
        """Tell whether the memory or link of *key* was not erased."""
        name, number = key
        if name == "link":
            return bool(rows(self.store.connection, "SELECT 1 FROM memory_links WHERE id = ?", (number,)))
        return ("words", number) in now

    def is_replaced(self, number: int, act: Done) -> bool:
        found = rows(
            self.store.connection,
            "SELECT l.id FROM memories m JOIN memory_links l ON l.older = m.seq AND l.newer = m.superseded_by"
            " WHERE m.seq = ? AND l.undone_at IS NULL AND l.relation = 'replaces'",
            (number,),
        )
        return any(("link", link) not in act.changed for (link,) in found)

    def is_said_again(self, number: int, act: Done) -> bool:
        later = self.acts[self.acts.index(act) + 1 :]
        return any(("words", number) in each.changed for each in later if not (each.is_undone or each.undoes))

    def would_circle(self, act: Done | None) -> bool:
        """Tell whether *act* unmade links, which may not hold again beside what was said since."""
        return act is not None and any(name == "link" and was for (name, _), (was, _) in act.changed.items())

    @invariant()
    def what_is_replaced_follows_from_the_links(self):
        assert pointers_differing(self.store) == []

    @invariant()
    def each_act_that_is_in_effect_is_listed_so(self):
        listed = {act.name: bool(act.undone_by) for act in list_acts(self.context(), Acts()).acts}
        known = {act.name: act.is_undone for act in self.acts[-len(listed) :]}
        assert listed == known


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=examples(25), stateful_step_count=steps(30), deadline=None)
