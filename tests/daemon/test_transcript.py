"""The last words of a session's transcript."""

import json
import os
from pathlib import Path

from palimp_daemon.capture.transcript import (
    HEAD_BYTES,
    MESSAGE_LINE_BYTES_MAX,
    TAIL_BYTES,
    WORDS_CHARACTERS_MAX,
    LastWords,
    Place,
    last_words,
    news_of,
)


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
    for path in ("missing", "pipe", ""):
        assert last_words(str(tmp_path / path)) == LastWords("", "")
    assert last_words("a\0b") == LastWords("", "")


PADDING = {"type": "padding", "text": "x" * HEAD_BYTES}


def texts(news) -> list[str]:
    return [message.text for message in news.messages]


def test_a_transcript_is_read_on_from_where_it_was_read_last(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"))
    first = news_of(path, Place())
    with Path(path).open("a") as file:
        file.write(json.dumps(said("user", "two")) + "\n")
    second = news_of(path, first.place)
    assert (texts(first), texts(second)) == (["one"], ["two"])
    assert news_of(path, second.place).messages == []


def test_half_a_line_is_left_for_the_next_time(tmp_path):
    whole = json.dumps(said("user", "two")) + "\n"
    path = written(tmp_path, PADDING, said("user", "one"), whole[:20])
    first = news_of(path, Place())
    with Path(path).open("a") as file:
        file.write(whole[20:])
    assert (texts(first), texts(news_of(path, first.place))) == (["one"], ["two"])


def test_another_file_in_its_place_is_read_from_its_beginning(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"))
    place = news_of(path, Place()).place
    written(tmp_path, {"type": "other"}, PADDING, said("user", "new"), said("user", "newer"))
    assert texts(news_of(path, place)) == ["new", "newer"]


def test_a_file_that_was_cut_is_read_from_its_beginning(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"), said("user", "two"))
    place = news_of(path, Place()).place
    written(tmp_path, PADDING, said("user", "one"))
    assert texts(news_of(path, place)) == ["one"]


def test_a_line_that_is_too_long_for_a_message_is_passed_over(tmp_path):
    path = written(tmp_path, said("user", "x" * MESSAGE_LINE_BYTES_MAX), said("user", "one"))
    assert texts(news_of(path, Place())) == ["one"]


def test_a_transcript_that_cannot_be_read_has_no_news(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    place = Place(5, "x")
    for path in ("missing", "pipe", ""):
        assert news_of(str(tmp_path / path), place) == ([], place)


def test_a_secret_is_taken_out_before_words_are_cut(tmp_path):
    secret = "AKIA" + "IOSFODNN7ABCDEFG"
    path = written(tmp_path, said("user", "x" * (WORDS_CHARACTERS_MAX - 10) + " " + secret))
    assert "AKIA" not in last_words(path).request
