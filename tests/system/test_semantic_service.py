"""Semantic ranking, with the real model in its real process."""

import threading
from functools import partial
from pathlib import Path

import pytest
import trio
from composed import config_in, dispatcher_of, foundation_on

from palimp_daemon.dispatch.services import build_services
from palimp_daemon.embedding import embedder, semantic
from palimp_daemon.embedding.embedder import Embedder
from palimp_daemon.embedding.models import Model, Plan, plan_of
from palimp_daemon.embedding.process import EmbedderProcess, ModelFile
from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.search.memory_search import NEAREST_ALWAYS
from palimp_daemon.store.worker import actor
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.daemon_messages import Embedding
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS

CALLER = Caller(ProjectRef("/work/one", "one"))
CALLER_IN_SESSION = Caller(CALLER.project, SessionRef("s1", "test"))
WITHIN_S = 60
POLL_S = 0.02
"""Between two looks at what the models do in their processes, which need the cores more."""


class Daemon:
    """Services with semantic ranking, and what was logged."""

    def __init__(self, folder: Path, plan: Plan | None = None) -> None:
        self.actor = Actor(partial(open_store, folder / "palimp.db", "auto"), lambda error: None)
        self.logged: list[str] = []
        chosen = plan or plan_of(config_in(folder))
        assert chosen
        self.wanted = chosen
        """What the settings want now."""
        self.semantic = Semantic(
            chosen, self.actor, lambda event, **more: self.logged.append(event), lambda: self.wanted
        )
        base = foundation_on(self.actor, folder, self.semantic)
        self.services = build_services(base)
        self.dispatcher = dispatcher_of(base, self.services)

    async def ask(self, request):
        names = {SaveMemory: "save_memory", Recall: "recall", Embedding: "embedding"}
        return await self.dispatcher.answer(OPERATIONS[names[type(request)]], request, CALLER)

    @property
    def main(self) -> Embedder:
        """The embedder of the main model."""
        return self.semantic._embedders[self.semantic.plan.main.key]

    async def vector_of(self, text: str, wait_s: float | None = None) -> bytes | None:
        meaning = (await self.semantic.query_vectors_of(text, wait_s)).vectors
        return meaning[0].vector if meaning else None

    async def embedded(self) -> None:
        """Wait until every memory has a vector."""
        self.semantic.on_save()
        while (status := await self.ask(Embedding())).embedded < status.memories:
            await trio.sleep(POLL_S)


@pytest.fixture
async def daemon(tmp_path: Path, nursery):
    made = Daemon(tmp_path)
    await nursery.start(made.actor.run)
    nursery.start_soon(made.semantic.run)
    with trio.fail_after(WITHIN_S):
        yield made
        nursery.cancel_scope.cancel()


async def test_a_memory_is_found_by_what_it_means(daemon: Daemon):
    """Without a word in common; then what comes next is shown, too, but not all there is."""
    await daemon.ask(SaveMemory(text="The dog sleeps on the sofa.", title="Animals"))
    for text in ("Invoices are paid on Fridays.", "The port is 8443.", "Use tabs.", "Rain is expected.", "Say why."):
        await daemon.ask(SaveMemory(text=text))
    await daemon.embedded()
    while await daemon.vector_of("warm up") is None:
        await trio.sleep(POLL_S)

    found = await daemon.ask(Recall(query="puppy naps", explain=True))

    nearest = [*found.memories, *found.unrelated]
    assert nearest[0].title == "Animals"
    assert "meaning" in nearest[0].why
    assert len(nearest) == NEAREST_ALWAYS
    assert found.notes == []


async def test_what_only_lies_nearest_is_left_out_where_others_have_the_words(daemon: Daemon):
    for number in range(NEAREST_ALWAYS):
        await daemon.ask(SaveMemory(text=f"The dog sleeps on sofa number {number}."))
    await daemon.ask(SaveMemory(text="Invoices are paid on Fridays."))
    await daemon.embedded()
    while await daemon.vector_of("warm up") is None:
        await trio.sleep(POLL_S)

    found = await daemon.ask(Recall(query="sofa"))

    assert [memory.title[:7] for memory in found.memories] == ["The dog"] * NEAREST_ALWAYS


