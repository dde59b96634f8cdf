"""What a session is told at its start: rules first, what is pinned before them, nothing that was replaced."""

import itertools

from palimp_daemon.features.memories.muting import mute_memories
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.features.sessions import start_context
from palimp_daemon.features.sessions.start_context import (
    NEWEST_MAX,
    known_at_start,
    standing_knowledge,
    told_of,
)
from palimp_daemon.git.recent_work import RecentWork
from palimp_daemon.render.context_text import KnownAtStart
from palimp_protocol.messages.links import Mute, Pin, Supersede
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


def known(request_context, project: str | None = "/work/one") -> KnownAtStart:
    context = request_context(project)
    standing = standing_knowledge(context.caller, context.store)
    return known_at_start(context.caller, standing, RecentWork("", [], []), context.now_ms, context.store)


def saved(request_context, text: str, project: str | None = "/work/one", **more) -> str:
    return save_memory(request_context(project), SaveMemory(text=text, **more)).id


def test_rules_come_first_and_pinned_ones_before_them(request_context):
    note = saved(request_context, "The build takes nine minutes.")
    wish = saved(request_context, "Prefer small commits.", kind="preference")
    fixed = saved(request_context, "Not yarn but pnpm.", kind="correction")
    everywhere = saved(request_context, "Answer in English.", None)
    decision = saved(request_context, "We use Postgres.", kind="decision")
    pin_memories(request_context(), Pin(ids=[note]))

    found = known(request_context)
    assert [(entry.id, entry.why) for entry in found.rules] == [
        (note, "pinned"),
        (everywhere, "everywhere"),
        (fixed, "correction"),
        (wish, "preference"),
    ]
    assert [entry.id for entry in found.decisions] == [decision]
    assert found.newest == []
    assert found.left_out == 0


def test_a_pin_of_all_projects_is_told_in_each_and_where_nothing_is_known(request_context):
    everywhere = saved(request_context, "Answer in English.", None)
    pin_memories(request_context(None), Pin(ids=[everywhere]))
    for project in ("/work/one", "/work/unknown", None):
        assert [(entry.id, entry.why) for entry in known(request_context, project).rules] == [(everywhere, "pinned")]


def test_what_was_replaced_is_told_nowhere_and_what_has_its_place_is(request_context):
    ids = [saved(request_context, f"{kind} of old", kind=kind) for kind in ("preference", "decision", "finding")]
    pin_memories(request_context(), Pin(ids=[ids[2]]))
    new = [saved(request_context, f"news {n}", kind="finding", replaces=[old]) for n, old in enumerate(ids)]

    found = known(request_context)
    assert [(entry.id, entry.why) for entry in found.rules] == [(new[2], "pinned")]
    told = {entry.id for part in (found.rules, found.decisions, found.matches, found.newest) for entry in part}
    assert told == {*new}


def test_what_is_narrowed_says_by_what_as_long_as_that_holds(request_context):
    rule = saved(request_context, "Deploys run on Mondays.", kind="decision")
    elsewhere = saved(request_context, "Answer in English.", None)
    saved(request_context, "Answer in German here.", "/work/other", narrows=[elsewhere])
    exception = saved(request_context, "Not in December.", kind="decision", narrows=[rule])
    found = known(request_context)
    assert [(entry.id, entry.why) for entry in found.decisions] == [
        (exception, "decision"),
        (rule, f"decision, narrowed by {exception}"),
    ]
    assert [entry.why for entry in found.rules] == ["everywhere"]

    recall(request_context(), Recall(id=exception, action="purge"))
    assert [entry.why for entry in known(request_context).decisions] == ["decision"]


def test_decisions_of_all_projects_do_not_lower_the_count_of_what_is_left_out(request_context, monkeypatch):
    monkeypatch.setattr(start_context, "CONTEXT_ROWS_MAX", 1)
    for number in range(3):
        saved(request_context, f"Everywhere we use tool {number}.", None, kind="decision")
    assert [known(request_context, project).left_out for project in ("/work/one", "/work/unknown", None)] == [0, 0, 0]

    for word in ("queue", "cache"):
        saved(request_context, f"The {word} is ours.", kind="decision")
    assert known(request_context).left_out == 1


def test_what_is_purged_is_not_told_though_it_is_pinned(request_context):
    note = saved(request_context, "The build takes nine minutes.")
    pin_memories(request_context(), Pin(ids=[note]))
    recall(request_context(), Recall(id=note, action="purge"))
    assert known(request_context).rules == []


def test_what_likely_holds_no_more_is_left_out_and_counted(request_context):
    old = "Retention of raw files in the bucket: thirty days, then they are deleted."
    new = "Retention of raw files in the bucket goes up to ninety days for finance."
    saved(request_context, old, kind="decision")
    request_context.minutes = itertools.count(60 * 24 * 30)
    newer = saved(request_context, new, kind="decision")

    found = known(request_context)
    assert [entry.id for entry in found.decisions] == [newer]
    assert found.newest == []
    assert found.left_out == 1


def test_a_rule_is_told_though_a_newer_one_is_like_it(request_context):
    older = saved(request_context, "Commit messages in the imperative, no emoji, ticket in front.", kind="preference")
    request_context.minutes = itertools.count(60 * 24 * 30)
    newer = saved(request_context, "Commit messages in the imperative, no emoji, ticket behind.", kind="preference")

    assert [entry.id for entry in known(request_context).rules] == [newer, older]


