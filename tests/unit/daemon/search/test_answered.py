"""A question is answered by what is said later on the same matter."""

import pytest

from palimp_daemon.search.answered import is_answered
from palimp_daemon.search.telling_words import telling_words_of_language
from palimp_daemon.store.store import Store


@pytest.mark.parametrize(
    ("question", "later", "expected"),
    [
        ("Which queue do the mail jobs use?", "The mail jobs use the queue outbox.", True),
        ("Which queue do the mail jobs use?", "Invoices are kept in Postgres.", False),
        ("Which queue do the mail jobs use?", "Which queue do mail jobs use?", False),
        ("Wie lange halten wir Sitzungen im Cache?", "Sitzungen halten wir dreißig Tage im Cache.", True),
        ("どのブラウザに対応しますか", "対応するブラウザはFirefoxとSafari", True),
        ("どのブラウザに対応しますか", "請求書はPostgresに保存する", False),
        ("Redis?", "Redis it is.", False),
    ],
)
def test_what_has_most_of_a_question_s_words_and_more_answers_it(
    store: Store, question: str, later: str, expected: bool
):
    asked, said = (telling_words_of_language(text, store.stems) for text in (question, later))

    assert is_answered(asked, [said]) is expected
