"""What a text cites: files, lines, names and commits, as people and agents write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.citations import NOTHING_CITED, PATHS_MAX, SYMBOLS_MAX, Lines, Symbol, citations_of, may_cite
from palimp_daemon.text.named_subjects import Subjects, subjects_of


def cited(text: str):
    return citations_of(text, subjects_of(text))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("The limit is in cart/ttl.py:120, on purpose.", 120, 120),
        ("The limit is in `cart/ttl.py:120`.", 120, 120),
        ("See cart/ttl.py:120-140 for why.", 120, 140),
        ("See `cart/ttl.py#L120-L140`.", 120, 140),
        ("`cart/ttl.py`, line 7, rounds down.", 7, 7),
        ("cart/ttl.py (lines 7–9) rounds down.", 7, 9),
        ("Lines 7 to 9 of `cart/ttl.py` round down.", 7, 9),
        ("上限は cart/ttl.py:120 にある。", 120, 120),
    ],
)
def test_lines_are_cited_by_their_numbers(text: str, first: int, last: int):
    assert cited(text).lines == (Lines("cart/ttl.py", first, last),)
    assert cited(text).paths == ("cart/ttl.py",)


@pytest.mark.parametrize(
    "text",
    [
        "cart/ttl.py has 120 lines.",
        "cart/ttl.py: 120 tests, none fails.",
        "cart/ttl.py:9-3 is the wrong way round.",
        "cart/ttl.py:0 is none.",
    ],
)
def test_other_numbers_are_no_lines(text: str):
    assert cited(text).lines == ()


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("`evict` rounds down.", Symbol("evict")),
        ("`Cart.evict()` rounds down.", Symbol("evict", "Cart")),
        ("`cart::evict` rounds down.", Symbol("evict", "cart")),
        ("`Invoice#total` rounds down.", Symbol("total", "Invoice")),
        ("evict_all rounds down.", Symbol("evict_all")),
        ("The function evict rounds down.", Symbol("evict")),
        ("The evict function rounds down.", Symbol("evict")),
        ("The method Cart.evict rounds down.", Symbol("evict", "Cart")),
        ("`größe_ändern` rundet ab.", Symbol("größe_ändern")),
    ],
)
def test_names_are_cited_with_what_stands_before_them(text: str, symbol: Symbol):
    assert symbol in cited(text).symbols


def test_patterns_and_what_may_be_anywhere_are_no_places():
    subjects = Subjects(paths=("src/*.py", "~/notes.md", "../other/a.py", "a/../../b.py", "ok/a.py", "a\nb.py"))
    assert citations_of("", subjects).paths == ("ok/a.py",)


def test_of_many_the_first_are_cited():
    subjects = Subjects(
        paths=tuple(f"a/{n}.py" for n in range(20)),
        symbols=tuple(f"name_{n}" for n in range(20)),
        commits=("a" * 40,) * 9,
    )
    found = citations_of("", subjects)
    assert found.paths == tuple(f"a/{n}.py" for n in range(PATHS_MAX))
    assert found.symbols == tuple(Symbol(f"name_{n}") for n in range(SYMBOLS_MAX))
    assert found.commits == ("a" * 40,)


@given(st.text(max_size=400), st.lists(st.text(max_size=30)), st.lists(st.text(max_size=30)))
def test_any_text_is_read(text: str, paths: list[str], symbols: list[str]):
    found = citations_of(text, Subjects(paths=tuple(paths), symbols=tuple(symbols)))
    assert all(0 < lines.first <= lines.last for lines in found.lines)
    assert cited(text) == cited(text)


SIGNED = ("a/b", "foo.py", "Makefile", ".nvmrc", "`", "foo_bar", "fooBar", "run()", "7", "deadbeef1", "def ", "class ")
PLAIN = (" ", "word", "Übung", ". ", ", ", "-", ":", "(", "~", "+", "A")


@given(st.lists(st.sampled_from(SIGNED + PLAIN), max_size=12).map("".join))
def test_every_text_that_cites_something_shows_a_sign_of_it(text: str):
    assert may_cite(text) or cited(text) == NOTHING_CITED


@pytest.mark.parametrize("text", ["We answer in English.", "Das Limit ist zu niedrig, sagt Ann.", "上限は六十秒。"])
def test_plain_sentences_show_no_sign_of_a_citation(text: str):
    assert not may_cite(text)


@pytest.mark.parametrize("text", ["see acart/ttl.py:3", "see cart/ttl.py-2:3", "see x-cart/ttl.py:3, cart/ttl.pyc"])
def test_a_path_within_a_longer_one_names_no_lines(text: str):
    named = citations_of(text, Subjects(paths=("cart/ttl.py",)))
    assert named.lines == ()
