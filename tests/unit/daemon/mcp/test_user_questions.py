"""What the form asks, and what an answer decides."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.mcp.user_questions import (
    CHOICES,
    EVERYWHERE,
    FOR_ALL,
    KEEP,
    NARROW,
    REPLACE,
    WHERE,
    FormResult,
    decision_of,
    form_of,
    with_decision,
)
from palimp_protocol.messages.links import Decide, Decided
from palimp_protocol.messages.memory_messages import Linked, Saved, Similar

OLDER = [
    Similar("m1aaaaaa", "三十分"),
    Similar("m1bbbbbb", "Срок – час"),
    Similar("m1cccccc", "Eine Stunde\x1b[31m\nrot"),
]
SAVED = Saved(id="m1dddddd", title="Neunzig Minuten", similar=OLDER[:1], same_subject=OLDER[1:], unclear=OLDER)


def test_the_form_has_a_field_for_each_and_nothing_that_a_terminal_acts_on():
    form = form_of(SAVED)

    assert list(form.requested_schema["properties"]) == [older.id for older in OLDER]
    assert "Neunzig Minuten" in form.message
    titles = [field["title"] for field in form.requested_schema["properties"].values()]
    assert titles == ["m1aaaaaa 三十分", "m1bbbbbb Срок – час", "m1cccccc Eine Stunde rot"]
    assert form.message.splitlines()[2:] == titles


def test_the_likeliest_answer_is_the_first_and_the_default():
    """It takes one key: only what is likely replaced is asked about."""
    fields = form_of(SAVED).requested_schema["properties"].values()
    assert {(field["default"], field["enum"][0]) for field in fields} == {(REPLACE, REPLACE)}


def test_each_field_decides_about_its_memory():
    said = FormResult("accept", {"m1aaaaaa": REPLACE, "m1bbbbbb": KEEP, "m1cccccc": NARROW})

    decided = Decide(newer=SAVED.id, replaced=["m1aaaaaa"], kept=["m1bbbbbb"], narrowed=["m1cccccc"])
    assert decision_of(SAVED, said) == decided


def test_a_field_that_is_missing_or_was_not_asked_decides_nothing():
    assert decision_of(SAVED, FormResult("accept", {"m1zzzzzz": REPLACE})) is None
    assert decision_of(SAVED, FormResult("accept", {"m1aaaaaa": REPLACE})) == Decide(
        newer=SAVED.id, replaced=["m1aaaaaa"]
    )


@pytest.mark.parametrize("action", ["decline", "cancel", "late"])
def test_only_a_form_that_was_sent_decides(action: Any):
    assert decision_of(SAVED, FormResult(action, dict.fromkeys((older.id for older in OLDER), REPLACE))) is None


@given(
    st.dictionaries(
        st.sampled_from([older.id for older in OLDER]) | st.text(max_size=5),
        st.sampled_from(CHOICES) | st.none() | st.text(max_size=5) | st.lists(st.text(max_size=5)) | st.floats(),
    )
)
def test_whatever_comes_back_each_memory_is_decided_once_and_only_by_a_choice(content: dict[str, Any]):
    decided = decision_of(SAVED, FormResult("accept", content)) or Decide(newer=SAVED.id)

    told = [*decided.replaced, *decided.kept, *decided.narrowed]
    assert sorted(told) == sorted(older.id for older in OLDER if content.get(older.id) in CHOICES)


def test_what_was_decided_is_no_question_to_the_agent_any_more():
    linked = Linked(id="m1aaaaaa", title="三十分", relation="replaces", said_by="user")
    settled = with_decision(SAVED, Decided(linked=[linked], kept=[OLDER[1]]))

    assert (settled.similar, settled.same_subject) == ([], [OLDER[2]])
    assert (settled.linked, settled.kept) == ([linked], [OLDER[1]])


def test_a_memory_for_all_projects_is_asked_about_and_nobody_says_yes_by_enter():
    saved = Saved(id="m1dddddd", title="Kurze Sätze", waits_for_all=True)
    [field] = form_of(saved).requested_schema["properties"].values()
    assert "default" not in field
    assert decision_of(saved, FormResult("accept", {FOR_ALL: EVERYWHERE})) == Decide(newer=saved.id, for_all=True)
    assert decision_of(saved, FormResult("accept", {FOR_ALL: WHERE[0]})) == Decide(newer=saved.id, for_all=False)
    for said in (FormResult("accept", {FOR_ALL: "yes"}), FormResult("decline", {FOR_ALL: EVERYWHERE})):
        assert decision_of(saved, said) is None
    # What was not asked is not answered.
    assert decision_of(SAVED, FormResult("accept", {FOR_ALL: EVERYWHERE})) is None
