"""The real process, asked in both of its lanes."""

import os
from pathlib import Path

import pytest
import trio
import trio.testing

from palimp_daemon.embedding.models import MINILM, MULTILINGUAL, installed_models
from palimp_daemon.embedding.process import EmbedderProcess, Lane, start_embedder
from palimp_daemon.embedding.worker.__main__ import NICENESS

WITHIN_S = 60

RESIDENT_KB_MAX = 140_000
"""What the process may take when it has loaded the model and read long texts. It takes 120 MB; 155 with weights that
are made floats, and twice that with what long texts need."""

MULTILINGUAL_RESIDENT_KB_MAX = 180_000
"""The same for the multilingual model, which takes 155 MB."""

LONG = "A text of many words takes its time. " * 100


@pytest.fixture
async def process():
    with trio.fail_after(WITHIN_S):
        started = await start_embedder(installed_models()[MINILM].file)
        yield started
        await started.end()


def _niceness(pid: int) -> set[int]:
    """Return how nice the threads of the process *pid* are."""
    return {
        int((task / "stat").read_text().rsplit(")", 1)[1].split()[16]) for task in Path(f"/proc/{pid}/task").iterdir()
    }


def _resident_kb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0])


async def test_a_query_does_not_wait_for_memories(process: EmbedderProcess):
    """Though the work on them began before, and is not given up."""
    order: list[Lane] = []

    async def asked(lane: Lane, texts: list[str]) -> None:
        assert len(await process.vectors(lane, texts)) == len(texts)
        order.append(lane)

    async with trio.open_nursery() as both:
        both.start_soon(asked, Lane.MEMORIES, [LONG] * 4)
        await trio.testing.wait_all_tasks_blocked()
        both.start_soon(asked, Lane.QUERIES, ["How long?"])

    assert order == [Lane.QUERIES, Lane.MEMORIES]


async def test_a_text_has_the_same_vector_in_both_lanes(process: EmbedderProcess):
    """They share the model."""
    assert await process.vectors(Lane.MEMORIES, [LONG]) == await process.vectors(Lane.QUERIES, [LONG])


async def test_only_memories_are_embedded_nicely(process: EmbedderProcess):
    """A query has somebody who waits for it. Neither is ever less nice than the tests are."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    await process.vectors(Lane.MEMORIES, ["x"])
    assert _niceness(process.child.process.pid) == {own, max(own, NICENESS)}


async def test_what_loading_and_a_long_text_took_is_given_back(process: EmbedderProcess):
    """It stays for as long as somebody works, on a laptop that has other things to do."""
    for _ in range(3):
        await process.vectors(Lane.MEMORIES, [LONG])
    await process.vectors(Lane.MEMORIES, ["It gives back before it reads on."])
    assert _resident_kb(process.child.process.pid) < RESIDENT_KB_MAX


async def test_who_waits_is_told_of_its_end(process: EmbedderProcess):
    """In each lane."""
    for lane in Lane:
        process.child.process.kill()
        with pytest.raises(match="ended"):
            await process.vectors(lane, ["x"])


async def test_an_answer_that_is_too_long_is_not_read(process: EmbedderProcess, monkeypatch: pytest.MonkeyPatch):
    """Whatever a broken process claims."""
    monkeypatch.setattr("palimp_daemon.embedding.process.REPLY_BYTES_MAX", 10)
    with pytest.raises(match="more than it may"):
        await process.vectors(Lane.QUERIES, ["x"])


async def test_the_multilingual_model_gives_back_what_a_long_text_took_too():
    """And says the same in both lanes."""
    with trio.fail_after(WITHIN_S):
        started = await start_embedder(installed_models()[MULTILINGUAL].file)
        try:
            assert await started.vectors(Lane.MEMORIES, [LONG]) == await started.vectors(Lane.QUERIES, [LONG])
            await started.vectors(Lane.MEMORIES, ["It gives back before it reads on."])
            assert _resident_kb(started.child.process.pid) < MULTILINGUAL_RESIDENT_KB_MAX
        finally:
            await started.end()
