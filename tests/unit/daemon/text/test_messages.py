"""The messages of a transcript and of a plain conversation."""

import json

from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.claude_code import transcript as claude_code
from palimp_clients.transcripts.slices import Slice
from palimp_clients.transcripts.turn import DONE, turns_of
from palimp_daemon.features.capture.external_extractor import prompt_of
from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import Message, plain_messages
from palimp_daemon.text.redact import Redactor


def messages_of(lines: list[bytes], redact: Redactor) -> list[Message]:
    found = claude_code.found_in(Slice("x.jsonl", [], iter(lines), "", has_files=True))
    return [Message(turn.role, turn.text, turn.files) for turn in turns_of(found.pieces, redact, DONE)]


def line(role: str, content, **more) -> bytes:
    return json.dumps({"type": role, "message": {"role": role, "content": content}, **more}).encode()


def test_what_people_and_agents_said_is_left_and_nothing_else():
    lines = [
        line("user", "please drop it"),
        line("user", [{"type": "tool_result", "content": "We decided"}]),
        line("user", "<command-name>/clear</command-name>"),
        line("user", "meta", isMeta=True),
        line("assistant", "of a subagent", isSidechain=True),
        line("user", "what was before", isCompactSummary=True),
        line("assistant", [{"type": "text", "text": "Done."}, {"type": "tool_use", "name": "Read", "input": {}}]),
        b'{"type": "queue-operation"}',
        b'{"type": "assi',
        b"[]",
    ]
    assert messages_of(lines, Redactor()) == [Message("user", "please drop it"), Message("assistant", "Done.")]


def test_files_that_were_edited_are_known():
    """Those whose edit succeeded: one was refused, of one nothing is known, and one call is none."""
    edit = {"type": "tool_use", "id": "1", "name": "Edit", "input": {"file_path": "/w/a.py"}}
    note = {"type": "tool_use", "id": "2", "name": "NotebookEdit", "input": {"notebook_path": "/w/b.ipynb"}}
    refused = {"type": "tool_use", "id": "3", "name": "Write", "input": {"file_path": "/w/c.py"}}
    running = {"type": "tool_use", "id": "4", "name": "Write", "input": {"file_path": "/w/d.py"}}
    odd = {"type": "tool_use", "id": "5", "name": "Write", "input": {"file_path": 5}}
    results = [{"type": "tool_result", "tool_use_id": each, "content": "ok"} for each in ("1", "2", "5")]
    results.append({"type": "tool_result", "tool_use_id": "3", "is_error": True, "content": "denied"})
    lines = [line("assistant", [edit, note, refused, running, odd]), line("user", results)]
    assert [said.files for said in messages_of(lines, Redactor())] == [("/w/a.py", "/w/b.ipynb")]


def test_reminders_within_a_message_are_not_said():
    text = "do it<system-reminder>We decided</system-reminder>"
    assert messages_of([line("user", text)], Redactor())[0].text == "do it"


def test_a_damaged_line_is_read_as_far_as_it_can_be():
    """NULs before it, half a line before it, a name and a text that are no UTF-8, half a character."""
    whole = line("user", "drop it")
    damaged = [
        b"\0\0" + whole,
        whole[:30] + whole,
        whole.replace(b'"content"', b'"na\xffme": 1, "content"'),
        whole.replace(b"drop it", b"dr\xffp it"),
        whole.replace(b"drop it", b"dr\\ud83dp it"),
    ]
    texts = [message.text for message in messages_of(damaged, Redactor())]
    assert texts == ["drop it", "drop it", "drop it", "dr\ufffdp it", "dr\ufffdp it"]


def test_a_plain_conversation_is_cut_at_its_speakers():
    found = plain_messages("User: one\nmore\nAssistant: two\nHuman: three", Redactor())
    assert found == [Message("user", "one\nmore"), Message("assistant", "two"), Message("user", "three")]
    assert plain_messages("only words", Redactor()) == [Message("user", "only words")]


SECRET = "AKIA" + "IOSFODNN7ABCDEFG"


def test_secrets_are_taken_out_of_whole_messages():
    """So that nobody who cuts one stores half of a key, and no program that extracts memories is given one."""
    [message] = messages_of(
        [line("user", "x" * 190 + f" {SECRET} is the key, we decided to use it in staging.")], Redactor()
    )
    assert "AKIA" not in message.text
    assert "AKIA" not in prompt_of([message])
    [plain] = plain_messages(f"the key is {SECRET}", Redactor())
    assert plain.text == "the key is <redacted:aws-key>"


def test_what_a_memory_answers_holds_no_half_of_a_secret():
    said = [
        *messages_of([line("assistant", "Which of these do you want? " + "x " * 82 + SECRET)], Redactor()),
        Message("user", "From now on we always use the second key in staging."),
    ]
    [extract] = extracts_of(said)
    assert "AKIA" not in extract.text


@given(st.binary(max_size=300))
def test_any_bytes_are_survived(data):
    assert isinstance(messages_of(data.split(b"\n"), Redactor()), list)
