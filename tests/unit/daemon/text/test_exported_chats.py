"""Conversations that were exported are taken apart by who speaks."""

import json

import pytest

from palimp_daemon.text.exported_chats import exported_messages
from palimp_daemon.text.messages import Message
from palimp_daemon.text.redact import Redactor

EXPECTED = [
    Message("user", "Which cache?"),
    Message("assistant", "Redis.\n\nIt is shared."),
    Message("user", "Кэш — нет."),
]
SAID = [(each.role, each.text) for each in EXPECTED]


def markdown(user: str, agent: str, head: str = "# A chat\n\n") -> str:
    names = {"user": user, "assistant": agent}
    return head + "\n\n".join(f"{names[role]}\n\n{text}" for role, text in SAID)


@pytest.mark.parametrize(
    ("user", "agent"),
    [
        ("## User", "## Assistant"),
        ("### Human", "### Claude"),
        ("**User**", "**Assistant**"),
        ("**You:**", "**ChatGPT:**"),
        ("You said:", "ChatGPT said:"),
        ("## Prompt:", "## Response:"),
        ("_**User (11/20/2026, 10:00)**_", "_**Agent (model claude)**_"),
        ("## 👤 User", "## 🤖 Assistant"),
        ("## USER 🧑‍💻", "## MODEL ✨"),
        ("**User**", "**Cursor**"),
        ("**Benutzer:**", "**Assistent:**"),
        ("## 用户", "## 助手"),
        ("[2026-11-20 10:00] User:", "[2026-11-20 10:01] Assistant:"),
    ],
)
def test_markdown_is_taken_apart_by_its_lines_that_say_who_speaks(user: str, agent: str):
    assert exported_messages(markdown(user, agent), Redactor()) == EXPECTED


DOCUMENTS = {
    "roles": [{"role": role, "content": text} for role, text in SAID],
    "claude.ai": [{"name": "x", "chat_messages": [{"sender": r.replace("user", "human"), "text": t} for r, t in SAID]}],
    "chatgpt": [
        {
            "title": "x",
            "mapping": {
                str(number): {
                    "message": {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
                }
                for number, (role, text) in enumerate(SAID)
            },
        }
    ],
    "parts": {"messages": [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in SAID]},
    "gemini": {"contents": [{"role": r.replace("assistant", "model"), "parts": [{"text": t}]} for r, t in SAID]},
}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_json_is_taken_apart_by_its_messages(document: str):
    assert exported_messages(json.dumps(DOCUMENTS[document]), Redactor()) == EXPECTED


def test_json_lines_are_taken_apart_and_a_damaged_one_is_left_out():
    lines = [json.dumps({"role": role, "content": text}) for role, text in SAID]
    assert exported_messages("\n".join(['{"role": "us', *lines]), Redactor()) == EXPECTED


def test_of_a_text_that_a_program_frames_what_was_typed_is_left():
    document = [
        {"role": "user", "content": "<task>\nWhich cache?\n</task>\n\n<environment_details>x</environment_details>"},
        {"role": "assistant", "content": "Redis."},
        {"role": "user", "content": "<feedback>\nNo <task> of mine.\n</feedback>"},
    ]
    told = exported_messages(json.dumps(document), Redactor()) or []
    assert [each.text for each in told] == ["Which cache?", "Redis.", "No <task> of mine."]


def test_a_frame_that_is_left_open_is_text_however_long():
    """Lookups of its end that began anew at each space would take hours."""
    document = [{"role": "user", "content": f"<task>{' ' * 50_000}x"}, {"role": "assistant", "content": "Done."}]
    told = exported_messages(json.dumps(document), Redactor()) or []
    assert [each.text[:6] for each in told] == ["<task>", "Done."]


@pytest.mark.parametrize(
    "text",
    [
        "Just a note of mine.",
        "> A quotation.\n\n● an item\n● another",
        "## User guide\n\nText.\n\n## Model ideas\n\nText.",
        "# User\n\nOnly one of them speaks.",
        '{"a": 1}',
        "[1, 2]",
        "{",
        "Claude is good: I like it.",
    ],
)
def test_what_is_no_conversation_of_two_is_left_alone(text: str):
    assert exported_messages(text, Redactor()) is None


def test_the_output_of_tools_is_said_by_nobody():
    content = [{"type": "tool_result", "content": "We decided to use X."}, {"type": "text", "text": "Yes."}]
    document = [{"role": "user", "content": "Is it?"}, {"role": "assistant", "content": content}]
    assert exported_messages(json.dumps(document), Redactor()) == [
        Message("user", "Is it?"),
        Message("assistant", "Yes."),
    ]
