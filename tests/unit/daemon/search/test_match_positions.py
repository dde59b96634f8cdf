"""The words of a text that a query asks for are all found, though few words of it are looked up."""

from functools import partial

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.search.irregular_forms import BASE_FORMS
from palimp_daemon.search.match_positions import NO_STEMS, mentions, positions_by_stem, search_stems
from palimp_daemon.search.stems import WORD, Stems

pytestmark = pytest.mark.both_engines

FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(150))

ROOTS = st.text("abcdehilmnoprstuyz", min_size=1, max_size=9)
ENDINGS = st.sampled_from(
    """
    s es ed ing y ies ied ier er ers ation ations ational izer ization ability ibility bility ivity iveness ousness ical
    ically fulness ful ness ly ently ously alism ality ator ators ate ates icate ment ement ance ence able ible al ee
    eed sses ss bly logy logi e i
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
WORDS = st.builds(str.__add__, ROOTS, ENDINGS) | ROOTS | st.sampled_from([*BASE_FORMS, *BASE_FORMS.values()])
DIGITS = st.text("ab019", min_size=1, max_size=24)
LONG = st.text("abcdefgh", min_size=18, max_size=30)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(lambda parts: parts[0] + "".join(map(str.title, parts[1:])))
GAPS = st.sampled_from([" ", ", ", "_", ".", " — ", "…", "\n", " é "])
PIECES = st.lists(st.tuples(WORDS | DIGITS | LONG | NAMES | WORDS.map(str.title), GAPS), max_size=12)


@pytest.fixture
def stems(store):
    return Stems(partial(store.engine.tokenize, store.connection), store.engine.opening)


@FEW
@given(pieces=PIECES, asked=st.lists(WORDS | DIGITS | LONG, max_size=4), places=st.lists(st.integers(0, 11)))
@example(pieces=[("they", " "), ("chose", " "), ("getUserName", ". ")], asked=["choose", "user"], places=[])
@example(pieces=[("x1234567y", " "), ("abcdefghijabcdefghijab", " ")], asked=[], places=[0, 1])
@example(pieces=[("éclairs", " "), ("naïve", " ")], asked=["naive", "eclair"], places=[])
@example(pieces=[("000a", " "), ("00a", " ")], asked=["00000a"], places=[])  # FTS4 makes one stem of both
def test_every_word_is_found_that_is_found_by_what_is_asked_for(stems, pieces, asked, places):
    """As if all words of the text were looked up. Words in parts (`000a 00a`) have tests of their own."""
    text = "".join(word + gap for word, gap in pieces)
    also_asked = [pieces[place][0] for place in places if place < len(pieces)]
    wanted = search_stems((stem for each in [*asked, *also_asked] for stem in stems.of_term(each)), stems)
    assume(not wanted.joined_in(text, stems))

    each_word = [(*match.span(), stems.of_word(match[0]) & wanted.stems) for match in WORD.finditer(text)]

    assert mentions(text, wanted, stems) == [found for found in each_word if found[2]]


@FEW
@given(word=WORDS | DIGITS | LONG)
@example(word="happy")
@example(word="solubility")
@example(word="hoping")
@example(word="abc12345xyz")
def test_a_word_begins_as_its_stem_does(stems, word: str):
    (stem,) = stems.of_words([word])

    opening = stems.opening(stem)
    assert opening
    assert word.startswith(opening)


def test_few_words_are_looked_up_in_a_text_that_has_few(stems):
    """The others are not even cut."""
    stems.of_word = lambda word: pytest.fail(f"{word} was looked up")  # type: ignore[method-assign]

    assert mentions("nothing of that kind is said here", search_stems(["banana"], stems), stems) == []
    assert mentions("anything, été", NO_STEMS, stems) == []


def test_what_is_said_is_told_by_stem(stems):
    """Where each stands, in order; a name of two words stands for both."""
    text = "Runs of runTests, and a test"

    found = positions_by_stem(text, search_stems(["run", "test"], stems), stems)
    assert {stem: sorted(places) for stem, places in found.items()} == {"run": [0, 8], "test": [8, 24]}


def test_a_long_word_without_end_is_looked_at_once(stems):
    """Every place of it begins like what is asked for."""
    text = "aB" * 5_000

    assert mentions(text, search_stems(["a"], stems), stems) == []
