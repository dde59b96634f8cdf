"""Several embedding models beside each other, with the real ones: languages, and a setting that is changed."""

from functools import partial
from pathlib import Path

import pytest
import trio
from composed import config_in, dispatcher_of, foundation_on

from palimp_daemon.dispatch.services import build_services
from palimp_daemon.embedding import embedder, semantic
from palimp_daemon.embedding.models import Plan, plan_of
from palimp_daemon.embedding.process import ModelFile
from palimp_daemon.embedding.semantic import PARTLY_WARMING_UP, Semantic
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.daemon_messages import Embedding
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled, SaveMemory
from palimp_protocol.operations import OPERATIONS

CALLER = Caller(ProjectRef("/work/one", "one"))
WITHIN_S = 300
"""Bounds a hang alone: models that start beside other work have taken a minute."""
POLL_S = 0.02
"""Between two looks at what the models do in their processes, which need the cores more."""

ENGLISH = "The dog sleeps on the sofa."
GERMAN = "Die Rechnungen werden freitags bezahlt, weil die Bank sie dann nicht mehr ändert."
IN_ENGLISH, IN_GERMAN = "when do we pay invoices", "wo schläft der Hund eigentlich, wenn er nicht im Garten ist"
"""What is asked of the one in the language of the other."""


def nearest(found: Recalled) -> Memory:
    """Return what was found first, whether it answers or is probably unrelated."""
    return [*found.memories, *found.unrelated][0]


class Daemon:
    """Services with the models of a plan, which may be changed."""

    def __init__(self, folder: Path, wanted: str = "auto", plan: Plan | None = None) -> None:
        self.folder = folder
        self.actor = Actor(partial(open_store, folder / "palimp.db", "auto"), lambda error: None)
        self.logged: list[str] = []
        self.wanted = plan or self.plan(wanted)
        self.semantic = Semantic(
            self.wanted, self.actor, lambda event, **more: self.logged.append(event), lambda: self.wanted
        )
        base = foundation_on(self.actor, folder, self.semantic)
        self.dispatcher = dispatcher_of(base, build_services(base))

    def plan(self, wanted: str) -> Plan:
        plan = plan_of(config_in(self.folder), wanted)
        assert plan
        return plan

    def change_setting(self, wanted: str) -> None:
        self.wanted = self.plan(wanted)

    async def save(self, *texts: str) -> None:
        for text in texts:
            await self.dispatcher.answer(OPERATIONS["save_memory"], SaveMemory(text=text), CALLER)

    async def first(self, query: str) -> str:
        """Return the text of the first memory found, once the models have started."""
        while (found := await self.recall(query)).notes:
            await trio.sleep(POLL_S)
        return nearest(found).title

    async def recall(self, query: str):
        return await self.dispatcher.answer(OPERATIONS["recall"], Recall(query=query), CALLER)

    async def status(self):
        return await self.dispatcher.answer(OPERATIONS["embedding"], Embedding(), CALLER)

    async def embedded(self) -> None:
        self.semantic.on_save()
        while (status := await self.status()).embedded < status.memories:
            await trio.sleep(POLL_S)

    async def kinds(self) -> list[int]:
        """Return how many vectors there are of each kind, sorted, without a kind that has none."""
        statement = "SELECT count(*) FROM all_vectors GROUP BY kind"
        job = Job(lambda store: store.connection.execute(statement).fetchall(), is_write=False)
        return sorted(count for (count,) in await self.actor.ask(job))

    def runs(self) -> set[str]:
        """Return the models whose processes run."""
        return {each.model.name for each in self.semantic._embedders.values() if each._process is not None}


