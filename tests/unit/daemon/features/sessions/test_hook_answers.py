"""A hook does not wait for git longer than its client waits for it, and shows nothing meanwhile."""

import json
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
from composed import foundation_on
from repositories import Repository

from palimp_daemon.dispatch.services import build_services
from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.sessions import repository_identity
from palimp_daemon.features.sessions.hook_answers import GIVEN
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.hook_messages import Hook
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.operations import OPERATIONS

FACT = "Guests keep their cart fourteen days"


@pytest.fixture
async def daemon(tmp_path: Path, nursery: trio.Nursery, monkeypatch):
    """Services in a repository of which something is known, where git answers once the gate is open."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    services = build_services(foundation_on(actor, tmp_path))
    await nursery.start(services.identities.run)
    project = tmp_path / "shop"
    Repository(project).commit("first", a_py="one()\n")
    gate, asked = threading.Event(), []

    async def ask(name: str, request: object, client: str = "test") -> object:
        caller = Caller(ProjectRef(str(project), "shop", str(project)), SessionRef("one", client))
        return await services.bindings[name].handler(Invocation(OPERATIONS[name], request, caller, b"1" * 16))

    async def hook(event: str, client: str = "test", **given: object) -> str:
        return (await ask("hook", Hook(event=event, input=given), client)).output

    await ask("save_memory", SaveMemory(text=FACT))
    await services.identities.confirm(Caller(ProjectRef(str(project), "shop", str(project))))
    services.identities.forget()

    def slowly(commits_here, tree: Path, commits: list[str]) -> set[str]:
        asked.append(tree)
        gate.wait(600)
        return commits_here(tree, commits)

    monkeypatch.setattr(repository_identity, "commits_here", partial(slowly, repository_identity.commits_here))
    yield SimpleNamespace(hook=hook, gate=gate, asked=asked)
    gate.set()


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse"])
async def test_a_hook_is_answered_while_git_is_still_asked(daemon, event: str):
    """With nothing; and what git says then is known to the next one, which does not ask again."""
    given = {"source": "startup", "prompt": FACT, "tool_name": "Bash", "tool_input": {"command": "git commit"}}
    with trio.fail_after(300):
        while not daemon.asked:  # on a busy machine a hook's time is over before git is asked
            assert await daemon.hook(event, **given) == ""
        assert await daemon.hook(event, **given) == ""
        assert len(daemon.asked) == 1, "the second waited for the same answer"
        daemon.gate.set()
        while not (told := await daemon.hook("SessionStart", source="startup")):
            await trio.lowlevel.checkpoint()
    assert FACT in told
    assert len(daemon.asked) == 1


@pytest.mark.parametrize(
    ("client", "source", "is_shown"),
    [
        ("claude-code", "startup", True),
        ("claude-code", "clear", True),
        ("claude-code", "compact", False),
        ("codex", "startup", False),  # it would show an alarm
    ],
)
async def test_a_user_is_shown_that_a_session_was_given_something(daemon, client: str, source: str, is_shown: bool):
    daemon.gate.set()
    with trio.fail_after(60):
        while not (told := await daemon.hook("SessionStart", client, source=source)):
            await trio.lowlevel.checkpoint()
    reply = json.loads(told)
    assert FACT in reply["hookSpecificOutput"]["additionalContext"]
    assert reply.get("systemMessage") == (GIVEN if is_shown else None)


async def test_what_is_to_be_recorded_waits_for_it(daemon):
    """It is of whatever project the folder turns out to be; nobody waits for the answer."""
    is_done = trio.Event()

    async def end() -> None:
        await daemon.hook("SessionEnd")
        is_done.set()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(end)
            while not daemon.asked:
                await trio.lowlevel.checkpoint()
            assert not is_done.is_set()
            daemon.gate.set()
            await is_done.wait()