async def test_a_search_does_not_wait_for_a_slow_start(daemon: Daemon, monkeypatch: pytest.MonkeyPatch):
    """It is answered by words, and says so; the process goes on starting."""
    monkeypatch.setattr(semantic, "QUERY_WAIT_S", 0.0)
    await daemon.ask(SaveMemory(text="The dog sleeps."))

    found = await daemon.ask(Recall(query="dog"))

    assert [memory.title for memory in found.memories] == ["The dog sleeps"]
    assert found.notes == [semantic.WARMING_UP]


async def test_a_prompt_does_not_wait_for_a_slow_start(daemon: Daemon):
    """It is given what its words lead to."""
    await daemon.ask(SaveMemory(text="The dog sleeps."))
    await daemon.services.contexts.at_start(CALLER_IN_SESSION, "startup")

    given = await daemon.services.contexts.with_prompt(CALLER_IN_SESSION, "does the dog sleep?", left_s=0.0)

    assert "The dog sleeps." in given


async def test_the_store_looks_for_the_words_while_the_query_is_embedded(daemon: Daemon, monkeypatch):
    """Unless it has somebody else to serve."""
    looked_for: list[str] = []
    monkeypatch.setattr(
        "palimp_daemon.features.memories.recall_service.search_ahead",
        lambda _, request: looked_for.append(request.query),
    )
    await daemon.ask(SaveMemory(text="The cat sat on the mat."))
    await daemon.embedded()

    for jobs, query in ((0, "a feline"), (1, "a rug")):
        monkeypatch.setattr(Actor, "waiting_jobs", jobs)
        await daemon.ask(Recall(query=query))

    assert looked_for == ["a feline"]


async def test_the_process_is_started_when_a_session_begins(daemon: Daemon):
    """Before anything is asked; a second session starts no second one."""
    daemon.semantic.expect_query()
    while daemon.main._process is None:
        await trio.sleep(POLL_S)
    started = daemon.main._process
    daemon.semantic.expect_query()
    while await daemon.vector_of("one") is None:
        await trio.sleep(POLL_S)
    assert daemon.main._process is started


async def test_the_process_is_ended_when_idle_and_started_again(daemon: Daemon, monkeypatch: pytest.MonkeyPatch):
    """Its memory is for others meanwhile."""
    monkeypatch.setattr(embedder, "EMBEDDER_IDLE_S", 0.05)
    while await daemon.vector_of("one") is None:
        await trio.sleep(POLL_S)
    first = daemon.main._process
    while daemon.main._process is not None:
        await trio.sleep(POLL_S)
    assert first is not None
    assert await first.child.process.wait() != 0

    while await daemon.vector_of("two") is None:
        await trio.sleep(POLL_S)


async def test_a_killed_process_is_replaced(daemon: Daemon):
    """A crash in it is a lexical search, and the next one starts another."""
    while (vector := await daemon.vector_of("one")) is None:
        await trio.sleep(POLL_S)
    assert daemon.main._process is not None
    daemon.main._process.child.process.kill()

    assert await daemon.vector_of("one") is None
    while await daemon.vector_of("one") is None:
        await trio.sleep(POLL_S)
    assert daemon.logged == ["embedder_failed"]
    assert await daemon.vector_of("one") == vector


async def test_both_lanes_of_a_killed_process_count_as_one_failure(daemon: Daemon):
    """What they had in hand is not embedded; the next process answers both."""
    while await daemon.vector_of("one") is None:
        await trio.sleep(POLL_S)
    killed = daemon.main._process
    assert killed is not None
    killed.child.process.kill()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(daemon.vector_of, "one")
        await daemon.ask(SaveMemory(text="The dog sleeps."))
        daemon.semantic.on_save()

    await daemon.embedded()
    assert daemon.logged == ["embedder_failed"]
    assert daemon.main._process is not killed


async def test_no_vector_is_made_twice(daemon: Daemon, monkeypatch: pytest.MonkeyPatch):
    """And a changed text gets a new one."""
    await daemon.ask(SaveMemory(text="One."))
    await daemon.embedded()
    made: list[list[str]] = []
    original = EmbedderProcess.vectors

    async def counted(self, lane, texts):
        made.append(list(texts))
        return await original(self, lane, texts)

    monkeypatch.setattr(EmbedderProcess, "vectors", counted)
    await daemon.ask(SaveMemory(text="Two."))
    await daemon.embedded()

    assert made == [["Two."]]


