"""A file of JSON Lines is read on from where it was read last, whatever happened to it in between."""

import errno
import json
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_clients.transcripts import slices
from palimp_clients.transcripts.json_values import LineDecoder, text_in
from palimp_clients.transcripts.slices import FOREIGN_LINES_MIN, Lines, Slice, SliceContent, news_from_lines
from palimp_clients.transcripts.turn import Piece
from palimp_clients.transcripts.whole_lines import HEAD_BYTES, MESSAGE_LINE_BYTES_MAX, READ_BYTES_MAX, Place
from palimp_daemon.text.redact import Redactor


def reader(given: Slice) -> SliceContent:
    """A client whose lines are `{"say": …}`, and which remembers how many there were."""
    decoded = LineDecoder(dict[str, msgspec.Raw])
    said = [text_in(entry, "say") for line in given.lines if (entry := decoded(line))]
    count = int(given.memo or 0) + len(said)
    return SliceContent([Piece("user", text) for text in said], "key", "/folder", decoded.skipped, str(count))


def of_client(read=reader) -> Lines:
    return Lines(read, lambda entry: "say" in entry)


def read(path: Path, place: Place = Place()):  # noqa: B008  a value
    return news_from_lines(of_client(), str(path), place, Redactor())


def texts(news) -> list[str]:
    return [turn.text for turn in news.turns]


def line(text: str, padding: int = 0) -> bytes:
    return json.dumps({"say": text, "padding": "x" * padding}).encode() + b"\n"


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "session.jsonl"


def test_a_file_is_read_on_from_where_it_was_read_last(path):
    """Also one of a few bytes, and one that grew from a few to many."""
    path.write_bytes(line("one"))
    first = read(path)
    with path.open("ab") as file:
        file.write(line("two", HEAD_BYTES))
    second = read(path, first.place)
    third = read(path, second.place)
    assert [texts(news) for news in (first, second, third)] == [["one"], ["two"], []]
    assert [news.is_anew for news in (first, second, third)] == [True, False, False]


def test_what_a_reader_remembers_it_is_given_again(path):
    path.write_bytes(line("one") + line("two"))
    place = read(path).place
    with path.open("ab") as file:
        file.write(line("three"))
    assert read(path, place).place.head.endswith(".3")


def test_half_a_last_line_waits_also_when_it_ends_within_a_character(path):
    whole = line("zwölf")
    for cut in range(1, len(whole)):
        path.write_bytes(line("one") + whole[:cut])
        first = read(path)
        path.write_bytes(line("one") + whole)
        second = read(path, first.place)
        assert (texts(first), texts(second), first.skipped + second.skipped) == (["one"], ["zwölf"], 0)


@pytest.mark.parametrize("other", [line("new") + line("newer"), line("n"), b"", b"\0" * 400])
def test_another_file_in_its_place_is_read_from_its_beginning(path, other):
    path.write_bytes(line("one") + line("two", 500))
    place = read(path).place
    path.write_bytes(other)
    news = read(path, place)
    assert texts(news) == [text for text in ("new", "newer", "n") if f'"{text}"'.encode() in other]
    assert news.is_anew


def test_a_file_that_was_shortened_is_read_from_its_beginning(path):
    path.write_bytes(line("one", 500) + line("two"))
    place = read(path).place
    path.write_bytes(line("one", 500))
    news = read(path, place)
    assert (texts(news), news.is_anew) == (["one"], True)


@pytest.mark.parametrize("head", ["", "x", "-", "99999999999-abc", "-1-abc", "٣-abc", "16", ".", "5-.", "²-x"])
def test_a_place_that_nobody_knows_is_no_place(path, head):
    path.write_bytes(line("one") + line("two"))
    assert texts(read(path, Place(len(line("one")), head))) == ["one", "two"]


def test_a_file_longer_than_a_slice_is_read_in_slices(path):
    """No line is lost or read twice where one ends and the next begins."""
    size = READ_BYTES_MAX // 10
    path.write_bytes(b"".join(line(str(number), size) for number in range(15)))
    place, found, rounds = Place(), [], 0
    while True:
        news = read(path, place)
        found += texts(news)
        place, rounds = news.place, rounds + 1
        if news.is_end:
            break
    assert found == [str(number) for number in range(15)]
    assert rounds == 2
    assert news.key == "key"


def test_a_line_that_is_too_long_is_passed_over_and_counted(path):
    path.write_bytes(line("one") + line("long", MESSAGE_LINE_BYTES_MAX + 8_000_000) + line("two"))
    news = read(path)
    assert (texts(news), news.skipped) == (["one", "two"], 1)
    assert read(path, news.place).skipped == 0


