"""Checks are derived behind a save, and what is no rule costs no write."""

from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.rules.derived_checks import DerivedChecks, derive
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.rule_checks import (
    KnownChecks,
    RuleText,
    checks_among,
    decoded_checks,
    keep_checks,
    rules_in_force,
)
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import SaveMemory

HERE = Caller(ProjectRef("/work/shop", "shop"))
SAFETY_S = 60.0
"""Seconds after which a test that would hang is red."""


@pytest.fixture
async def actor(tmp_path: Path, nursery) -> Actor:
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(actor.run)
    return actor


def save(text: str, kind: str, store: Store) -> None:
    save_memory(RequestContext(store, HERE, NOON_MS, lambda: hash(text) % 2**25), SaveMemory(text=text, kind=kind))


def known(store: Store) -> tuple[list[int], int]:
    """Return the rules that have checks, and how many times the store was written."""
    return [each.seq for each in rules_in_force(store, [1])], store.connection.total_changes()


async def test_a_rule_is_derived_behind_its_save_and_a_note_costs_no_write(actor, nursery) -> None:
    derived = DerivedChecks(StoreJobs(actor, lambda: NOON_MS, lambda: 1), Log("critical"))
    nursery.start_soon(derived.run)
    await actor.write(partial(save, "Use pnpm, never npm.", "preference"))
    derived.on_save()
    with trio.fail_after(SAFETY_S):
        while (found := await actor.read(known))[0] != [1]:
            pass
    await actor.write(partial(save, "Never npm is what the note of a meeting says.", "note"))
    before = await actor.read(known)
    derived.on_save()
    await trio.testing.wait_all_tasks_blocked()
    await actor.read(known)
    assert await actor.read(known) == before
    assert found[0] == [1]


def test_a_new_derivation_forgets_what_the_former_found_and_keeps_what_is_off(
    request_context: RequestContexts, store: Store
) -> None:
    for text in ("Use pnpm, never npm.", "Never run make.", "Never run yarn."):
        save_memory(request_context(), SaveMemory(text=text, kind="preference"))
    keep_checks(store, [(1, "[]"), (2, "[]"), (3, "[]")], 1, 3)
    store.connection.execute("UPDATE rule_checks SET at_breach = 1 WHERE seq = 2")
    keep_checks(store, [(3, '[{"sort":"command"}]')], 2, 3)
    assert checks_among(store, [1, 2, 3]) == {
        2: KnownChecks("[]", "off"),
        3: KnownChecks('[{"sort":"command"}]'),
    }


def test_checks_of_a_newer_palimp_are_none() -> None:
    assert decoded_checks('[{"sort":"paint"}]') == ()
    assert [check.sort for check in decoded_checks('[{"sort":"command"}]')] == ["command"]


def test_a_decision_gives_a_check_where_it_is_written_as_a_rule():
    texts = ["From now on never npm.", "We moved from npm to pnpm, since npm was slow."]
    derived = derive([RuleText(seq, "decision", text) for seq, text in enumerate(texts)])
    assert [seq for seq, _ in derived] == [0]