@pytest.mark.parametrize(
    ("name", "sha256", "text"), [("missing.onnx", "", "There is no model"), ("broken.onnx", "", "cannot be loaded")]
)
async def test_a_model_that_cannot_be_used_is_a_search_by_words(
    tmp_path: Path, nursery, monkeypatch: pytest.MonkeyPatch, name: str, sha256: str, text: str
):
    """The reason is in every answer and in the status."""
    monkeypatch.setattr(embedder, "FAILURES_MAX", 1)
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    daemon = Daemon(tmp_path, Plan(Model(name, ModelFile(tmp_path / name, sha256))))
    await nursery.start(daemon.actor.run)
    nursery.start_soon(daemon.semantic.run)
    with trio.fail_after(WITHIN_S):
        await daemon.ask(SaveMemory(text="The dog sleeps."))
        found = await daemon.ask(Recall(query="dog"))
        while not daemon.semantic.problem:
            found = await daemon.ask(Recall(query="dog"))
        status = await daemon.ask(Embedding())
        found = await daemon.ask(Recall(query="dog"))

    assert len(found.memories) == 1
    assert text in found.notes[0]
    assert text in status.problem
    nursery.cancel_scope.cancel()


async def test_a_model_with_another_checksum_is_refused(tmp_path: Path, nursery, monkeypatch: pytest.MonkeyPatch):
    """What is run is what was asked for."""
    monkeypatch.setattr(embedder, "FAILURES_MAX", 1)
    (tmp_path / "other.onnx").write_bytes(b"something")
    daemon = Daemon(tmp_path, Plan(Model("other", ModelFile(tmp_path / "other.onnx", "0" * 64))))
    await nursery.start(daemon.actor.run)
    nursery.start_soon(daemon.semantic.run)
    with trio.fail_after(WITHIN_S):
        await daemon.vector_of("x")
        while not daemon.semantic.problem:
            await trio.sleep(POLL_S)

    assert "has the checksum" in daemon.semantic.problem
    nursery.cancel_scope.cancel()


async def test_a_store_that_refuses_for_a_while_ends_nothing(daemon: Daemon, monkeypatch: pytest.MonkeyPatch):
    """A full disk, damage: what has no vector gets it when the store can be used again."""
    monkeypatch.setattr(semantic, "LOOK_S", 0.02)
    await daemon.ask(SaveMemory(text="One."))
    await daemon.embedded()
    daemon.actor.refuse(PalimpError(ErrorCode.DISK_FULL, "The disk is full."))
    while "not_embedded" not in daemon.logged:
        await trio.sleep(POLL_S)
    assert daemon.semantic.problem == ""  # what is there can still be compared
    daemon.actor.problem = None
    await daemon.ask(SaveMemory(text="Two."))

    await daemon.embedded()


async def test_while_a_store_is_opened_nothing_is_compared_with_its_vectors(tmp_path: Path, nursery):
    """Of which model they are is not known yet; the embedder itself is there."""
    made = Daemon(tmp_path)
    is_there = threading.Event()

    def opened() -> Store:
        is_there.wait(WITHIN_S)
        return open_store(tmp_path / "palimp.db", "auto")

    made.actor._open_store = opened
    await nursery.start(made.actor.run)
    nursery.start_soon(made.semantic.run)
    with trio.fail_after(WITHIN_S):
        made.semantic.expect_query()
        while made.main._in_progress:
            await trio.sleep(POLL_S)
        assert await made.vector_of("one") is None
        is_there.set()
        while await made.vector_of("one") is None:
            await trio.sleep(POLL_S)
    nursery.cancel_scope.cancel()


async def test_a_store_that_is_opened_late_has_its_vectors_checked_first(
    tmp_path: Path, nursery, monkeypatch: pytest.MonkeyPatch
):
    """Until then of which model they are is not known, and searches are by words."""
    monkeypatch.setattr(semantic, "LOOK_S", 0.02)
    monkeypatch.setattr(actor, "OPEN_AGAIN_S", 0.05)
    made = Daemon(tmp_path)
    is_there = False

    def opened() -> Store:
        if not is_there:
            raise StoreUnavailableError("It is held open.", "Close it.")
        return open_store(tmp_path / "palimp.db", "auto")

    made.actor._open_store = opened
    await nursery.start(made.actor.run)
    nursery.start_soon(made.semantic.run)
    with trio.fail_after(WITHIN_S):
        while made.semantic.problem != "It is held open.":
            await trio.sleep(POLL_S)
        assert await made.vector_of("one") is None
        is_there = True
        while made.semantic.problem:
            await trio.sleep(POLL_S)
        while await made.vector_of("one") is None:
            await trio.sleep(POLL_S)
    nursery.cancel_scope.cancel()
