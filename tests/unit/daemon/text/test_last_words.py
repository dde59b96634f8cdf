"""The last words of a session's transcript, of whichever client it is."""

import json
import os

import apsw
import pytest
from recorded_sessions import WRITTEN

from palimp_daemon.text.last_words import LONG_TAIL_BYTES, WORDS_CHARACTERS_MAX, LastWords, last_words
from palimp_daemon.text.redact import Redactor

ASKED, SAID = "And now a second question?", "The retry helper hides outages: I removed it."


def written(tmp_path, *entries) -> str:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" if isinstance(entry, dict) else entry for entry in entries))
    return str(path)


def said(kind: str, content, **more) -> dict:
    return {"type": kind, "message": {"role": kind, "content": content}, **more}


def test_the_last_request_and_the_last_statement_are_found(tmp_path):
    path = written(
        tmp_path,
        said("user", "an older request"),
        said("user", "please drop the retry helper"),
        said("assistant", [{"type": "text", "text": "It hides  outages."}, {"type": "tool_use", "name": "Edit"}]),
        said("user", [{"type": "tool_result", "content": "done"}]),
    )
    assert last_words(path, Redactor()) == LastWords("please drop the retry helper", "It hides outages.")


def test_commands_reminders_and_side_chains_are_no_requests(tmp_path):
    path = written(
        tmp_path,
        said("user", "the request"),
        said("user", "<command-name>/clear</command-name>"),
        said("user", [{"type": "text", "text": "<system-reminder>x</system-reminder>"}]),
        said("user", "of a subagent", isSidechain=True),
        said("user", "meta", isMeta=True),
    )
    assert last_words(path, Redactor()).request == "the request"


def test_lines_that_are_cut_or_strange_are_skipped(tmp_path):
    path = written(tmp_path, said("user", "the request"), "[1, 2]\n", '{"type": "assi')
    assert last_words(path, Redactor()).request == "the request"


def test_long_words_are_cut_and_only_the_end_is_read(tmp_path):
    path = written(tmp_path, said("user", "too far away"), "x" * LONG_TAIL_BYTES + "\n", said("assistant", "w " * 500))
    found = last_words(path, Redactor())
    assert found.request == ""
    assert len(found.statement) == WORDS_CHARACTERS_MAX


def test_what_cannot_be_read_says_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("missing", "pipe", ""):
        assert last_words(str(tmp_path / path), Redactor()) == LastWords("", "")
    assert last_words("a\0b", Redactor()) == LastWords("", "")


def test_a_secret_is_taken_out_before_words_are_cut(tmp_path):
    secret = "AKIA" + "IOSFODNN7ABCDEFG"
    path = written(tmp_path, said("user", "x" * (WORDS_CHARACTERS_MAX - 10) + " " + secret))
    assert "AKIA" not in last_words(path, Redactor()).request


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 150_000}}


def test_the_last_words_before_a_picture_of_megabytes_are_found(tmp_path):
    path = written(
        tmp_path,
        said("user", [PICTURE, {"type": "text", "text": "make it look like this"}]),
        said("user", [{"type": "tool_result", "content": [PICTURE]}], toolUseResult={"file": PICTURE}),
        said("assistant", "Done."),
    )
    assert last_words(path, Redactor(), "claude-code") == LastWords("make it look like this", "Done.")


@pytest.mark.parametrize("client", ["codex", "copilot", "gemini", "qwen"])
def test_the_last_words_in_every_clients_session_are_found(tmp_path, client):
    (tmp_path / "x").write_bytes(WRITTEN[f"{client}.jsonl"].read_bytes())
    assert last_words(str(tmp_path / "x"), Redactor()) == LastWords(ASKED, SAID)
    assert last_words(str(tmp_path / "x"), Redactor(), client) == LastWords(ASKED, SAID)


def test_the_last_words_in_a_database_are_found(tmp_path):
    """Those that are being said, too: an edit is made in the middle of a message."""
    key = "ses_de528d76effefIeq5gKMX7mhWW"
    connection = apsw.Connection(str(tmp_path / "opencode.db"))
    connection.execute(WRITTEN["opencode.sql"].read_text())
    path = f"{tmp_path}/opencode.db#{key}"
    assert last_words(path, Redactor()) == LastWords(ASKED, SAID)
    row = ("m9", key, 1_900_000_000_000, 0, json.dumps({"role": "assistant", "time": {"created": 1}}))
    connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
    part = ("p9", "m9", key, 0, 0, json.dumps({"type": "text", "text": "今すぐ消します。"}, ensure_ascii=False))
    connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", part)
    assert last_words(path, Redactor()) == LastWords(ASKED, "今すぐ消します。")
    assert last_words(f"{tmp_path}/opencode.db#ses_de527bfa6ffeSRLZmV92PDrL4r", Redactor()) == LastWords("", "")
    assert last_words(f"{tmp_path}/none.db#{key}", Redactor()) == LastWords("", "")
    connection.close()


def test_a_document_has_last_words(tmp_path):
    messages = [{"type": "user", "content": "اِحذف الدالة"}, {"type": "gemini", "content": "تم."}]
    path = tmp_path / "session-x.json"
    path.write_text(json.dumps({"sessionId": "s", "projectHash": "p", "messages": messages}))
    assert last_words(str(path), Redactor(), "gemini") == LastWords("اِحذف الدالة", "تم.")


def test_a_subagents_request_is_not_the_users(tmp_path):
    (tmp_path / "rollout-x.jsonl").write_bytes(WRITTEN["codex_subagent.jsonl"].read_bytes())
    assert last_words(str(tmp_path / "rollout-x.jsonl"), Redactor()) == LastWords("", "")
