"""Names in a question, told by how they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.proper_names import proper_names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which Kafka version carries the events?", ["Kafka"]),
        ("Does the Apple Watch app sync by itself?", ["Apple Watch"]),
        ("Does the gateway run Debian or Yocto?", ["Debian", "Yocto"]),
        ("Is it deployed to Île-de-France or to Zürich?", ["Île", "France", "Zürich"]),
        ("Which MQTT broker is it, and does the iPad speak MQTT?", ["MQTT", "iPad"]),
    ],
)
def test_a_word_in_the_middle_of_a_sentence_with_a_capital_is_a_name(question: str, names: list[str]) -> None:
    assert proper_names(question) == names


@pytest.mark.parametrize(
    "question",
    [
        "Which version do we use? Retries are capped. How often?",  # each begins a sentence
        "Retry Policy For Payments",  # a heading
        "Retry Policy for Payments of the Shop",
        "how often do I have to log in",
        "SELECT or select, what is the house style?",
        "",
    ],
)
def test_what_begins_a_sentence_or_is_written_small_elsewhere_is_none(question: str) -> None:
    assert proper_names(question) == []


@pytest.mark.parametrize(
    "question",
    ["Welche Datenbank nutzt die Kasse in Basel?", "Wie oft wird der Schlüssel getauscht?", "Datenbank Kasse"],
)
def test_in_a_language_that_writes_nouns_with_capitals_no_noun_is_a_name(question: str) -> None:
    assert proper_names(question) == []


def test_a_name_with_capitals_inside_is_one_in_every_language() -> None:
    assert proper_names("Welchen MQTT-Broker nutzt das Gateway?") == ["MQTT"]
    assert proper_names("网关使用哪个 MQTT 代理？") == ["MQTT"]


def test_the_name_of_the_project_is_none() -> None:
    """Its memories are about it and do not say it."""
    assert proper_names("Which database does the Web Shop use?", "web-shop") == []
    assert proper_names("Does Palimp use Kafka?", "palimp") == ["Kafka"]
    assert proper_names("Does the Größe API use Kafka?", "größe-api") == ["Kafka"]


@given(st.text(max_size=200))
def test_every_name_stands_in_its_text(text: str) -> None:
    names = proper_names(text)
    assert all(name in text for name in names)
    assert len(names) == len(set(names))
