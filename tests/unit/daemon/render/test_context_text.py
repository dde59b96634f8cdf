"""The context of a starting session as text: nothing said twice, nothing cut in silence."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from lanes import IS_NIGHTLY, IS_QUICK

from palimp_daemon.render.context_text import ROW_CHARACTERS, SUMMARY_CHARACTERS_MAX, context_text
from palimp_protocol.limits import CONTEXT_WORK_CHARACTERS_MAX


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
    session: Sequence[Entry] = ()


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
    assert len(said) <= ROW_CHARACTERS[0]
    assert said.endswith("…")
    assert said.removesuffix("…").split()[-1].strip(",") in "Words of many letters, one after the other"


def test_a_standing_rule_is_whole_as_long_as_there_is_room():
    """However long it is: nothing else is told where there is room for the rules alone."""
    rule = Entry("Answer in British English", "Answer in British English. " + "Quote the file and the line. " * 60)
    other = Entry("Carts", "Carts. " + "They live in Redis. " * 60, "m1deci01")
    for answer_format in ("text", "toon", "json"):
        known = Known([other, other, other], rules=[rule, rule, rule])
        text = context_text(known, [], 10_000, answer_format).text
        assert text.count(rule.text.strip()) == 3
    needed = len(context_text(Known([], rules=[rule, rule, rule]), [], 10_000, "text").text) + 40
    alone = context_text(Known([other], rules=[rule, rule, rule]), [], needed, "text").text
    assert alone.count(rule.text.strip()) == 3
    assert "m1deci01" not in alone


def test_of_rules_that_are_too_many_the_oldest_are_cut_and_each_ends_with_a_sentence():
    """The newest stand first; the title is all that is left of the oldest, then they are left out."""
    long = "Say what you did. " * 20 + "Ask first, e.g. before a push! 問題は日本語で書く。エラーはそのまま引用する。"
    rules = [Entry("Say what you did", long, f"m1rule{number:02}") for number in range(12)]
    counts: list[tuple[int, int]] = []
    for characters in range(6_500, 500, -300):
        text = context_text(Known([], rules=rules), [], characters, "text").text
        told = [line.split(" · ")[1] for line in text.splitlines() if line.startswith("m1rule")]
        assert all(each.endswith(("引用する。", "書く。 …", "push! …", "did. …", "did")) for each in told)
        whole = [each for each in told if each.endswith("引用する。")]
        assert told[: len(whole)] == whole
        counts.append((len(told), len(whole)))
    assert counts[0] == (12, 12)
    assert counts == sorted(counts, reverse=True)
    assert 0 < counts[-1][0] < 12
    assert any(told == 12 and whole < 6 for told, whole in counts)


def test_a_rule_whose_first_sentence_never_ends_is_cut_at_a_word():
    rule = Entry("Words without an end…", "Words without an end " * 400)
    said = context_text(Known([], rules=[rule]), [], 3_000, "text").text
    assert "an end…" in said or "without…" in said or "Words…" in said


@pytest.mark.parametrize("answer_format", ["text", "toon", "json"])
def test_what_bears_on_the_work_is_chosen_and_not_filled_up(answer_format: str):
    """However much room there is, and however long the rules are."""
    rules = [Entry(f"Rule {number}", f"Rule {number}. " + "Mind the gap. " * 30, f"m1rule{number}") for number in "123"]
    decisions = [Entry(f"Decision {number}", "words " * 50, f"m1deci{number:02}") for number in range(40)]
    newest = [Entry(f"Note {number}", "words " * 50, f"m1note{number:02}") for number in range(40)]
    known = Known(decisions, "Done. " * 300, newest=tuple(newest), rules=rules)
    text = context_text(known, [], 40_000, answer_format).text
    assert (
        CONTEXT_WORK_CHARACTERS_MAX - 200
        < len(text) - sum(len(rule.text) for rule in rules)
        < CONTEXT_WORK_CHARACTERS_MAX + 300
    )
    assert all(rule.text.strip() in text for rule in rules)


def test_decisions_stand_right_behind_the_rules_and_what_is_new_last():
    each = Entry("Carts", "Carts")
    known = Known([each], "We moved the parser.", matches=(each,), newest=(each,), rules=[each])
    text = context_text(known, [], 9_500, "toon").text
    parts = ["Standing rules", "Decisions and", "Relevant to", "The last session", "Saved lately"]
    assert sorted(parts, key=text.index) == parts


def test_a_summary_that_is_cut_says_so():
    text = context_text(Known([], "Done. " * SUMMARY_CHARACTERS_MAX), [], 10_000, "text").text
    assert "Done.…" in text
    short = context_text(Known([], "Done. " * SUMMARY_CHARACTERS_MAX), [], 600, "text").text
    assert len(short) <= 600
    assert "Done.…" in short


def test_a_standing_rule_is_cut_to_its_title_before_any_is_left_out():
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
    assert "words words" in next(line for line in texts[9_500].splitlines() if line.startswith("m1rule00"))
    assert "words" not in next(line for line in texts[9_500].splitlines() if line.startswith("m1rule59"))
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
    decisions = [Entry(f"Decision {number}", "words " * 50, f"m1deci{number:02}") for number in range(16)]
    known = Known(decisions, "Done. " * 40, rules=rules, newest=tuple(decisions[8:]))
    told: frozenset[str] = frozenset()
    for characters in range(400, 6_001, 70 if IS_NIGHTLY else 1_400 if IS_QUICK else 350):
        text = context_text(known, [], characters, answer_format)
        assert len(text.text) <= characters
        assert text.ids >= told
        assert context_text(known, [], max(len(text.text), 1), answer_format).ids == text.ids
        told = text.ids
    assert told == {each.id for each in (*rules, *decisions)}
