"""The words that tell what a text is about: the same in all forms, and few."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.minhash import text_key
from palimp_daemon.search.subject_words import KEY_MAX, KEY_MIN, SUBJECT_WORDS, subject_keys, subject_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retries are capped", "We retry, and a retried call is a cap"),
        ("Deployments run on Fridays", "The deployment of Friday"),
        ("Сессия живёт час", "Длина сессии"),
        ("缓存的过期时间是三十分钟", "缓存过期后"),
        ("Die Verfügbarkeit", "verfügbar"),
        ("JWT is signed with RS256", "rs256 only"),
    ],
)
def test_forms_of_a_word_are_one(one, other):
    assert {*subject_words(one)} & {*subject_words(other)}


def test_names_and_identifiers_come_before_long_words():
    words = subject_words("The internationalization of OAuth2 in Keycloak was discussed extensively elsewhere")
    assert words.index("oauth2") < words.index("elsewher")
    assert words.index("keycloak") < words.index("elsewher")


def test_words_that_say_nothing_are_none_of_them():
    assert subject_words("It was not the 2024 that we had been after") == []


@given(st.text(max_size=300))
def test_any_text_has_a_few_and_their_keys_lie_between_those_of_pairs_and_of_texts(content):
    words = subject_words(content)
    assert len(words) == len({*words}) <= SUBJECT_WORDS
    assert all(2**32 <= KEY_MIN <= key < KEY_MAX <= text_key("note", content) for key in subject_keys(words))
