"""Lines of JSON are read as far as they can be, and what cannot be read is counted."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.transcripts.json_values import (
    LineDecoder,
    entries_of,
    field_of,
    first_texts,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
    text_of,
)

LINE = {"type": "user", "text": "¿what—ever?", "many": [1, {"a": None}]}
whole = json.dumps(LINE, ensure_ascii=False).encode()


def read(line: bytes) -> tuple[str, int]:
    decoded = LineDecoder(dict[str, msgspec.Raw])
    return text_in(decoded(line) or {}, "text"), decoded.skipped


@pytest.mark.parametrize(
    "line",
    [
        whole + b"\n",
        whole + b"\r\n",
        b"\xef\xbb\xbf" + whole,
        b"\0\0\0" + whole + b"\0\n",
        b"  " + whole,
        json.dumps(LINE).encode(),
    ],
)
def test_a_line_with_other_things_around_it_is_read(line):
    """Line ends of Windows, a byte order mark, NULs of a power cut, white space, escapes."""
    assert read(line) == ("¿what—ever?", 0)


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (rb"a\ud83d\ude00b", "a😀b"),
        (rb"a\ud83db", "a\ufffdb"),
        (b"a\xed\xa0\xbdb", "a\ufffdb"),
        (b"a\xed\xa0\xbd\xed\xb8\x80b", "a😀b"),
        (b"a\xffb", "a\ufffdb"),
        (b"a\xe2\x80\xa8b", "a\u2028b"),
        (b"a\0b", "a b"),
        (b"a\tb", "a b"),
        (rb"a\u0000b", "a\0b"),
        (rb"a\\ud83d\nb", "a\\ud83d\nb"),
    ],
)
def test_a_text_that_no_json_may_have_is_mended(inner, text):
    """Halves of characters, other encodings, bare control characters; all in the middle of a line that is whole."""
    assert read(b'{"text":"' + inner + b'","other":"' + inner + b'"}') == (text, 0)


def test_a_name_that_is_no_utf_8_hides_no_other_field():
    assert read(b'{"na\xffme": 1, "text": "a"}') == ("a", 0)


def test_a_name_that_is_no_utf_8_in_an_inner_object_hides_no_other_field():
    [entry] = entries_of([b'{"a": {"na\xffme": 1, "b": "c"}, "d": {"na\\ud83dme": 1, "b": "e"}}'])
    assert (text_in(entry, "a", "b"), text_in(entry, "d", "b")) == ("c", "e")


@pytest.mark.parametrize("line", [b"[1, 2]", b'"text"', b"7", b"null", b"{", b'{"text":', b"text", b"{" * 100_000])
def test_what_is_no_object_is_counted(line):
    assert read(line) == ("", 1)


@pytest.mark.parametrize("line", [b"", b"\n", b"\r\n", b"\0" * 4096, b"\xef\xbb\xbf\n"])
def test_where_nothing_is_nothing_is_lost(line):
    assert read(line) == ("", 0)


def test_a_line_behind_half_a_line_is_read_and_the_half_counted():
    """A client was killed while it wrote; the next one wrote on behind."""
    half = b'{"type":"user","text":"lost, and with {\\"type\\": 1} in it'
    assert read(half + b'{"type":"user","text":"found"}') == ("found", 1)


def test_an_object_within_a_broken_line_is_no_line():
    assert read(b'{"text":"a","inner":{"text":"b"},"broken') == ("", 1)


def test_values_of_another_kind_are_no_texts_lists_or_objects():
    [entry] = entries_of([b'{"a": {"b": {"c": "deep"}}, "n": 7, "t": true, "l": ["x"], "z": null}'])
    assert text_in(entry, "a", "b", "c") == "deep"
    assert text_in(entry, "a", "nothing", "c") == text_in(entry, "n", "c") == text_in(entry, "n") == ""
    assert [text_of(raw) for raw in list_of(field_of(entry, "l"))] == ["x"]
    assert list_of(field_of(entry, "a")) == list_of(field_of(entry, "none")) == []
    assert object_of(field_of(entry, "l")) == object_of(field_of(entry, "none")) == {}
    assert is_true(field_of(entry, "t"))
    assert not is_true(field_of(entry, "n"))


def test_the_first_texts_of_fields_are_found_in_one_pass_and_no_further():
    lines = iter([b'{"a": "", "c": 5}', b"[", b'{"a": "one", "b": ""}', b'{"a": "two", "b": "x"}', b'{"c": "late"}'])
    assert first_texts(lines, "b", "a") == ["x", "one"]
    assert first_texts(lines, "c", "a") == ["late", ""]


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        ('"2026-11-26T22:17:01.123Z"', 1_795_731_421_123),
        ('"2026-11-26T22:17:01.123456789Z"', 1_795_731_421_123),
        ('"2026-11-26T23:17:01+01:00"', 1_795_731_421_000),
        ('"2026-11-26T22:17:01"', 1_795_731_421_000),
        ("1795731421123", 1_795_731_421_123),
        ("1795731421123.9", 1_795_731_421_123),
        ('"yesterday"', 0),
        ('"0001-01-01T00:00:00+14:00"', 0),
        ('"1969-01-01T00:00:00Z"', 0),
        ("-5", 0),
        ("1e400", 0),
        ("null", 0),
        ("[]", 0),
    ],
)
def test_a_time_is_read_and_another_thing_is_no_time(value, ms):
    assert ms_of(msgspec.Raw(value.encode())) == ms


@given(st.binary())
def test_no_bytes_fail(data):
    read(data)
    raw = msgspec.Raw(data)
    assert isinstance(text_of(raw), str)
    assert isinstance(ms_of(raw), int)
    assert len(list(entries_of([data]))) <= 1


@given(st.dictionaries(st.text(), st.text()), st.text())
def test_every_text_is_read_as_it_was_written(others, text):
    for is_ascii in (True, False):
        line = json.dumps({**others, "text": text}, ensure_ascii=is_ascii).encode()
        assert read(line) == (text, 0)
