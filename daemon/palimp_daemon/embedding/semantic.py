"""Embed queries, and memories in the background, newest first; a save never waits.

Once a memory is not in English, those in English have a vector of the main model and one of the multilingual, others
only the latter; a question in English is compared with each memory's own, another with the multilingual ones. After a
change of the setting memories are re-embedded; meanwhile a query is embedded with every stored model.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import trio

from palimp_daemon.embedding.embedder import Embedder, vectors_of
from palimp_daemon.embedding.kinds import KnownKinds, kinds_of
from palimp_daemon.embedding.models import Model, Plan, installed_models, is_english
from palimp_daemon.embedding.process import Lane
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.vector_rows import QueryVector, QueryVectors, Unembedded, Wanted
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import PalimpError

QUERY_WAIT_S: Final = 1.0
"""Seconds a search waits for its query's vectors, as long as the process takes to start."""

QUERY_CHARACTERS: Final = 1_000
"""Embedded characters of a query."""

BATCH_MEMORIES: Final = 4
"""Memories read, and vectors stored, at a time. Each is embedded alone, as batches are padded to the longest text."""

LOOK_S: Final = 30.0
"""Seconds between two looks for memories without vectors, if no save is reported."""

WARMING_UP: Final = "Ranked lexically only: the embedder is starting."
PARTLY_WARMING_UP: Final = "Memories in other languages were ranked lexically only: their embedder is starting."


class QueryEmbedding(NamedTuple):
    """Vectors of a query."""

    vectors: QueryVectors
    note: str = ""
    """A sentence for the answer's reader."""


class Progress(NamedTuple):
    """Memories with all their vectors, out of all."""

    embedded: int
    memories: int


