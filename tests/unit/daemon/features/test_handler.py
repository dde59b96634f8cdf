"""Handlers: all of one kind; one that works on the store thread hands out its job, too."""

from functools import partial
from pathlib import Path

import pytest
from request_contexts import NOON_MS

from palimp_daemon.features.handler import AsyncHandler, Invocation, StoreHandler, StoreJobs, StoreWork
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.memories import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS

CALLER = Caller(session=SessionRef("s1", "test"))
RECALL = Invocation(OPERATIONS["recall"], Recall(query="sofa"), CALLER, b"id")
SAVE = Invocation(OPERATIONS["save_memory"], SaveMemory(text="The dog sleeps."), CALLER, b"id")


def upper(context: RequestContext, prepared: str) -> tuple[int, str]:
    return context.now_ms, prepared.upper()


@pytest.fixture
async def jobs(tmp_path: Path, nursery) -> StoreJobs:
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(actor.run)
    return StoreJobs(actor, lambda: NOON_MS, lambda: 1)


async def test_a_store_handler_works_on_what_was_prepared_with_the_time_of_the_call(jobs: StoreJobs):
    handler = StoreHandler(jobs, StoreWork(upper, lambda request: request.query))
    assert await handler(RECALL) == (NOON_MS, "SOFA")


async def test_only_a_write_has_an_idempotency_key_and_is_announced(jobs: StoreJobs):
    """And each job says who asked for it, so that they take turns."""
    announced: list[str] = []
    handler = StoreHandler(jobs, StoreWork(lambda *_: None), lambda: announced.append("write"))
    read, write = handler.job(RECALL), handler.job(SAVE)
    assert (read.is_write, read.request_id) == (False, b"")
    assert (write.is_write, write.request_id) == (True, b"id")
    assert read.asker == write.asker == b"s1"
    assert announced == ["write"]


async def test_an_asynchronous_handler_has_no_job_of_its_own():
    async def answer(call: Invocation) -> str:
        return call.request.query

    handler = AsyncHandler(answer)
    assert handler.job(RECALL) is None
    assert await handler(RECALL) == "sofa"
