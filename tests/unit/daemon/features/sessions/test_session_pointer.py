"""Where a session is pointed to when its prompt asks for what an earlier one settled: once, by an id alone."""

from collections.abc import AsyncIterator, Collection
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from conversation_services import KeptConversations, transcript

from palimp_daemon.embedding.semantic import QueryEmbedding
from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.prompt_context import known_for_prompt, proposal_for_prompt
from palimp_daemon.features.sessions.session_context import Contexts
from palimp_daemon.features.sessions.session_pointer import POINTERS_MAX, FindProposal, SessionPointers
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.render.budget import tokens_in
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.proposals import propose
from palimp_daemon.store.tables.sessions.session_rows import note_context
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

SAID = (
    "The merge of contacts keeps duplicates after a sync, look at merge_records.",
    "It compares the emails as they are written. Should case count?",
    "No. From now on we always compare emails in lower case, and the fuller contact wins the merge.",
    "Good morning to you, too.",
)
SETTLED = "the fuller contact wins"
PROMPT = "merge_records keeps duplicate contacts after a sync; fix the merge of emails"


async def none(told: Collection[int]) -> Row | None:
    """Find no proposal."""
    del told
    return None


@pytest.fixture
async def kept(tmp_path: Path, nursery: trio.Nursery) -> AsyncIterator[KeptConversations]:
    made = KeptConversations(tmp_path)
    with trio.fail_after(60):
        await made.start(nursery)
        yield made
        nursery.cancel_scope.cancel()
    assert made.bugs == []


async def pointed(
    pointers: SessionPointers,
    caller: Caller,
    prompt: str,
    find: FindProposal = none,
) -> str:
    return await pointers.line(caller, await pointers.begin(caller, prompt), find)


async def say(kept: KeptConversations, session: str, *texts: str) -> None:
    file = kept.folder / f"{session}.jsonl"
    file.write_text(transcript(*texts, session=session))
    await kept.read(file, kept.caller(session=session))


async def test_points_to_the_turn_that_settled_it_in_words_of_the_prompt(kept: KeptConversations):
    await say(kept, "earlier", *SAID)
    line = await pointed(SessionPointers(kept.conversations), kept.caller(session="new"), PROMPT)
    assert SETTLED not in line
    assert "duplicate, emails, records" in line
    assert tokens_in(line) <= 60
    shown = line.partition('id="')[2].partition('"')[0]
    opened = await kept.conversations.recall(Recall(id=shown), kept.caller(session="new"))
    assert SETTLED in opened.memories[0].content


async def test_points_to_an_answer_that_names_one_of_two_things_without_a_reason(kept: KeptConversations):
    asking = "So the order must not depend on the entry. Should the coupon or the percentage come off first?"
    told = (
        "Stacked discounts of the coupons give a wrong total.",
        asking,
        "Percentage. Always.",
        "I changed apply_discounts.",
    )
    await say(kept, "earlier", *told)
    line = await pointed(
        SessionPointers(kept.conversations), kept.caller(session="new"), "stacked discounts of coupons: wrong total"
    )
    shown = line.partition('id="')[2].partition('"')[0]
    opened = await kept.conversations.recall(Recall(id=shown), kept.caller(session="new"))
    assert told[2] in opened.memories[0].content
    assert asking in opened.memories[0].content


async def test_says_no_more_than_sixty_tokens_of_a_prompt_of_long_words(kept: KeptConversations):
    names = [f"{letter * 60}_of_the_ledger" for letter in "abc"]
    await say(kept, "earlier", f"From now on we always use {' and '.join(names)}.", "Noted.")
    line = await pointed(SessionPointers(kept.conversations), kept.caller(session="new"), f"rework {' '.join(names)}")
    assert line.count("\n") == 0
    assert 0 < tokens_in(line) <= 60


async def test_searches_while_the_caller_does_something_else(kept: KeptConversations):
    await say(kept, "earlier", *SAID)
    pointers = SessionPointers(kept.conversations)
    found = await pointers.begin(kept.caller(session="new"), PROMPT)
    await kept.conversations.actor.next_answer()
    assert found
    assert await found()


class NeverEmbeds:
    """A model on a machine so busy that no prompt is embedded in its time."""

    def understands(self, text: str) -> bool:
        return bool(text)

    async def query_vectors_of(self, text: str, wait_s: float, *, by_all: bool) -> QueryEmbedding:
        await trio.sleep_forever()
        raise AssertionError(text, wait_s, by_all)


