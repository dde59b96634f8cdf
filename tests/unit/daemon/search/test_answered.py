"""A question is answered by what is said later on the same matter."""

import pytest

from palimp_daemon.search.answered import TellingWords, is_answered

WORDS = TellingWords(lambda text: text.split())


@pytest.mark.parametrize(
    ("question", "later", "expected"),
    [
        ("Which queue do the mail jobs use?", "The mail jobs use the queue outbox.", True),
        ("Which queue do the mail jobs use?", "Invoices are kept in Postgres.", False),
        ("Which queue do the mail jobs use?", "Which queue do mail jobs use?", False),
        ("Wie lange halten wir Sitzungen im Cache?", "Sitzungen halten wir dreißig Tage im Cache.", True),
        ("Redis?", "Redis it is.", False),
    ],
)
def test_what_has_most_of_a_question_s_words_and_more_answers_it(question: str, later: str, expected: bool):
    assert is_answered(WORDS.of(question), [WORDS.of(later)]) is expected