def test_what_fits_the_branch_says_so_and_is_the_first_of_the_decisions_if_it_is_one(request_context):
    fitting = saved(request_context, "The wishlist lives in the session.", kind="decision")
    other = saved(request_context, "We use Postgres.", kind="decision")
    note = saved(request_context, "The wishlist has no index on the user.")
    context = request_context()
    work = RecentWork("feature/wishlist", [], [])

    found = known_at_start(
        context.caller, standing_knowledge(context.caller, context.store), work, context.now_ms, context.store
    )
    assert [(entry.id, entry.why) for entry in found.decisions] == [(fitting, "branch"), (other, "decision")]
    assert [(entry.id, entry.why) for entry in found.matches] == [(note, "branch")]


def test_what_is_of_passing_interest_is_told_in_no_part_however_much_of_it_there_is(request_context):
    """Unless the user pinned it."""
    fact = saved(request_context, "The wishlist has no index on the user.")
    for number in range(NEWEST_MAX + 5):
        saved(request_context, f"TODO check wishlist {number} again tomorrow")
    pinned = saved(request_context, "TODO check the wishlist again next week.")
    pin_memories(request_context(), Pin(ids=[pinned]))
    context = request_context()
    standing = standing_knowledge(context.caller, context.store)
    for work in (RecentWork("", [], []), RecentWork("feature/wishlist", [], [])):
        found = known_at_start(context.caller, standing, work, context.now_ms, context.store)
        assert [entry.id for entry in (*found.rules, *found.matches, *found.newest)] == [pinned, fact]


def test_what_fits_the_work_is_left_out_where_it_likely_holds_no_more(request_context, monkeypatch):
    """Though it is found by the work alone, being too old to be listed."""
    monkeypatch.setattr(start_context, "NEWEST_MAX", 1)
    saved(request_context, "Raw files stay in the bucket for thirty days, then they are deleted.")
    request_context.minutes = itertools.count(60 * 24 * 90)
    new = saved(request_context, "Raw files stay in the bucket for ninety days, finance needs them.")
    context = request_context()
    standing = standing_knowledge(context.caller, context.store)
    assert [row.seq for row in standing.newest] == [2]

    work = RecentWork("feature/bucket", [], [])
    found = known_at_start(context.caller, standing, work, context.now_ms, context.store)
    assert [(entry.id, entry.why) for entry in found.matches] == [(new, "branch")]
    assert (found.newest, found.left_out) == ([], 1)


def test_what_is_muted_is_in_no_part_and_not_counted(request_context):
    """Of all projects, too."""
    texts = {"preference": "Prefer small commits.", "decision": "We use Postgres.", "finding": "Builds take a minute."}
    ids = [saved(request_context, text, kind=kind) for kind, text in texts.items()]
    ids.append(saved(request_context, "Answer in English.", None))
    kept = saved(request_context, "Nunca en viernes.", kind="preference")
    mute_memories(request_context(), Mute(ids=ids))

    found = known(request_context)
    assert [entry.id for entry in found.rules] == [kept]
    assert (found.decisions, found.matches, found.newest, found.left_out, found.total) == ([], [], [], 0, 1)


def test_what_takes_a_pinned_memorys_place_is_not_told_while_it_is_muted(request_context):
    old = saved(request_context, "Retries are three.")
    new = saved(request_context, "Retries are five.")
    mute_memories(request_context(), Mute(ids=[new]))
    pin_memories(request_context(), Pin(ids=[old]))
    supersede(request_context(), Supersede(older=old, newer=new))
    assert known(request_context).rules == []
    mute_memories(request_context(), Mute(ids=[new], off=True))
    assert [entry.why for entry in known(request_context).rules] == ["pinned"]


def test_what_a_muted_memory_likely_replaced_is_not_told_again(request_context):
    """The other way round it is just not told."""
    old = saved(
        request_context, "Raw files stay in the bucket for thirty days, then they are deleted.", kind="decision"
    )
    request_context.minutes = itertools.count(60 * 24 * 90)
    new = saved(request_context, "Raw files stay in the bucket for ninety days, finance needs them.", kind="decision")
    assert [entry.id for entry in known(request_context).decisions] == [new]
    mute_memories(request_context(), Mute(ids=[new]))
    found = known(request_context)
    assert (found.decisions, found.newest, found.left_out) == ([], [], 1)
    mute_memories(request_context(), Mute(ids=[new], off=True))
    mute_memories(request_context(), Mute(ids=[old]))
    found = known(request_context)
    assert ([entry.id for entry in found.decisions], found.left_out) == ([new], 0)


def test_what_was_told_at_a_start_is_noted_with_why_each_was(request_context):
    """In a word, without what is said of it besides."""
    save_memory(request_context(), SaveMemory(text="Last time the cart was mended.", kind="summary"))
    note = saved(request_context, "The build takes nine minutes.")
    wish = saved(request_context, "Prefer small commits.", kind="preference")
    saved(request_context, "But for generated files.", kind="finding", narrows=[wish])
    decision = saved(request_context, "We use Postgres.", kind="decision")
    pin_memories(request_context(), Pin(ids=[note]))
    found = known(request_context)
    assert "narrowed" in found.rules[1].why

    assert told_of(found, {note, wish, decision}, has_summary=True) == [
        (2, "pinned"),
        (3, "preference"),
        (5, "decision"),
        (1, "last session"),
    ]
    assert told_of(found, {wish}, has_summary=False) == [(3, "preference")]
