"""Save, find and purge a canary memory, in a project that no folder can be."""

import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.memory_rows import delete_project_memories
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import EXAMINED_WITHIN_S
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.daemon_messages import DOCTOR, Canary
from palimp_protocol.messages.memory_messages import Recall, Recalled, Saved, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import count_of

INTERVAL_S: Final = 3_600.0
"""Seconds between two checks."""

FIRST_S: Final = 60.0
"""Seconds until the first check: a daemon started for one command needs none."""

CALLER: Final = Caller(ProjectRef("palimp:canary", "canary"))


class SelfTest:
    """Uses the *bindings* of `save_memory` and `recall`; *lexical* needs no embedder."""

    def __init__(
        self,
        bindings: Bindings,
        lexical: Callable[[Recall, Caller], Awaitable[Recalled]],
        actor: Actor,
        state: DaemonState,
        now_ms: Callable[[], int],
        examine: Callable[[], Awaitable[None]],
    ) -> None:
        self._bindings = bindings
        self._lexical = lexical
        self._actor = actor
        self._state = state
        self._now_ms = now_ms
        self._examine = examine

    def bindings(self) -> Bindings:
        """Return the handler of `canary`."""
        return {"canary": Binding(AsyncHandler(self._canary))}

    async def keep_checking(self, log: Log) -> None:
        """Check every INTERVAL_S until cancelled."""
        await trio.sleep(FIRST_S)
        while True:
            canary = await self.check()
            self._state.note_self_test(canary)
            if canary.problem:
                log("canary_failed", why=canary.problem)
            await trio.sleep(INTERVAL_S)

    async def check(self, project: str = "") -> Canary:
        """Run the test once, remove its traces, and return the result."""
        began, at = trio.current_time(), self._now_ms()
        word = f"canary{secrets.token_hex(8)}"
        try:
            problem = await self._problem(word)
            if Path(project).name.startswith(DOCTOR):  # of no other project anything is removed
                doctors = Caller(ProjectRef(project, DOCTOR))
                await self._actor.write(partial(_remove, caller=doctors))
        except PalimpError as error:
            problem = str(error)
        return Canary(at=at, took_ms=round((trio.current_time() - began) * 1000, 3), problem=problem)

    async def _canary(self, call: Invocation) -> Canary:
        if call.request.project and not self._state.examined_at:
            # `palimp doctor` does not call a database well that nobody has looked at yet.
            with trio.move_on_after(EXAMINED_WITHIN_S):
                await self._examine()
        canary = await self.check(call.request.project)
        self._state.note_self_test(canary)
        return canary

    async def _problem(self, word: str) -> str:
        saved: Saved = await self._ask("save_memory", SaveMemory(text=f"This is the {word}."))
        try:
            found = await self._lexical(Recall(query=word), CALLER)
            if [memory.id for memory in found.memories] != [saved.id]:
                return f"A memory that was saved just now was not found, but {count_of(len(found.memories), 'other')}."
            purged: Recalled = await self._ask("recall", Recall(ids=[saved.id], action="purge"))
            after = await self._lexical(Recall(query=word), CALLER)
            if len(purged.memories) != 1 or after.memories:
                return "A memory that was purged is still found."
        finally:
            await self._actor.write(partial(_remove, caller=CALLER))
        return ""

    async def _ask(self, name: str, request: Any) -> Any:
        return await self._bindings[name].handler(Invocation(OPERATIONS[name], request, CALLER))


def _remove(store: Store, caller: Caller) -> None:
    project = project_row(store, caller)
    if project is not None:
        delete_project_memories(store, project)
