"""The last words of a session's transcript."""

import json
import os

from palimp_daemon.capture.transcript import TAIL_BYTES, WORDS_CHARACTERS_MAX, LastWords, last_words


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
    assert last_words(path) == LastWords("please drop the retry helper", "It hides outages.")


def test_commands_reminders_and_side_chains_are_no_requests(tmp_path):
    path = written(
        tmp_path,
        said("user", "the request"),
        said("user", "<command-name>/clear</command-name>"),
        said("user", [{"type": "text", "text": "<system-reminder>x</system-reminder>"}]),
        said("user", "of a subagent", isSidechain=True),
        said("user", "meta", isMeta=True),
    )
    assert last_words(path).request == "the request"


def test_lines_that_are_cut_or_strange_are_skipped(tmp_path):
    path = written(tmp_path, said("user", "the request"), "[1, 2]\n", '{"type": "assi')
    assert last_words(path).request == "the request"


def test_long_words_are_cut_and_only_the_end_is_read(tmp_path):
    path = written(tmp_path, said("user", "too far away"), "x" * TAIL_BYTES + "\n", said("assistant", "w " * 500))
    found = last_words(path)
    assert found.request == ""
    assert len(found.statement) == WORDS_CHARACTERS_MAX


def test_what_cannot_be_read_says_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert last_words(str(tmp_path / "missing")) == last_words(str(tmp_path)) == LastWords("", "")
    assert last_words("a\0b") == LastWords("", "")
