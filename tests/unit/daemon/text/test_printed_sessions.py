"""Sessions that a program printed are taken apart by who speaks; what tools print is nobody's."""

import pytest

from palimp_daemon.text.exported_chats import exported_messages
from palimp_daemon.text.printed_sessions import said_in_print
from palimp_daemon.text.redact import Redactor

PRINTED = """╭──────────────────────────╮
│ ✻ Welcome to Claude Code │
╰──────────────────────────╯

> Which cache do the
  carts use?

⏺ I look.

⏺ Bash(grep -r cache .)
  ⎿  # never use redis
     (2 more lines)

⏺ Redis:

  - carts
  - sessions

✻ Brewed for 12s

> /model opus
  ⎿  Set model to opus

> /review the totals, never the labels

> No, keep it.
"""
SAID = [
    ("user", "Which cache do the\ncarts use?"),
    ("assistant", "I look."),
    ("assistant", "Redis:\n\n- carts\n- sessions"),
    ("user", "the totals, never the labels"),
    ("user", "No, keep it."),
]


@pytest.mark.parametrize(("prompt", "answer"), [("> ", "⏺ "), ("❯ ", "● "), ("❯\u00a0", "⏺\u00a0")])
def test_claude_codes_export_is_what_was_typed_and_said(prompt: str, answer: str):
    text = PRINTED.replace("\n> ", f"\n{prompt}").replace("\n⏺ ", f"\n{answer}")
    assert said_in_print(text) == SAID
    assert [each.text for each in exported_messages(text, Redactor()) or []] == [text for _, text in SAID]


def test_aiders_history_is_what_was_typed_and_said():
    text = (
        "# aider chat started at 2026-11-20 10:00:00\n\n> Aider v0.80\n> Model: x\n\n"
        "#### Which cache?  \n#### And why?  \n\nRedis.\n\n## Why\nIt is shared.\n\n> Tokens: 2k sent\n\n#### Fine.\n"
    )
    assert said_in_print(text) == [
        ("user", "Which cache?\nAnd why?"),
        ("assistant", "Redis.\n\n## Why\nIt is shared."),
        ("user", "Fine."),
    ]


@pytest.mark.parametrize("text", ["", "> Only a prompt\n  ⎿ output", "⏺ Only an answer", "> quoted\n\n● item"])
def test_what_is_no_print_of_two_speakers_is_left_alone(text: str):
    assert said_in_print(text) is None
