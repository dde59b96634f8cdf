"""Titles made from texts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.titles import (
    CUT_CHARACTERS,
    NO_TITLE,
    SENTENCE_CHARACTERS_MAX,
    beyond_title,
    join_title,
    title_and_text,
    title_from_text,
    uncut,
    with_title,
)

LONG = "word " * 40


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Use ruff. It replaces four tools.", "Use ruff"),
        ("Use ruff, e.g. for imports. It is fast.", "Use ruff, e.g. for imports"),
        ("Version 3.12 broke it. See the log.", "Version 3.12 broke it"),
        ("Why does it hang?\nNobody knows.", "Why does it hang?"),
        ("# Decision\n\nWe use tabs.", "Decision"),
        ("- first point\n- second point", "first point"),
        ("1. first step", "first step"),
        ("  spaces   inside  ", "spaces inside"),
        ("import os\nimport sys\n\ndef relay(x):\n    return x", "def relay(x)"),
        ("from a import b\n{\n}\nThe parser is recursive.", "The parser is recursive"),
        ("```python\nimport os\nx = 1\n```\nKeep x at 1.", "Keep x at 1"),
        ("```\n}\nreturn x\n```", "return x"),
        ("#include <stdio.h>\nint main(void) {", "int main(void)"),
        ("// a comment\nconst a = require('b')\nrun(a)", "run(a)"),
        ("@decorated\ndef f(): pass", "def f(): pass"),
        ("}", "}"),
        ("日本語の文。次の文。", "日本語の文。次の文"),
        (LONG, ("word " * 16).strip() + "…"),
        ("x" * 200, "x" * CUT_CHARACTERS + "…"),
    ],
)
def test_the_title_is_the_first_sentence(text: str, title: str):
    """Markdown and code are recognised; what is too long is cut at a word."""
    assert title_from_text(text) == title


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_has_a_title(text: str):
    """It is never blank, never more than one line, never too long."""
    title = title_from_text(text.strip())

    assert title.strip()
    assert len(title) <= SENTENCE_CHARACTERS_MAX
    assert "\n" not in title


@pytest.mark.parametrize(
    ("text", "beyond"),
    [
        ("Money is in cents. Floats lost one.", "Floats lost one."),
        ("Money is in cents: `int`, not float.", "`int`, not float."),
        ("# Money is in cents\n\nFloats lost one.", "Floats lost one."),
        ("1. Money is in cents\n2. Floats lost one", "2. Floats lost one"),
        ("> - Money is in cents", ""),
        ("Money is in cents.", ""),
        ("(Money is in cents)", ""),
        ("We said: Money is in cents.", None),
        ("Money is in centsish units.", None),
        ("Floats lost one.", None),
    ],
)
def test_a_text_goes_on_behind_its_title(text: str, beyond: str | None):
    """Without what ends the sentence, and what marks it; None: the title is not its beginning."""
    assert beyond_title("Money is in cents", text) == beyond


def test_nothing_goes_on_behind_no_title():
    """As of a section before the first heading."""
    assert beyond_title("", "(Money is in cents.)") is None


def test_a_title_that_was_cut_where_there_are_no_spaces_goes_on_too():
    text = "的" * 100 + "日志"
    assert beyond_title(title_from_text(text), text) == "的" * (100 - CUT_CHARACTERS) + "日志"


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("Money is in cents", "# Money is in cents. Floats lost one.", "# Money is in cents. Floats lost one."),
        ("Деньги в…", "Деньги в копейках.", "Деньги в копейках."),
        ("Currency", "Money is in cents.", "Currency\nMoney is in cents."),
        ("", "Money is in cents.", "Money is in cents."),
    ],
)
def test_a_title_stands_before_a_text_that_does_not_say_it(title: str, text: str, said: str):
    """So that nothing is said twice."""
    assert with_title(title, text) == said


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("Keep sessions", "Keep sessions\n\nRedis lost them.", "Keep sessions —\n\nRedis lost them."),
        ("Garder les sessions", "Garder les sessions\nÉvite Redis.", "Garder les sessions —\nÉvite Redis."),
        ("会话放在数据库", "会话放在数据库\n\n缓存会丢失。", "会话放在数据库 —\n\n缓存会丢失。"),
        ("Keep sessions", "Keep sessions.\n\nRedis lost them.", "Keep sessions.\n\nRedis lost them."),
        ("Keep sessions", "Keep sessions\n\n- in PostgreSQL", "Keep sessions\n\n- in PostgreSQL"),
        ("Keep sessions", "Keep sessions\nin PostgreSQL", "Keep sessions\nin PostgreSQL"),
        ("Keep se…", "Keep sessions in PostgreSQL", "Keep sessions in PostgreSQL"),
        ("Sessions", "Redis lost them.", "Sessions: Redis lost them."),
        ("Sessions", "", "Sessions"),
    ],
)
def test_a_title_and_its_text_can_be_read_on_one_line(title: str, text: str, said: str):
    """What only a break of lines parts gets a dash; a line that is wrapped goes on, and a list has its own marks."""
    assert title_and_text(title, text) == said


def test_a_line_that_was_wrapped_goes_on():
    text = "Die Warenkörbe bleiben sechzig Tage, weil Kunden nach den Ferien ihren\nKorb suchen."
    assert title_and_text(title_from_text(text), text) == text


@pytest.mark.parametrize(
    ("first", "both"),
    [
        ("Ship it", "Ship it — Answer: ok"),
        ("Ship it.", "Ship it. Answer: ok"),
        ("What of **it**?", "What of **it**? Answer: ok"),
        ("Was **ist?**", "Was **ist?** Answer: ok"),
        ("为什么？", "为什么？ Answer: ok"),
        ("(see #12)", "(see #12) — Answer: ok"),
        ("", "Answer: ok"),
    ],
)
def test_two_texts_on_a_line_have_a_sign_between_them(first: str, both: str):
    assert join_title(first, "Answer: ok") == both


@given(st.text("ab .,\n#-…é1", min_size=1, max_size=150).filter(str.strip))
def test_nothing_is_lost_between_a_title_and_what_goes_on(text: str):
    """Every letter is in one of them, in order."""
    title = title_from_text(text.strip())
    beyond = beyond_title(title, text)

    if beyond is not None:
        letters = [each for each in text if each in "abé"]
        assert [each for each in title + beyond if each in "abé"] == letters


CODE_BEGINNINGS = (
    "", "use", "using", "package", "from", "from a", "import", "const a =", "#", "```", "```a", "@a", "@a(", "//",
    "from a import", "let a = require",
)  # fmt: skip
CODE = (
    "use std::io;", "use  ", "using System.Text ;", "import x", "from a import b", "from  a.b  import c",
    "#include <a>", "# pragma once", "#!/bin/sh", "}", "---", "```", "~~~ rust", "@a", "@a.b(c, d)", "// x", "-- x",
    "const a = require('b')", "let a = b = require('c');", "var a=1, b = require(c)", "  module a.b  ",
)  # fmt: skip
WORDS = (
    "use tabs, not spaces!", "user names are unique", "used by: 3 teams (all)", "from a to b", "importing is slow",
    "const a = 1", "let x = y", "a = require(b)", "@ home", "# Decision", "requires Go 1.22 & make", "use",
)  # fmt: skip


@pytest.mark.parametrize("begin", CODE_BEGINNINGS)
def test_a_line_is_judged_in_time_that_grows_with_it(begin: str):
    """Of processor time, however busy the machine is: what gives back what it repeated takes minutes of it."""
    for filling in (" ", "\t", "a ", "= ", ": ", "( ", ". "):
        line = f"{begin}{filling * 750}\u00a0\u2029!"
        before = time.thread_time()
        NO_TITLE.match(line)
        assert time.thread_time() - before < 1, filling


def test_code_and_comments_are_no_titles():
    assert [line for line in CODE if not NO_TITLE.match(line)] == []


def test_words_are_titles():
    assert [line for line in WORDS if NO_TITLE.match(line)] == []


def test_a_title_that_was_cut_goes_on_with_the_sign_that_stood_there():
    text = "a.py " * 15 + "last; b.py is read by nobody. And more."
    title = title_from_text(text)

    assert title.endswith("last…")
    beyond = beyond_title(title, text)
    assert beyond is not None
    assert uncut(title, beyond) == text


def test_a_question_stays_one():
    """In a list of titles it would read as what is so."""
    assert title_from_text("Must refunds be in cents? Ask Kim.") == "Must refunds be in cents?"
    assert title_from_text("退款需要审批吗？") == "退款需要审批吗？"
    assert title_from_text("Call `stop!` first. Then wait.") == "Call `stop!` first"
