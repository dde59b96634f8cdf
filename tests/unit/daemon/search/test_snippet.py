"""Snippets show the matched words in context and cut none."""

import re

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.match_positions import search_stems
from palimp_daemon.search.snippet import LINE_CHARACTERS, SNIPPET_CHARACTERS, RowText, field_snippet, row_text
from palimp_daemon.search.stems import Stems
from palimp_daemon.text.titles import title_from_text

WORDS = st.lists(
    st.text("abcdeé", min_size=1, max_size=12) | st.text("дж", min_size=1, max_size=12), min_size=1, max_size=60
)
"""Each in one script: what is glued together of two is found by either."""

STEMS = Stems(lambda text: [word.lower() for word in text.split()])


def shown(text: str, *terms: str) -> str:
    return field_snippet([("text", text)], search_stems(terms, STEMS), STEMS)


def test_a_short_text_is_shown_whole():
    """With its matches marked and its line breaks as spaces."""
    assert shown("One line.\nAnd another.", "another") == "One line. And **another**."


def test_the_window_holds_the_most_matches():
    """Not the first match but the best part of the text."""
    text = "alpha " + "filler " * 40 + "alpha beta gamma " + "filler " * 40

    snippet = shown(text, "alpha", "beta", "gamma")

    assert "**alpha** **beta** **gamma**" in snippet
    assert snippet.startswith("…")
    assert snippet.endswith("…")


def test_the_last_word_of_a_window_counts():
    assert "**alpha** **beta**" in shown("alpha " + "filler " * 40 + "alpha beta", "alpha", "beta")


def test_without_a_match_the_beginning_is_shown():
    """As for the most recent memories."""
    assert shown("first " + "word " * 60).startswith("first word")


def test_a_text_without_words_is_shown_as_it_is():
    """Punctuation only."""
    assert shown("?! --", "x") == "?! --"


def test_irregular_forms_and_parts_of_identifiers_are_marked():
    """They are what the search found."""
    assert shown("We chose it", "choose") == "We **chose** it"
    assert shown("Call getUserName()", "user") == "Call **getUserName**()"


def test_what_is_marked_does_not_depend_on_the_script_of_the_rest():
    """Texts in ASCII are looked through in another way."""
    for rest in ("there", "thére"):
        assert (
            shown(f"He chose redFox and red {rest}", "choose", "red") == f"He **chose** **redFox** and **red** {rest}"
        )


def test_of_what_is_written_without_spaces_the_words_are_marked():
    """And it may be cut anywhere, so that a long sentence is no longer than others."""
    text = "通知" + "的" * 150 + "日志保留三十天" + "的" * 150

    found = shown(text, *"日志保留")

    assert "的**日志保留**三" in found
    assert (found[0], found[-1]) == ("…", "…")
    assert len(found.strip("…").replace("**", "")) <= SNIPPET_CHARACTERS


def test_words_of_both_kinds_stand_side_by_side():
    assert shown("把Kafka主题删除", "kafka", "主", "题") == "把**Kafka****主题**删除"
    for first, others in (("的" * 95 + "kafka", "的" * 9), ("的" * 100, "kafka")):
        assert shown(first + others) == f"{first}…"


def test_another_field_is_named():
    """When the words stand in the title or the tags only, that is shown, and said."""
    fields = [("text", "Nothing here"), ("title", "About otters"), ("tags", "otters water")]

    assert field_snippet(fields, search_stems(["otters"], STEMS), STEMS) == "[title] About **otters**"
    assert field_snippet(fields, search_stems(["water"], STEMS), STEMS) == "[tags] otters **water**"
    assert field_snippet(fields, search_stems(["date"], STEMS), STEMS) == "Nothing here"


@given(WORDS, st.data())
def test_no_word_is_cut_and_the_length_is_kept(words: list[str], data):
    """Whatever matches, the snippet is made of whole words and is about a hundred characters long."""
    text = " ".join(words)
    terms = data.draw(st.lists(st.sampled_from(words), max_size=5))

    plain = shown(text, *terms).strip("…").replace("**", "")

    assert f" {plain} " in f" {text} "
    assert len(plain) <= SNIPPET_CHARACTERS


@given(
    st.lists(st.text("日本語の", min_size=60, max_size=200) | st.text("ab", max_size=12), min_size=1, max_size=12),
    st.data(),
)
def test_what_is_written_without_spaces_keeps_the_length_too(parts: list[str], data):
    """However long its sentences are; and it is shown as it stands."""
    text = "、".join(["語", *parts])
    terms = data.draw(st.lists(st.sampled_from("ab日本語の"), max_size=5))

    plain = shown(text, *terms).strip("…").replace("**", "")

    assert plain in text
    assert len(plain) <= SNIPPET_CHARACTERS


def row(title: str, text: str, *terms: str, tags: str = "") -> str:
    return row_text(title, text, tags, search_stems(terms, STEMS), STEMS).snippet


def line(text: str, *terms: str, title: str = "") -> str:
    return row_text(title or title_from_text(text), text, "", search_stems(terms, STEMS), STEMS).line


def test_a_row_shows_what_its_title_does_not_say():
    """Whether or not something matched there; the end of the title's sentence is left out."""
    text = "Money is kept in cents. Floats lost a cent in March."
    assert row("Money is kept in cents", text, "cents", "floats") == "**Floats** lost a cent in March."
    assert row("Money is kept in cents", text, "money") == "Floats lost a cent in March."
    assert row("Money is kept in cents", "Money is kept in cents.", "money") == ""


