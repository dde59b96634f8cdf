"""Versions are found by what they begin with, and exactly."""

import itertools
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.version_words import date_terms, date_words, version_terms, version_words
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

numbers = st.lists(st.integers(0, 400), min_size=2, max_size=4).map(lambda parts: ".".join(map(str, parts)))
suffixes = st.sampled_from(["", "-rc.4", "-beta", "rc1", ".dev3", "+build.7", "-alpha.2.x"])


def first_found(request_context, query: str) -> str:
    return recall(request_context(), Recall(query=query)).memories[0].id


@given(numbers, suffixes, suffixes, st.sampled_from(["", "v", "V"]))
def test_a_version_is_found_by_itself_and_by_what_it_begins_with(number: str, suffix: str, other: str, letter: str):
    """Whatever letter stands before it; exactly, it has two words in common, else one."""
    words = {*version_words(f"We pinned {letter}{number}{suffix}, at last.")}

    assert {*version_terms(f"{number}{suffix}")} <= words
    beginning = version_terms(number)
    assert len(words.intersection(beginning)) == (1 if suffix else 2)
    if other not in ("", suffix):
        assert not words.intersection(version_terms(f"{number}{other}"))


@pytest.mark.parametrize("form", ["Release v{} broke the login.", "see python{}", "({})"])
def test_who_asks_for_a_version_gets_it_first_and_then_what_goes_on(request_context, form: str):
    """The numbers alone find a release candidate, and the release itself before it."""
    projects = itertools.count()

    @settings(max_examples=examples(40))
    @given(numbers.filter(lambda number: set(number) != {"7", "."}), suffixes.filter(bool))
    def check(number: str, suffix: str) -> None:
        """Of a number that another one repeats (7.7 in 7.7.7.7.7), that one has as much."""
        project = f"/work/{next(projects)}"

        def save(text: str) -> str:
            return save_memory(request_context(project), SaveMemory(text=text)).id

        def first(query: str) -> str:
            return recall(request_context(project), Recall(query=query)).memories[0].id

        for other in ("7.7.7.7.7", "0.401", "401.0.0-rc.4", "without any"):
            save(f"Another one: {other}.")
        candidate = save(form.format(f"{number}{suffix}"))
        assert first(number) == candidate
        release = save(form.format(number))
        assert first(number) == release
        assert first(f"{number}{suffix}") == candidate

    check()


@pytest.mark.parametrize(
    "name", ["node20", "utf-8", "gpt-4o", "CVE-2026-1234", "x86-64", "1.2", "10.0.0.1", "python3.11"]
)
def test_names_with_digits_are_found_exactly(request_context, name: str):
    """Before what has their parts in another order or apart."""
    for text in (
        "node 20, utf 16 and 8 more",
        "4 gpt, o",
        "1234 in 2026",
        "64 of 86",
        "2.1 and 1",
        "0.1.10",
        "11 of 3",
    ):
        save_memory(request_context(), SaveMemory(text=f"Something about {text} things."))
    saved = save_memory(request_context(), SaveMemory(text=f"Something about {name} here."))

    assert first_found(request_context, name) == saved.id


@pytest.mark.parametrize("text", ["", "no number", "1.", "1 . 2", "a.b.c", "3", "....", "1..2"])
def test_what_is_no_version_has_no_words(text: str):
    """Nor is time spent on it."""
    assert version_words(text) == version_terms(text) == []


def test_what_was_saved_on_a_day_is_found_by_its_month_and_year():
    """Not by its weekday, which is a name more often."""
    found = set(date_words(date(2023, 5, 7)))

    assert set(date_terms("What did Ann do in May 2023?")) < found
    assert not found & set(date_terms("Sunday, 7 June 2024: black friday, maybe 20230"))
