"""The canary: a memory that is saved, found and purged again, to see that all of it works.

It goes through the same calls as everybody's requests, in a project of its own that no folder can be, and nothing
stays of it.
"""

import secrets
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.dispatch.dispatcher import Calls
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.memories import delete_project_memories
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.daemon import Canary
from palimp_protocol.messages.memories import Recall, Recalled, Saved, SaveMemory
from palimp_protocol.operations import OPERATIONS

INTERVAL_S: Final = 3_600.0
"""Seconds between two checks."""

FIRST_S: Final = 60.0
"""Seconds after the start of the first: a daemon that is started for one command does not need one."""

DOCTORS: Final = "palimp-doctor"
"""How the folder begins in which `palimp doctor` saves its memory; of no other project anything is removed."""

CALLER: Final = Caller(ProjectRef("palimp:canary", "canary"))


async def keep_checking(calls: Calls, log: Log) -> None:
    """Check every INTERVAL_S. Runs until cancelled."""
    await trio.sleep(FIRST_S)
    while True:
        calls.state.canary = await checked(calls)
        if calls.state.canary.problem:
            log("canary_failed", why=calls.state.canary.problem)
        await trio.sleep(INTERVAL_S)


async def checked(calls: Calls, project: str = "") -> Canary:
    """Save a memory, find it, purge it, and remove what is left; return what came of it.

    What `palimp doctor` left in *project* is removed, too.
    """
    began, at = trio.current_time(), calls.now_ms()
    word = f"canary{secrets.token_hex(8)}"
    try:
        problem = await _problem(calls, word)
        if Path(project).name.startswith(DOCTORS):
            await calls.actor.ask(Job(partial(_remove, caller=Caller(ProjectRef(project, DOCTORS))), is_write=True))
    except PalimpError as error:
        problem = str(error)
    return Canary(at=at, took_ms=round((trio.current_time() - began) * 1000, 3), problem=problem)


async def _problem(calls: Calls, word: str) -> str:
    """Return what is wrong; empty when nothing is."""
    recall, save = OPERATIONS["recall"], OPERATIONS["save_memory"]
    saved: Saved = await calls.answer(save, SaveMemory(text=f"This is the {word}."), CALLER, b"")
    try:
        found = await calls.recall_by_words(Recall(query=word), CALLER)
        if [memory.id for memory in found.memories] != [saved.id]:
            return f"A memory that was saved just now was not found; {len(found.memories)} others were."
        purged: Recalled = await calls.answer(recall, Recall(ids=[saved.id], action="purge"), CALLER, b"")
        after = await calls.recall_by_words(Recall(query=word), CALLER)
        if len(purged.memories) != 1 or after.memories:
            return "A memory that was purged is still found."
    finally:
        await calls.actor.ask(Job(partial(_remove, caller=CALLER), is_write=True))
    return ""


def _remove(store: Store, caller: Caller) -> None:
    """Remove what the canary left in the project of *caller*."""
    project = project_row(store, caller)
    if project is not None:
        delete_project_memories(store, project)