@pytest.fixture
async def started(tmp_path: Path, nursery, monkeypatch: pytest.MonkeyPatch):
    """Starts daemons in one folder, one after the other; each looks often whether there is something to do."""
    monkeypatch.setattr(semantic, "LOOK_S", 0.05)
    running: list[tuple[trio.CancelScope, trio.Event]] = []

    async def run(daemon: Daemon, task_status: trio.TaskStatus[None]) -> None:
        ended = trio.Event()
        with trio.CancelScope() as scope:
            running.append((scope, ended))
            async with trio.open_nursery() as inner:
                await inner.start(daemon.actor.run)
                inner.start_soon(daemon.semantic.run)
                task_status.started()
        ended.set()

    async def start(wanted: str = "auto", plan: Plan | None = None) -> Daemon:
        for scope, ended in running:
            scope.cancel()
            await ended.wait()
        daemon = Daemon(tmp_path, wanted, plan)
        await nursery.start(run, daemon)
        return daemon

    with trio.fail_after(WITHIN_S):
        yield start
        nursery.cancel_scope.cancel()


async def test_who_writes_english_alone_has_one_model_at_work(started):
    daemon = await started()
    await daemon.save(ENGLISH, "Use tabs.")
    await daemon.embedded()

    assert await daemon.first("puppy naps") == ENGLISH[:-1]
    assert daemon.runs() == {"minilm"}
    assert await daemon.kinds() == [2]


async def test_a_question_finds_a_memory_in_another_language(started):
    """In both directions; what is in English has two vectors then."""
    daemon = await started()
    await daemon.save(ENGLISH, GERMAN, "Use tabs.", "The port is 8443.", "Rain is expected.", "Say why.")
    await daemon.embedded()

    assert (await daemon.first(IN_ENGLISH)).startswith("Die Rechnungen")
    assert await daemon.first(IN_GERMAN) == ENGLISH[:-1]
    assert await daemon.first("puppy naps") == ENGLISH[:-1]
    assert daemon.runs() == {"minilm", "multilingual"}
    assert await daemon.kinds() == [1, 5, 5]


async def test_a_prompt_is_compared_by_both_models(started):
    """A question in English is compared with the memories' own vectors alone."""
    daemon = await started()
    await daemon.save(ENGLISH, GERMAN)
    await daemon.embedded()

    question = (await daemon.semantic.query_vectors_of("puppy naps")).vectors
    prompt = (await daemon.semantic.query_vectors_of("puppy naps", by_all=True)).vectors

    assert [bool(each.beside) for each in question] == [False, False]
    assert [bool(each.beside) for each in prompt] == [False, True]


async def test_a_question_in_another_language_is_enough_to_want_the_second_model(started):
    daemon = await started()
    await daemon.save(ENGLISH, "Use tabs.", "The port is 8443.", "Rain is expected.", "Say why.")
    await daemon.embedded()
    assert await daemon.kinds() == [5]

    await daemon.recall(IN_GERMAN)
    await daemon.embedded()

    assert await daemon.first(IN_GERMAN) == ENGLISH[:-1]
    assert await daemon.kinds() == [5, 5]


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ("minilm", "multilingual", [3]),
        ("multilingual", "auto", [1, 2, 2]),
        ("minilm", "auto", [1, 2, 2]),
        ("auto", "minilm", [1, 2]),
    ],
)
async def test_another_model_embeds_all_memories_again(started, before: str, after: str, counts: list[int]):
    """Recall ranks semantically all the while; at the end nothing is left of the old vectors that are not wanted."""
    daemon = await started(before)
    await daemon.save(ENGLISH, GERMAN, "Use tabs.")
    await daemon.embedded()
    assert await daemon.first("puppy naps") == ENGLISH[:-1]

    daemon.change_setting(after)
    status = await daemon.status()
    while status.embedded < status.memories:
        assert nearest(await daemon.recall("puppy naps")).title == ENGLISH[:-1]
        status = await daemon.status()

    assert status.model == daemon.wanted.names
    while await daemon.kinds() != counts:  # what is not wanted goes last
        await trio.sleep(POLL_S)
    assert await daemon.first("puppy naps") == ENGLISH[:-1]


