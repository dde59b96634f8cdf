"""What is made of the answer of a program that extracts memories."""

import json

from palimp_daemon.features.capture.external_extractor import (
    CONVERSATION_CHARACTERS_MAX,
    EXTRACTS_MAX,
    PROMPT,
    extracts_from,
    prompt_of,
)
from palimp_daemon.text.messages import Message

SAID = [Message("user", "Use Postgres,\nplease."), Message("assistant", "Done.")]


def test_lines_that_are_memories_of_what_was_said_are_taken():
    good = json.dumps({"kind": "decision", "text": "Postgres it is.", "quote": "Use Postgres, please."})
    unsaid = json.dumps({"kind": "decision", "text": "Oracle it is.", "quote": "Use Oracle."})
    strange = [json.dumps({"kind": "joke", "text": "x", "quote": "Done."}), "[]", "Here you are:", "{", "[" * 100_000]
    [extract] = extracts_from("\n".join([*strange, good, unsaid]), SAID)
    assert (extract.kind, extract.text, extract.quote) == ("decision", "Postgres it is.", "Use Postgres, please.")


def test_the_answer_and_the_question_are_bounded():
    line = json.dumps({"kind": "fix", "text": "x", "quote": "Done."})
    assert len(extracts_from("\n".join([line] * 100), SAID)) == EXTRACTS_MAX
    assert len(prompt_of([Message("user", "x" * 1_000_000)])) <= len(PROMPT) + CONVERSATION_CHARACTERS_MAX + 1


def test_a_program_s_answer_may_hold_half_a_character_and_other_ends_of_lines():
    r"""JSON has `\ud83d` escaped, and U+2028 as it is."""
    said = "We use X \u2028 now \ufffd."
    line = '{"kind": "decision", "text": "We use X \u2028 now \\ud83d.", "quote": "We use X \u2028 now \\ud83d."}'
    [extract] = extracts_from(line, [Message("user", said)])
    assert extract.said == said