def test_a_title_that_was_cut_goes_on_in_the_snippet():
    text = "We " + "often " * 20 + "lost a cent"
    title = title_from_text(text)

    assert title.endswith("…")
    assert row(title, text, "cent") == "…" + "often " * (20 - title.count("often")) + "lost a **cent**"


def test_a_title_of_its_own_leaves_the_text_as_it_is():
    for title in ("About money", "Mon", "in cents"):
        assert row(title, "Money is in cents.", "cents") == "Money is in **cents**."


def test_tags_are_shown_where_nothing_else_matched():
    assert row("Locks", "Locks. Bounded.", "water", tags="otters water") == "[tags] otters **water**"
    assert row("Locks", "Locks. Bounded.", "locks", tags="locks water") == "Bounded."


@given(WORDS, st.sampled_from(["", ".", ". ", "! ", " "]), WORDS, st.data())
def test_a_snippet_is_of_what_stands_behind_the_title(first: list[str], end: str, others: list[str], data):
    """If the text begins with it; else of the text."""
    text = " ".join(first) + end + " ".join(others)
    title = title_from_text(text)
    terms = data.draw(st.lists(st.sampled_from([*first, *others]), max_size=5))

    said, beginning = row(title, text, *terms).strip("…").replace("**", ""), title.rstrip("…")
    begins_so = text.startswith(beginning) and not text[len(beginning) :][:1].isalnum()
    assert said in (text[len(beginning) :] if begins_so else text)


def test_a_text_that_begins_with_its_title_is_one_line():
    """Not a title that is cut, and a rest that begins with an ellipsis."""
    for text in (
        "Carts live in Redis for sixty days, because whoever comes back after the holidays expects a full cart.",
        "购物车在Redis中保留六十天，" * 8,
        "Die Warenkörbe bleiben sechzig Tage, weil Kunden nach den Ferien ihren Korb\nwieder vorfinden sollen.",
        "Deploy with make ship. It needs the VPN.",
        "`make ship` deploys.",
    ):
        assert line(text) == " ".join(text.split())


def test_what_matched_in_a_title_is_marked_where_nothing_matched_behind_it():
    """Who reads the row reads the title anyway; and one that is marked all over is hard to read."""
    assert line("Money is kept in cents.", "money", "cents") == "**Money** is kept in **cents**."
    assert line("Money is kept in cents. Nobody liked it.", "cents") == "Money is kept in **cents**. Nobody liked it."
    assert (
        line("Money is kept in cents. Floats lost a cent.", "money", "cents", "floats")
        == "Money is kept in cents. **Floats** lost a cent."
    )
    assert line("钱以分为单位。浮点数丢了一分。", "浮") == "钱以分为单位。**浮**点数丢了一分。"


def test_a_title_of_its_own_is_marked_where_nothing_else_matched():
    assert line("They swim.", "otters", title="About otters") == "About **otters**: They swim."
    assert line("They swim.", "swim", "otters", title="About otters") == ""
    assert row("About otters", "They swim.", "swim", "otters") == "They **swim**."


def test_a_title_is_parted_from_the_text_behind_it():
    """As the subject of a commit's message, which ends without a sign."""
    assert line("Keep sessions in PostgreSQL\n\nRedis lost them.") == "Keep sessions in PostgreSQL — Redis lost them."


def test_a_line_that_is_cut_ends_with_a_word():
    text = "Carts " + "often " * 60
    assert line(text).endswith("often…")
    assert len(line(text)) <= LINE_CHARACTERS + 1


def test_what_matched_further_on_is_shown_in_a_snippet():
    """With the title in front of it, as it is where the text does not begin with that."""
    text = "Carts " + "often " * 60 + "expire"
    assert row_text(title_from_text(text), text, "", search_stems(["expire"], STEMS), STEMS).line == ""
    assert "**expire**" in row(title_from_text(text), text, "expire")
    assert line("Money is kept in cents.", title="About money") == ""
    shown = row_text("Locks", "Locks. Bounded.", "otters", search_stems(["otters"], STEMS), STEMS)
    assert shown == RowText("", "[tags] **otters**")


@given(WORDS, st.sampled_from([".", ". ", "! ", "\n"]), WORDS, st.data())
def test_a_line_is_the_text_marked_where_something_matched_either_in_its_title_or_behind_it(
    first: list[str], end: str, others: list[str], data: st.DataObject
):
    text = " ".join(first) + end + " ".join(others)
    terms = data.draw(st.lists(st.sampled_from([*first, *others]), max_size=5))

    title = title_from_text(text)

    told = row_text(title, text, "", search_stems(terms, STEMS), STEMS).line

    plain = told.replace("**", "")
    assert " ".join(text.split()).startswith(plain.rstrip("…"))
    assert len(plain) <= LINE_CHARACTERS + 1
    if told:
        pieces = told.split("**")
        starts = [len("".join(pieces[:number])) for number in range(1, len(pieces), 2)]
        assert set(pieces[1::2]) <= set(terms)
        assert bool(starts) == bool(set(terms) & set(re.findall(r"\w+", plain)))
        assert len({start >= len(title.rstrip("…")) for start in starts}) <= 1
