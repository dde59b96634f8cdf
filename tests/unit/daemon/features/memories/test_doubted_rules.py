"""A rule that is broken again and again by the user's wish is asked about: does it still hold?"""

import pytest

from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.proposals import count_waiting
from palimp_daemon.store.tables.rule_counts import DOUBTED_FROM, count_broken, note_rules_told
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.review_messages import Review

AT_TWO = {"project": "/work/two"}


def rule(request_context, **more) -> str:
    asked = SaveMemory(text="Never use npm here", kind="preference", source="cli", **more)
    return save_memory(request_context(session=None), asked).id


def send_again(request_context, times: int, *, is_refused: bool = True, **where) -> None:
    """Break the only memory *times*, each time after it was refused, in a session each."""
    for number in range(times):
        context = request_context(session=f"s{number}", **where)
        session = ensure_session(
            context.store, context.caller, ensure_project(context.store, context.caller, 1), context.now_ms
        )
        assert session is not None
        note_rules_told(context.store, session, [1])
        count_broken(context.store, session, [1], "npm install", 2, overruled=[1] if is_refused else [])


def asked(request_context, **where) -> list[tuple[str, int]]:
    reply = review(request_context(session=None, **where), Review())
    assert reply.total == len(reply.proposals)
    return [(memory.id, memory.overruled) for memory in reply.proposals]


def test_it_is_asked_about_from_the_third_time_and_not_again_once_it_was_said_to_hold(request_context):
    one = rule(request_context)
    send_again(request_context, DOUBTED_FROM - 1)
    assert asked(request_context) == []
    send_again(request_context, 1)
    assert asked(request_context) == [(one, DOUBTED_FROM)]
    done = review(request_context(session=None), Review(keep=[one]))
    assert ([each.id for each in done.kept], done.total) == ([one], 0)
    send_again(request_context, DOUBTED_FROM - 1)
    assert asked(request_context) == []
    send_again(request_context, 1)
    assert asked(request_context) == [(one, DOUBTED_FROM)]


def test_dropped_it_is_purged_and_an_undo_brings_it_back_without_the_question(request_context):
    one = rule(request_context)
    send_again(request_context, 3)
    assert [each.id for each in review(request_context(session=None), Review(drop=[one])).dropped] == [one]
    undo(request_context(session=None), Undo())
    assert review(request_context(session=None), Review(drop=[one])).unchanged == [one]


def test_what_was_not_refused_is_no_wish(request_context):
    rule(request_context)
    send_again(request_context, 5, is_refused=False)
    assert asked(request_context) == []


@pytest.mark.parametrize("answer", ["keep", "here", "drop"])
def test_an_agent_does_not_say_whether_it_holds(request_context, answer):
    one = rule(request_context)
    send_again(request_context, 3)
    with pytest.raises(PalimpError, match=r"Only a person says whether .* still holds"):
        review(request_context(), Review(**{answer: [one]}))
    assert asked(request_context) == [(one, 3)]


def test_a_rule_of_all_projects_is_asked_about_in_each(request_context):
    one = rule(request_context, scope="global")
    send_again(request_context, 3)
    assert asked(request_context, **AT_TWO) == [(one, 3)] == asked(request_context)
    context = request_context(session=None, **AT_TWO)
    assert count_waiting(context.store, ensure_project(context.store, context.caller, 1)) == 1
