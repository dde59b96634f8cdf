"""What sessions are given by hooks is noted: in which order, when and why; and what is muted is given by none."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from composed import foundation_on

from palimp_daemon.dispatch.services import build_services
from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.sessions import session_context
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker import group_commit
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.hook_messages import Hook
from palimp_protocol.messages.links import Mute
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.session_messages import Given, Sessions
from palimp_protocol.operations import OPERATIONS

RULE = "Commit messages in English, imperative, no prefixes"
FACT = "Guests keep their cart fourteen days (`cart/ttl.py`)"
PROMPT = "how many days do guests keep their cart?"


class Daemon:
    """The services of a daemon, and a project in which sessions work."""

    def __init__(self, actor: Actor, folder: Path) -> None:
        # That a hook is late on a loaded machine is not what is tested.
        patient = Settings({"HOME": str(folder), "PALIMP_HOOKS_PATIENCE": "100"})
        self._bindings = build_services(replace(foundation_on(actor, folder), settings=patient)).bindings
        self.folder = folder
        self._ids = iter(range(1, 1_000))

    async def ask(self, name: str, request: Any, session: str = "") -> Any:
        caller = Caller(ProjectRef(str(self.folder), "shop"), SessionRef(session, "test") if session else None)
        handler = self._bindings[name].handler
        return await handler(Invocation(OPERATIONS[name], request, caller, request_id=next(self._ids).to_bytes(16)))

    async def hook(self, session: str, event: str, **given: Any) -> str:
        """Return what the hook of *event* prints."""
        return (await self.ask("hook", Hook(event=event, input=given), session)).output

    async def given(self, session: str) -> list[Given]:
        return (await self.ask("sessions", Sessions(session=session))).given


@pytest.fixture
async def daemon(tmp_path: Path, nursery: trio.Nursery) -> Daemon:
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    return Daemon(actor, tmp_path)


def told(found: list[Given]) -> list[tuple[str, str, str]]:
    return [(each.occasion, each.title, each.why) for each in found]


async def test_each_occasion_is_noted_with_why(daemon: Daemon):
    """A session that forgot what it was told is told again, and both are noted."""
    await daemon.ask("save_memory", SaveMemory(text=RULE, kind="preference"))
    await daemon.ask("save_memory", SaveMemory(text=FACT))
    start = [("start", RULE, "preference"), ("start", FACT, "recent")]

    assert RULE in await daemon.hook("one", "SessionStart", source="startup")
    assert told(await daemon.given("one")) == start
    assert FACT in await daemon.hook("one", "UserPromptSubmit", prompt=PROMPT)
    assert await daemon.hook("one", "UserPromptSubmit", prompt=PROMPT) == ""
    commit = {"tool_name": "Bash", "tool_input": {"command": "git commit -am 'x'"}}
    assert RULE in await daemon.hook("one", "PreToolUse", **commit)
    assert RULE in await daemon.hook("one", "PreToolUse", **commit, agent_id="a1")
    assert RULE in await daemon.hook("one", "SessionStart", source="compact")

    assert told(await daemon.given("one")) == [
        *start,
        ("prompt", FACT, "bears on the prompt"),
        ("action", RULE, "names commit"),
        ("action", RULE, "names commit"),
        ("start", RULE, "preference"),
        ("start", FACT, "told with a prompt"),
    ]


async def test_a_prompt_that_comes_during_the_start_waits_for_it(daemon: Daemon, monkeypatch: pytest.MonkeyPatch):
    """Copilot CLI sends both at once: the context is told at the start and not again, and the prompt brings its own."""
    await daemon.ask("save_memory", SaveMemory(text=RULE, kind="preference"))
    await daemon.ask("save_memory", SaveMemory(text=FACT))
    answers: dict[str, str] = {}
    begun = trio.Event()

    def read_job(work: Callable[[Store], object]) -> group_commit.Job:
        begun.set()
        return group_commit.read_job(work)

    monkeypatch.setattr(session_context, "read_job", read_job)

    async def start() -> None:
        answers["start"] = await daemon.hook("one", "SessionStart", source="startup")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(start)
        await begun.wait()
        answers["prompt"] = await daemon.hook("one", "UserPromptSubmit", prompt=PROMPT)
    assert RULE in answers["start"]
    assert FACT in answers["prompt"]
    assert RULE not in answers["prompt"]


async def test_of_a_context_that_is_too_long_only_what_was_told_is_noted(daemon: Daemon):
    for number in range(120):
        await daemon.ask("save_memory", SaveMemory(text=f"Rule {number}: " + "слово " * 30, kind="preference"))
    shown = await daemon.hook("one", "SessionStart", source="startup")
    found = await daemon.given("one")
    assert 0 < len(found) < 120
    assert all(each.id in shown for each in found)


async def test_what_is_muted_is_told_by_no_hook(daemon: Daemon):
    await daemon.ask("save_memory", SaveMemory(text=RULE, kind="preference"))
    saved = await daemon.ask("save_memory", SaveMemory(text=FACT))
    await daemon.ask("mute", Mute(ids=[saved.id]))

    read = {"tool_name": "Read", "tool_input": {"file_path": str(daemon.folder / "cart/ttl.py")}}
    assert FACT not in await daemon.hook("one", "SessionStart", source="startup")
    assert await daemon.hook("one", "UserPromptSubmit", prompt=PROMPT) == ""
    assert await daemon.hook("one", "PreToolUse", **read) == ""
    assert told(await daemon.given("one")) == [("start", RULE, "preference")]

    await daemon.ask("mute", Mute(ids=[saved.id], off=True))
    assert FACT in await daemon.hook("one", "PreToolUse", **read)


async def test_what_a_person_reads_is_given_to_no_session(daemon: Daemon):
    await daemon.ask("save_memory", SaveMemory(text=RULE, kind="preference"), "one")
    assert RULE in (await daemon.ask("context", OPERATIONS["context"].request(), "one")).text
    assert await daemon.given("one") == []