def test_the_first_lines_are_given_with_every_slice(path):
    path.write_bytes(line("one") + line("two"))
    seen: list[list[bytes]] = []

    def looking(given: Slice) -> SliceContent:
        seen.append(list(given.opening))
        return reader(given)

    place = news_from_lines(of_client(looking), str(path), Place(), Redactor()).place
    news_from_lines(of_client(looking), str(path), place, Redactor())
    assert seen == [[line("one").rstrip(), line("two").rstrip()]] * 2


def test_what_cannot_be_read_is_told_and_changes_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    place = Place(5, "x")
    for name in ("missing", "pipe", "", "a\0b"):
        news = read(tmp_path / name, place)
        assert (news.turns, news.place, news.is_end, news.is_anew) == ([], place, True, False)
        assert "cannot be read" in news.why
        assert news.why.endswith(".")


def test_what_stands_before_a_damaged_part_of_the_disk_is_read_and_the_damage_told(path, monkeypatch):
    class Broken(slices.WholeLines):
        def __iter__(self):
            for number, each in enumerate(super().__iter__()):
                if number == 2:
                    raise OSError(errno.EIO, "Input/output error")
                yield each

    path.write_bytes(b"".join(map(line, "abcd")))
    monkeypatch.setattr(slices, "WholeLines", Broken)
    news = read(path)
    assert (texts(news), news.is_end) == (["a", "b"], True)
    assert "Input/output error" in news.why


def test_a_file_that_shrinks_while_it_is_read_ends_there(path):
    path.write_bytes(b"".join(line(str(number), 200_000) for number in range(9)))

    def shrinking(given: Slice) -> SliceContent:
        first = next(given.lines)
        os.truncate(given.path, 300_000)
        return reader(given._replace(lines=iter([first, *given.lines])))

    news = news_from_lines(of_client(shrinking), str(path), Place(), Redactor())
    assert texts(news)[0] == "0"
    assert news.is_end
    assert texts(read(path, news.place)) in ([], ["0"])


@settings(max_examples=examples(50))
@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=8), st.data())
def test_however_a_file_grows_every_line_is_read_once(tmp_path_factory, said, data):
    """It is written in pieces that end anywhere, and read after each."""
    path = tmp_path_factory.mktemp("grows") / "session.jsonl"
    whole = b"".join(json.dumps({"say": text}).encode() + b"\n" for text in said)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    place, found = Place(), []
    for cut in [*cuts, len(whole)]:
        path.write_bytes(whole[:cut])
        news = read(path, place)
        place = news.place
        found += texts(news)
    assert found == [turn.text for turn in slices.turns_of([Piece("user", text) for text in said], Redactor())]


# --- lines of nobody -----------------------------------------------------------------------------

STRANGE = '{"speaker": "أنا", "words": "Größe 😀"}\n'.encode()


@pytest.fixture
def saying():
    """A client that takes only what its lines say, and whose other lines are passed over."""

    def found_in(given: Slice) -> SliceContent:
        decoded = LineDecoder(dict[str, msgspec.Raw])
        said = [text_in(entry, "say") for line in given.lines if b'"say"' in line and (entry := decoded(line))]
        return SliceContent([Piece("user", text) for text in said if text], "key", "")

    return lambda path, place: news_from_lines(of_client(found_in), str(path), place, Redactor())


@pytest.mark.parametrize("strange", [STRANGE, b"\xff\xfe\0\n", b"[]\n", b'{"say\n'])
def test_a_file_of_lines_that_nobody_knows_is_said_and_read_from_its_beginning_once_it_is_known(path, saying, strange):
    path.write_bytes(strange * FOREIGN_LINES_MIN)
    first = saying(path, Place())
    assert str(path) in first.why
    assert (first.place, first.is_end, first.turns) == (Place(), True, [])
    path.write_bytes(strange * FOREIGN_LINES_MIN + line("one"))
    known = saying(path, first.place)
    assert (texts(known), known.why) == (["one"], "")
    assert saying(path, known.place).why == ""


def test_a_session_that_has_only_just_begun_is_not_called_unreadable_and_may_turn_out_to_be(path, saying):
    path.write_bytes(STRANGE * (FOREIGN_LINES_MIN - 1) + b"\n" * 50)
    begun = saying(path, Place())
    assert begun.why == ""
    path.write_bytes(STRANGE * FOREIGN_LINES_MIN)
    assert str(path) in saying(path, begun.place).why


def test_a_line_that_is_longer_than_the_beginning_hides_nothing_behind_it(path, saying, monkeypatch):
    monkeypatch.setattr(slices, "OPENING_BYTES", MESSAGE_LINE_BYTES_MAX + 1)
    path.write_bytes(b'{"padding": "%s"}\n' % (b"x" * slices.OPENING_BYTES) + STRANGE * FOREIGN_LINES_MIN)
    assert saying(path, Place()).place.offset == path.stat().st_size


def test_a_file_with_a_line_of_its_client_s_is_not_called_unreadable(path, saying):
    path.write_bytes(STRANGE * FOREIGN_LINES_MIN + line(""))
    assert saying(path, Place()).why == ""
