"""Handlers: all of one kind; one that works on the store thread hands out its job, too."""

import threading
from functools import partial
from pathlib import Path

import pytest
from request_contexts import NOON_MS

from palimp_daemon.features.handler import (
    PREPARED_AT_ONCE,
    AsyncHandler,
    Invocation,
    StoreHandler,
    StoreJobs,
    StoreWork,
)
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.memory_messages import Recall, Saved, SaveMemory
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


async def test_a_long_text_is_prepared_in_a_thread_and_not_in_the_event_loop(jobs: StoreJobs):
    """A short one is in the loop: a thread for each would cost more."""
    threads: list[int] = []

    def prepare(request: SaveMemory) -> str:
        threads.append(threading.get_ident())
        return request.text

    work = StoreWork(lambda _, text: Saved(id="m1", title=text[:5]), prepare, None, lambda request: len(request.text))
    handler, short, long = StoreHandler(jobs, work), "dog " * 9, "dog " * PREPARED_AT_ONCE
    for text in (short, long):
        call = SAVE._replace(request=SaveMemory(text=text), request_id=text[:16].encode())
        assert (handler.job(call) is None) is (text == long)
        assert (await handler(call)).title == "dog d"
    here = threading.get_ident()
    assert [each == here for each in threads] == [True, True, False]