async def test_points_to_a_session_though_the_prompt_is_not_embedded_in_time(kept: KeptConversations):
    await say(kept, "earlier", *SAID)
    caller, now_ms = kept.caller(session="new"), kept.now_ms

    def has_started(store: Store) -> None:
        session = ensure_session(store, caller, ensure_project(store, caller, now_ms), now_ms)
        assert session is not None
        note_context(store, session, now_ms)

    await kept.memories.write(has_started)
    contexts = Contexts(
        StoreJobs(kept.memories, lambda: now_ms, lambda: 7),
        cast("Any", SimpleNamespace(checks=None, staleness=None, identities=None, projects=None)),  # for starts alone
        Settings(kept.env),
        cast("Any", NeverEmbeds()),
        UsageNotes(kept.memories, lambda: now_ms, (kept.folder / "palimp.db", kept.path)),
        SessionPointers(kept.conversations),
    )
    assert "duplicate, emails, records" in await contexts.with_prompt(caller, PROMPT, left_s=0.1)


async def test_points_to_a_session_once_and_to_few(kept: KeptConversations):
    subjects = ["ledger currency rounding cents", "carrier parcel label weight", "avatar upload crop pixels"]
    subjects += ["webhook signature clock skew", "tenant quota billing overage"]
    for number, subject in enumerate(subjects):
        await say(kept, f"earlier{number}", f"From now on we always check the {subject} twice.", "Noted.")
    pointers = SessionPointers(kept.conversations)
    first, again, *others = [
        await pointed(pointers, kept.caller(session="new"), f"rework the {subject}")
        for subject in (subjects[0], *subjects)
    ]
    assert first
    assert not again
    assert [bool(each) for each in others] == [True] * (POINTERS_MAX - 1) + [False] * (len(others) - POINTERS_MAX + 1)
    assert await pointed(pointers, kept.caller(session="other"), f"rework the {subjects[-1]}")


@pytest.mark.parametrize(
    ("said", "session", "prompt"),
    [
        (SAID, "new", "Make the header of the invoices blue and its logo larger."),
        (SAID, "new", "Go on."),
        (SAID[:2], "new", PROMPT),  # nothing was settled
        (SAID, "earlier", PROMPT),  # its own
    ],
)
async def test_points_nowhere_else(kept: KeptConversations, said: tuple[str, ...], session: str, prompt: str):
    await say(kept, "earlier", *said)
    assert await pointed(SessionPointers(kept.conversations), kept.caller(session=session), prompt) == ""


async def test_points_to_a_proposal_by_its_id_alone_and_once(kept: KeptConversations):
    caller = kept.caller(session="new")

    def propose_settled(store: Store) -> str:
        context = RequestContext(store, kept.caller(session="earlier"), kept.now_ms, lambda: 7)
        saved = save_memory(context, SaveMemory(text=f"In merge_records {SETTLED}: duplicate contacts after a sync."))
        propose(store, 1, kept.now_ms)
        return saved.id

    shown = await kept.memories.write(propose_settled)

    async def find(told: Collection[int]) -> Row | None:
        return await kept.memories.read(partial(proposal_for_prompt, caller, PROMPT, (), kept.now_ms, told))

    pointers = SessionPointers(kept.conversations)
    line = await pointed(pointers, caller, PROMPT, find)
    assert f'recall(id="{shown}")' in line
    assert SETTLED not in line
    assert await pointed(pointers, caller, PROMPT, find) == ""
    assert await kept.memories.read(partial(known_for_prompt, caller, PROMPT, (), kept.now_ms)) == []


async def test_does_not_wait_for_conversations_that_are_not_open(tmp_path: Path):
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            kept = KeptConversations(tmp_path)
            await kept.start(nursery)
            await say(kept, "earlier", *SAID)
            nursery.cancel_scope.cancel()
        async with trio.open_nursery() as nursery:
            kept = KeptConversations(tmp_path)
            await kept.start(nursery)
            pointers = SessionPointers(kept.conversations)
            assert await pointed(pointers, kept.caller(session="new"), PROMPT) == ""
            await kept.conversations.is_open.wait()
            assert await pointed(pointers, kept.caller(session="new"), PROMPT)
            nursery.cancel_scope.cancel()