async def test_what_has_the_right_vector_already_is_not_embedded_again(started, monkeypatch: pytest.MonkeyPatch):
    """As after an update: what was embedded by the model for English, and is in English."""
    daemon = await started("minilm")
    await daemon.save(ENGLISH, GERMAN, "Use tabs.")
    await daemon.embedded()
    made: list[tuple[str, str]] = []
    original = embedder.Embedder.vector

    async def noted(self, text, lane):
        made.append((self.model.name, text))
        return await original(self, text, lane)

    monkeypatch.setattr(embedder.Embedder, "vector", noted)
    daemon.change_setting("auto")
    await daemon.embedded()

    assert sorted(made) == [("multilingual", text) for text in (GERMAN, ENGLISH, "Use tabs.")]


async def test_old_vectors_are_compared_until_the_new_ones_are_there(started, monkeypatch: pytest.MonkeyPatch):
    """Beside those that are there, of which each is compared with what its own model says."""
    daemon = await started("minilm")
    await daemon.save(ENGLISH, "Invoices are paid on Fridays.", "Use tabs.", "The port is 8443.", "Rain is expected.")
    await daemon.embedded()
    insert = vector_rows.insert

    def insert_half(store, made, kind):
        insert(store, [(seq, vector) for seq, vector in made if seq % 2], kind)

    monkeypatch.setattr(vector_rows, "insert", insert_half)
    daemon.change_setting("multilingual")
    while (await daemon.status()).embedded != 3:
        await trio.sleep(POLL_S)

    assert await daemon.first("puppy naps") == ENGLISH[:-1]
    assert (await daemon.first("when do we settle the bills")).startswith("Invoices")
    assert (await daemon.status()).embedded == 3


async def test_a_restart_goes_on_where_it_was(started, monkeypatch: pytest.MonkeyPatch):
    """What has its new vector is not embedded again."""
    daemon = await started("minilm")
    await daemon.save(*(f"Text number {number}." for number in range(12)))
    await daemon.embedded()
    daemon.change_setting("multilingual")
    while not (before := (await daemon.status()).embedded):
        await trio.sleep(POLL_S)
    made: list[str] = []
    original = embedder.Embedder.vector
    former = [*daemon.semantic._embedders.values()]

    async def noted(self, text, lane):
        if self not in former:  # the daemon that ends may begin another one, which it does not store
            made.append(text)
        return await original(self, text, lane)

    monkeypatch.setattr(embedder.Embedder, "vector", noted)

    again = await started("multilingual")
    await again.embedded()

    assert len(made) <= 12 - before
    assert await again.kinds() == [12]


async def test_where_the_second_model_fails_the_main_one_does_its_work(started, monkeypatch: pytest.MonkeyPatch):
    """And that is said."""
    monkeypatch.setattr(embedder, "FAILURES_MAX", 1)
    plan = plan_of(config_in(Path("/x")))
    assert plan
    assert plan.for_others
    broken = plan.for_others._replace(file=ModelFile(plan.for_others.file.path, "0" * 64))
    daemon = await started(plan=plan._replace(for_others=broken))
    await daemon.save(ENGLISH, GERMAN)
    while not daemon.semantic.problem:
        await trio.sleep(POLL_S)
    await daemon.embedded()

    found = await daemon.recall(IN_GERMAN)

    assert "has the checksum" in (await daemon.status()).problem
    assert "has the checksum" in found.notes[-1]
    assert await daemon.kinds() == [1, 1]


async def test_what_is_not_there_in_time_is_said(started, monkeypatch: pytest.MonkeyPatch):
    """The other model's answer counts without it."""
    daemon = await started()
    await daemon.save(ENGLISH, GERMAN)
    await daemon.embedded()
    multilingual = daemon.semantic._embedders[daemon.wanted.for_others.key]

    async def never(text, lane):
        await trio.sleep_forever()

    monkeypatch.setattr(multilingual, "vector", never)

    while (found := await daemon.recall("puppy naps")).notes != [PARTLY_WARMING_UP]:
        await trio.sleep(POLL_S)

    assert nearest(found).title == ENGLISH[:-1]