class Semantic:
    """Semantic ranking. Start `run` in a nursery."""

    def __init__(
        self,
        plan: Plan,
        actor: Actor,
        log: Callable[..., None],
        plan_now: Callable[[], Plan | None] = lambda: None,
    ) -> None:
        self.plan = plan
        self._actor = actor
        self._log = log
        self._plan_now = plan_now
        """Returns the plan by current settings; None if unchanged."""
        self._embedders: dict[str, Embedder] = {}
        """By model key, for the plan and older vectors."""
        self._nursery: trio.Nursery | None = None
        self._saved = trio.Event()
        self._kinds = KnownKinds({})
        self._has_others = False
        """Whether a text in another language came, which needs the second model."""
        self._are_comparable = trio.Event()
        """Set once the store's kinds of vectors are known."""
        self._store_problem = ""
        self._employ(plan.main, plan.for_others)

    @property
    def problem(self) -> str:
        """Why semantic ranking is missing or partial; empty if it is not."""
        return self._store_problem or next((each.problem for each in self._planned_embedders() if each.problem), "")

    async def run(self) -> None:
        """Embed queries and memories, until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            for embedder in self._embedders.values():
                nursery.start_soon(embedder.run)
            await self._embed_memories()

    def on_save(self) -> None:
        """Wake the search for memories without a vector."""
        self._saved.set()

    def expect_query(self) -> None:
        """Start the processes before a session's first query."""
        for embedder in self._planned_embedders():
            embedder.warm_up()

    def understands(self, text: str) -> bool:
        """Tell whether a model knows the language of *text*; to others all texts are alike."""
        plan = self._effective()
        return not plan.main.is_english_only or plan.for_others is not None or is_english(text)

    async def query_vectors_of(
        self, query: str, wait_s: float | None = None, *, by_all: bool = False
    ) -> QueryEmbedding:
        """Embed *query* within *wait_s* seconds (None: QUERY_WAIT_S).

        *by_all*: compare the multilingual vector with second vectors of English, too.
        """
        found: dict[str, bytes] = {}
        asked: list[_Asked] = []
        ends_at = trio.current_time() + (QUERY_WAIT_S if wait_s is None else wait_s)
        with trio.move_on_at(ends_at):
            await self._are_comparable.wait()
        if self._are_comparable.is_set() and not self._store_problem:
            asked = self._compared_with(query)
            asked = list(map(self._with_second_vectors, asked)) if by_all else asked
            embedders = [each.embedder for each in asked]
            left_s = max(0.0, ends_at - trio.current_time())
            found = await vectors_of(query[:QUERY_CHARACTERS], embedders, left_s)
        query_vectors = tuple(
            QueryVector(found[embedder.model.key], kinds, embedder.model.factor, beside)
            for embedder, kinds, beside in asked
            if embedder.model.key in found
        )
        return QueryEmbedding(query_vectors, self._note(len(asked), len(query_vectors)))

    def _note(self, asked: int, answered: int) -> str:
        if asked and asked == answered:
            return ""
        if self.problem:
            what = "Memories in other languages were ranked" if answered else "Ranked"
            return f"{what} lexically only: {self.problem}"
        return PARTLY_WARMING_UP if answered else WARMING_UP

    async def progress(self) -> Progress:
        """Count the embedded memories, and follow the settings.

        Raises:
            PalimpError: the store cannot be used.
        """
        self._follow_settings()
        wanted = self._wanted_kinds()
        if wanted is None:
            total = await self._actor.read(lambda store: vector_rows.counts(store)[1])
            return Progress(0, total)
        return Progress(*await self._actor.read(lambda store: vector_rows.counts(store, wanted)))

    # --- models ----------------------------------------------------------------------------------

    def _employ(self, *models: Model | None) -> None:
        for model in models:
            if model and model.key not in self._embedders:
                self._embedders[model.key] = Embedder(model, self._log)
                if self._nursery:
                    self._nursery.start_soon(self._embedders[model.key].run)

    def _planned_embedders(self) -> list[Embedder]:
        models = (self.plan.main, self.plan.for_others if self._has_others else None)
        return [self._embedders[model.key] for model in models if model]

    def _follow_settings(self) -> None:
        plan = self._plan_now()
        if plan is None or plan == self.plan:
            return
        self._log("embedding_model", name=plan.names)
        self._employ(plan.main, plan.for_others)
        self.plan = plan
        self._has_others = self._kinds.had_others(plan)
        self._saved.set()

    def _effective(self) -> Plan:
        others = self.plan.for_others
        return self.plan._replace(for_others=None) if others and self._embedders[others.key].problem else self.plan

    def _wanted_kinds(self) -> Wanted | None:
        return self._kinds.wanted_kinds(self._effective(), has_others=self._has_others)

    def _compared_with(self, query: str) -> "list[_Asked]":
        is_foreign = not is_english(query)
        if is_foreign and self.plan.for_others and not self._has_others:
            self._has_others = True  # from now on
            self._saved.set()
        known = [_Asked(each, self._kinds.own(each.model)) for each in self._embedders.values()]
        asked = [each for each in known if each.kinds]
        multilingual = [self._with_second_vectors(each) for each in asked if not each.embedder.model.is_english_only]
        return multilingual if is_foreign and (multilingual or self.plan.for_others) else asked

    def _with_second_vectors(self, asked: "_Asked") -> "_Asked":
        return asked._replace(beside=self._kinds.beside(asked.embedder.model))

    # --- memories --------------------------------------------------------------------------------

    async def _embed_memories(self) -> None:
        while True:
            try:
                self._saved = trio.Event()
                self._follow_settings()
                await self._know_kinds()
                await self._embed_all()
                with trio.move_on_after(LOOK_S):
                    await self._saved.wait()
            except PalimpError as error:
                self._log("not_embedded", code=error.code)
                await trio.sleep(LOOK_S)

    async def _know_kinds(self) -> None:
        wanted = kinds_of(self._effective(), has_others=self._has_others)
        if self._are_comparable.is_set() and self._kinds.has_all(wanted):
            return
        try:
            self._kinds = KnownKinds(await self._actor.write(lambda store: vector_rows.ensure_kinds(store, wanted)))
        except PalimpError as error:
            if not self._are_comparable.is_set():
                self._store_problem = error.text
            raise
        self._has_others = self._has_others or self._kinds.had_others(self.plan)
        self._employ(*(model for model in installed_models().values() if self._kinds.own(model)))
        self._store_problem = ""
        self._are_comparable.set()

    async def _embed_all(self) -> None:
        upper: int | None = None
        plan, has_others, is_complete = self.plan, self._has_others, True
        while (wanted := self._wanted_kinds()) and (found := await self._next_batch(upper, wanted)) is not None:
            upper, batch = found
            if batch:
                is_complete = False
                await self._embed(batch)
            if self._embedders[self.plan.main.key].problem:
                return
            if plan != self.plan or has_others != self._has_others:
                self._saved.set()  # begin anew
                return
        if not is_complete:
            self._saved.set()  # look once more whether that was all
        elif wanted and not self.problem:
            await self._tidy_up(wanted)

    async def _tidy_up(self, wanted: Wanted) -> None:
        if {*self._kinds.numbers.values()} <= {*wanted.own, wanted.other}:
            return
        while not await self._actor.write(lambda store: vector_rows.delete_unwanted(store, wanted)):
            pass
        self._kinds = KnownKinds(await self._actor.read(vector_rows.kinds))

    async def _next_batch(self, upper: int | None, wanted: Wanted) -> tuple[int, list[Unembedded]] | None:
        return await self._actor.read(lambda store: vector_rows.next_unembedded(store, upper, BATCH_MEMORIES, wanted))

    async def _embed(self, batch: Sequence[Unembedded]) -> None:
        made = _Made()
        for memory in batch:
            started = trio.current_time()
            await self._embed_memory(memory, made)
            await trio.sleep(trio.current_time() - started)
        await self._actor.write(made.store)

    async def _embed_memory(self, memory: Unembedded, made: "_Made") -> None:
        plan = self._effective()
        main, others = plan.main, plan.for_others
        if others is None:
            await self._make_own(memory, main, self._kinds.of_any(main), made)
        elif is_english(memory.text):
            await self._make_own(memory, main, self._kinds.of_english(main), made)
            if self._has_others and not memory.has_other:
                beside = self._kinds.beside(others)
                if beside and (vector := await self._embedders[others.key].vector(memory.text, Lane.MEMORIES)):
                    made.beside.append((memory.seq, vector, beside[0]))
        elif self._has_others:
            await self._make_own(memory, others, self._kinds.of_any(others), made)
        else:
            self._has_others = True  # from now on; it is embedded in the next round

    async def _make_own(self, memory: Unembedded, model: Model, kind: tuple[int, ...], made: "_Made") -> None:
        if not kind or memory.kind == kind[0]:
            return
        if memory.kind in self._kinds.own(model):
            made.renamed.append((memory.seq, kind[0]))
        elif vector := await self._embedders[model.key].vector(memory.text, Lane.MEMORIES):
            made.own.append((memory.seq, vector, kind[0]))


class _Asked(NamedTuple):
    embedder: Embedder
    kinds: tuple[int, ...]
    beside: tuple[int, ...] = ()


class _Made:
    def __init__(self) -> None:
        self.own: list[tuple[int, bytes, int]] = []
        self.beside: list[tuple[int, bytes, int]] = []
        self.renamed: list[tuple[int, int]] = []
        """Vectors with a new kind of the same model."""

    def store(self, store: Store) -> None:
        for seq, vector, kind in self.own:
            vector_rows.insert(store, [(seq, vector)], kind)
        for seq, vector, kind in self.beside:
            vector_rows.insert_other(store, [(seq, vector)], kind)
        for seq, kind in self.renamed:
            vector_rows.set_kind(store, [seq], kind)
