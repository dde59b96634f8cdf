"""What asks for how something was formerly.

On the development set, on the day of writing (kind of question: of how many it is said that they ask for the past):
history 33 of 33, current 0 of 70, paraphrase 0 of 54, never 0 of 45, when 0 of 29, crosslingual 0 of 27,
keyword 0 of 25, typo 0 of 20, two 0 of 20. Of the questions here, which were written afterwards, 3 of 35 were missed
at first, and 1 of 202 about the present was taken for one.
"""

from hypothesis import given
from hypothesis import strategies as st
from questions_about_the_past import PAST, PRESENT
from questions_without_time import ENGLISH, HELD_OUT, OTHER_LANGUAGES

from palimp_daemon.text.times.past import asks_for_past


def test_a_word_for_the_past_beside_a_past_tense_asks_for_it():
    """So does why something was dropped."""
    assert [question for question in PAST if not asks_for_past(question)] == []


def test_what_was_decided_or_broke_is_no_question_about_the_past():
    """It asks for what holds now, whatever its tense is."""
    questions = PRESENT + ENGLISH + OTHER_LANGUAGES + HELD_OUT

    assert [question for question in questions if asks_for_past(question)] == []


@given(st.text())
def test_any_text_is_judged(question: str):
    """Without an error."""
    assert asks_for_past(question) in (True, False)
