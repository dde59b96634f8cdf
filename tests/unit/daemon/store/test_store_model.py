"""The store against a dictionary: whatever is saved, purged and restored, both say the same."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule
from lanes import examples, steps
from new_stores import put_new_store, without_fsync
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import draft, save_memory, store_drafts
from palimp_daemon.store.opening import open_store
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

WORDS = ["alpha", "beta", "gamma", "delta"]
PROJECTS = ["/work/one", "/work/two", None]
ANY_WORDS = st.sets(st.sampled_from(WORDS), min_size=1)


class StoreModel(RuleBasedStateMachine):
    """Saves, purges, restores and reopens; the model is a dictionary of what must be found where."""

    saved = Bundle("saved")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.engine = "fts5"
        self.model: dict[str, tuple[str | None, set[str], bool]] = {}
        put_new_store(self.folder / "palimp.db", self.engine)
        self._open()

    def _open(self) -> None:
        self.store = without_fsync(open_store(self.folder / "palimp.db", self.engine))
        bits = self.request_context.bits if hasattr(self, "request_context") else None
        self.request_context = RequestContexts(self.store)
        self.request_context.bits = bits or self.request_context.bits

    def teardown(self) -> None:
        self.store.connection.close()
        shutil.rmtree(self.folder)

    @rule(target=saved, project=st.sampled_from(PROJECTS), words=ANY_WORDS)
    def save(self, project: str | None, words: set[str]):
        made = save_memory(self.request_context(project), SaveMemory(text=" ".join(sorted(words)))).id
        self.model[made] = (project, words, False)
        return made

    @rule(target=saved, asked=st.lists(st.tuples(st.sampled_from(PROJECTS), ANY_WORDS), min_size=2, max_size=4))
    def save_together(self, asked: list[tuple[str | None, set[str]]]):
        texts = [" ".join(sorted(words)) for _, words in asked]
        made = store_drafts(
            [
                (self.request_context(project), draft(Redactor(), SaveMemory(text=text)))
                for (project, _), text in zip(asked, texts, strict=True)
            ]
        )
        for each, (project, words) in zip(made, asked, strict=True):
            self.model[each.id] = (project, words, False)
        return multiple(*(each.id for each in made))

    @rule(memory=saved, action=st.sampled_from(["purge", "restore"]))
    def change(self, memory: str, action: str):
        project, words, was_purged = self.model[memory]
        reply = recall(self.request_context(project), Recall(ids=[memory], action=action))
        assert len(reply.memories) == (was_purged != (action == "purge"))
        self.model[memory] = (project, words, action == "purge")

    @rule(engine=st.sampled_from(["fts5", "fts4"]))
    def reopen(self, engine: str):
        self.store.connection.close()
        self.engine = engine
        self._open()

    @rule(project=st.sampled_from(PROJECTS), word=st.sampled_from(WORDS), purged=st.booleans())
    def search(self, project: str | None, word: str, purged: bool):
        reply = recall(
            self.request_context(project), Recall(query=word, scope="project", limit=50, include_purged=purged)
        )
        # What says exactly the same is told once.
        expected = {
            (frozenset(words), is_purged)
            for home, words, is_purged in self.model.values()
            if home == project and word in words and (purged or not is_purged)
        }
        told = [self.model[memory.id] for memory in reply.memories]
        assert sorted((sorted(words), is_purged) for _, words, is_purged in told) == sorted(
            (sorted(words), is_purged) for words, is_purged in expected
        )
        assert reply.total == len(expected)

    @invariant()
    def everything_is_counted(self):
        rows = self.store.connection.execute("SELECT count(*), count(deleted_at) FROM memories").fetchall()[0]
        assert rows == (len(self.model), sum(purged for _, _, purged in self.model.values()))


StoreModel.TestCase.settings = settings(max_examples=examples(25), stateful_step_count=steps(25), deadline=None)
TestStoreModel = StoreModel.TestCase
