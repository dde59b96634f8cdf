"""The context of a starting session as text: nothing said twice, nothing cut in silence."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from palimp_daemon.render.context import ROW_CHARACTERS, SUMMARY_CHARACTERS_MAX, context_text


@dataclass
class Entry:
    """A memory in the index."""

    title: str
    text: str
    id: str = "m1rv0001"
    why: str = "decision"
    created_at: int = 1_763_726_400_000
    stale: str = ""


@dataclass
class Known:
    """The session context."""

    decisions: list[Entry]
    summary: str = ""
    matches: tuple[Entry, ...] = ()
    newest: tuple[Entry, ...] = ()
    left_out: int = 0
    total: int = 1
    rules: Sequence[Entry] = ()


def row(title: str, snippet: str) -> str:
    """Return the row of a memory."""
    text = context_text(Known([Entry(title, snippet)]), [], 10_000, "text").text
    return next(line for line in text.splitlines() if line.startswith("m1rv0001"))


def test_a_row_is_the_text_once_and_not_a_title_and_its_rest():
    whole = "The lock was stale for a week, and nobody saw it."
    for title, text, said in (
        ("The lock was stale", "The lock was stale. It is compared by its start time now.", None),
        ("The lock was stale…", whole, None),
        ("The lock was stale", "The lock was stale.", None),
        ("About locks", whole, f"About locks: {whole}"),
        ("", "", ""),
    ):
        assert row(title, text) == f"m1rv0001 · {said or text} · decision · 2025-11-21".replace(" ·  · ", " · ")


def test_a_table_has_no_column_that_says_nothing():
    """What became of what they name, where that is as it was."""
    entries = [Entry(f"Number {number}", f"Number {number}. And then some more.") for number in range(3)]
    assert "decisions[3]{id,title,why,date}:" in context_text(Known(entries), [], 10_000, "toon").text
    entries[1].stale = "`lock.py` is gone since 3 Nov"
    assert "decisions[3]{id,title,why,date,now}:" in context_text(Known(entries), [], 10_000, "toon").text


def test_a_text_that_is_cut_ends_with_a_word_and_says_so():
    said = row("Words of many letters", "Words of many letters, one after the other, " * 9).split(" · ")[1]
    assert len(said) <= ROW_CHARACTERS
    assert said.endswith("…")
    assert said.removesuffix("…").split()[-1].strip(",") in "Words of many letters, one after the other"


def test_a_standing_rule_is_whole_as_long_as_there_is_room():
    """However long it is; other rows are shortened first, and then all rules alike."""
    rule = Entry("Answer in British English", "Answer in British English. " + "Quote the file and the line. " * 60)
    other = Entry("Carts", "Carts. " + "They live in Redis. " * 60, "m1deci01")
    for answer_format in ("text", "toon", "json"):
        known = Known([other, other, other], rules=[rule, rule, rule])
        text = context_text(known, [], 10_000, answer_format).text
        assert text.count(rule.text.strip()) == 3
    short = context_text(Known([other], rules=[rule, rule, rule]), [], 2_000, "text").text
    assert short.count("Answer in British English. Quote the file") == 3
    assert "They live" not in short


def test_a_summary_that_is_cut_says_so():
    text = context_text(Known([], "Done. " * SUMMARY_CHARACTERS_MAX), [], 10_000, "text").text
    assert "Done.…" in text
    short = context_text(Known([], "Done. " * SUMMARY_CHARACTERS_MAX), [], 600, "text").text
    assert len(short) <= 600
    assert "Done.…" in short


def test_a_standing_rule_is_shortened_before_any_is_left_out():
    """Everything else is left out sooner; and what there is of it comes first."""
    rules = [
        Entry(f"Rule {number} of the user, who wants it so", "words " * 50, f"m1rule{number:02}")
        for number in range(60)
    ]
    decisions = [Entry(f"Decision {number}", "words " * 50, f"m1deci{number:02}") for number in range(40)]
    known = Known(decisions, rules=rules)

    texts = {size: context_text(known, [], size, "text").text for size in (40_000, 9_500, 6_000, 1_500)}

    assert all(len(text) <= size for size, text in texts.items())
    assert texts[40_000].index("m1rule59") < texts[40_000].index("m1deci00")
    for size in (40_000, 9_500, 6_000):
        assert sum(rule.id in texts[size] for rule in rules) == 60
    assert "m1deci00" in texts[9_500]
    assert 0 < sum(rule.id in texts[1_500] for rule in rules) < 60
    assert "older entries are left out" in texts[1_500]


def test_every_row_is_shortened_to_its_title_before_one_is_left_out():
    decisions = [
        Entry(f"Decision {number} about something", "words " * 50, f"m1deci{number:02}") for number in range(40)
    ]
    text = context_text(Known(decisions), [], 4_000, "text").text
    assert all(decision.id in text for decision in decisions)
    assert "words" not in text
    assert "left out" not in text


def test_what_became_of_what_it_names_ends_the_row():
    entry = Entry("The lock was stale", "The lock was stale.", stale="`lock.py` is gone since 3 Nov")
    for answer_format in ("text", "toon", "json"):
        text = context_text(Known([entry, entry, entry]), [], 10_000, answer_format).text
        assert text.count("`lock.py` is gone since 3 Nov") == 3
    text = context_text(Known([entry]), [], 10_000, "text").text
    assert next(line for line in text.splitlines() if line.startswith("m1rv0001")).endswith(
        "`lock.py` is gone since 3 Nov"
    )


def test_what_is_in_the_text_is_said_and_nothing_that_was_cut():
    """What is named elsewhere in it is not in it."""
    decisions = [Entry(f"Decision {number}", "words " * 50, f"m1deci{number:02}") for number in range(40)]
    decisions[0].title = "See m1deci39"
    known = Known(decisions, "Done. " * 200)
    whole, cut, nothing = (context_text(known, [], size, "text") for size in (40_000, 900, 10))
    assert whole.ids == {each.id for each in decisions}
    assert whole.has_summary
    assert cut.ids < whole.ids
    assert all(f"\n{each.id} " in cut.text for each in decisions if each.id in cut.ids)
    assert nothing == ("", frozenset(), False)
    assert not context_text(Known(decisions), [], 40_000, "text").has_summary


@pytest.mark.parametrize("answer_format", ["text", "toon", "json"])
def test_no_more_is_cut_than_there_is_no_room_for(answer_format: str):
    """Whoever has more room is told no less, and who has just enough for a text is told all of it."""
    rules = [
        Entry(f"Ο κανόνας {number}, as the user wants it", "words " * 50, f"m1rule{number:02}") for number in range(9)
    ]
    decisions = [Entry(f"Decision {number}", "words " * 50, f"m1deci{number:02}") for number in range(30)]
    known = Known(decisions, "Done. " * 40, rules=rules, newest=tuple(decisions[20:]))
    told: frozenset[str] = frozenset()
    for characters in range(400, 6_000, 70):
        text = context_text(known, [], characters, answer_format)
        assert len(text.text) <= characters
        assert text.ids >= told
        assert context_text(known, [], max(len(text.text), 1), answer_format).ids == text.ids
        told = text.ids
    assert told == {each.id for each in (*rules, *decisions)}
