"""The last words of a session's transcript."""

import json
import os
from pathlib import Path

from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import MESSAGE_CHARACTERS_MAX, Message
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import (
    HEAD_BYTES,
    LONG_TAIL_BYTES,
    MESSAGE_LINE_BYTES_MAX,
    READ_BYTES_MAX,
    WORDS_CHARACTERS_MAX,
    LastWords,
    News,
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


PADDING = {"type": "padding", "text": "x" * HEAD_BYTES}


def texts(news) -> list[str]:
    return [message.text for message in news.messages]


def test_a_transcript_is_read_on_from_where_it_was_read_last(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"))
    first = news_of(path, Place(), Redactor())
    with Path(path).open("a") as file:
        file.write(json.dumps(said("user", "two")) + "\n")
    second = news_of(path, first.place, Redactor())
    assert (texts(first), texts(second)) == (["one"], ["two"])
    assert news_of(path, second.place, Redactor()).messages == []


def test_half_a_line_is_left_for_the_next_time(tmp_path):
    whole = json.dumps(said("user", "two")) + "\n"
    path = written(tmp_path, PADDING, said("user", "one"), whole[:20])
    first = news_of(path, Place(), Redactor())
    with Path(path).open("a") as file:
        file.write(whole[20:])
    assert (texts(first), texts(news_of(path, first.place, Redactor()))) == (["one"], ["two"])


def test_another_file_in_its_place_is_read_from_its_beginning(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"))
    place = news_of(path, Place(), Redactor()).place
    written(tmp_path, {"type": "other"}, PADDING, said("user", "new"), said("user", "newer"))
    assert texts(news_of(path, place, Redactor())) == ["new", "newer"]


def test_a_file_that_was_cut_is_read_from_its_beginning(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"), said("user", "two"))
    place = news_of(path, Place(), Redactor()).place
    written(tmp_path, PADDING, said("user", "one"))
    assert texts(news_of(path, place, Redactor())) == ["one"]


def test_a_line_that_is_too_long_for_a_message_is_passed_over_and_counted(tmp_path):
    path = written(tmp_path, PADDING, said("user", "x" * MESSAGE_LINE_BYTES_MAX), said("user", "one"))
    news = news_of(path, Place(), Redactor())
    assert (texts(news), news.too_long, news.is_end) == (["one"], 1, True)
    assert news_of(path, news.place, Redactor()).too_long == 0


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 150_000}}


def test_the_words_beside_a_picture_of_megabytes_are_read(tmp_path):
    """In the message and behind it; and for the last words, too."""
    path = written(
        tmp_path,
        PADDING,
        said("user", [PICTURE, {"type": "text", "text": "make it look like this"}]),
        said("user", [{"type": "tool_result", "content": [PICTURE]}], toolUseResult={"file": PICTURE}),
        said("assistant", "Done."),
    )
    assert texts(news_of(path, Place(), Redactor())) == ["make it look like this", "Done."]
    assert last_words(path, Redactor()) == LastWords("make it look like this", "Done.")


def test_of_a_pasted_log_beginning_and_end_are_kept(tmp_path):
    log = "2026-01-01T00:00:00 INFO nothing\n" * 20_000
    path = written(tmp_path, said("user", f"Never log at level debug.\n{log}\nFix that."))
    [text] = texts(news_of(path, Place(), Redactor()))
    assert text.startswith("Never log at level debug.")
    assert text.endswith("Fix that.")
    assert len(text) <= MESSAGE_CHARACTERS_MAX
    assert [extract.quote for extract in extracts_of([Message("user", text)])] == ["Never log at level debug."]


def test_a_transcript_longer_than_a_slice_is_read_in_slices(tmp_path):
    """No line is lost or read twice where one ends and the next begins."""
    line = json.dumps(said("user", [PICTURE, {"type": "text", "text": "once"}])) + "\n"
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(PADDING) + "\n" + line * (READ_BYTES_MAX // len(line) + 3))
    place, counts = Place(), []
    while True:
        news = news_of(str(path), place, Redactor())
        place = news.place
        counts.append(len(news.messages))
        if news.is_end:
            break
    assert len(counts) > 1
    assert sum(counts) == READ_BYTES_MAX // len(line) + 3


def test_a_transcript_that_cannot_be_read_has_no_news(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    place = Place(5, "x")
    for path in ("missing", "pipe", ""):
        assert news_of(str(tmp_path / path), place, Redactor()) == News([], place)


def test_a_secret_is_taken_out_before_words_are_cut(tmp_path):
    secret = "AKIA" + "IOSFODNN7ABCDEFG"
    path = written(tmp_path, said("user", "x" * (WORDS_CHARACTERS_MAX - 10) + " " + secret))
    assert "AKIA" not in last_words(path, Redactor()).request
