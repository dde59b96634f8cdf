"""Near-duplicates are found by a few numbers."""

from hypothesis import example, given
from hypothesis import strategies as st

from palimp_daemon.search.minhash import (
    SIGNATURE_SIZE,
    SIMILARITY_MIN,
    minhash_signature,
    normalize,
    similarity,
    without_spaces,
    words_of,
)

TEXT = "Retries are capped at three attempts since the payment API bans clients after the fourth failure in a minute"


def test_the_same_words_give_the_same_sketch():
    """Case and punctuation make no difference."""
    assert minhash_signature(words_of(TEXT)) == minhash_signature(words_of(TEXT.upper() + "!"))
    assert len(minhash_signature(words_of(TEXT))) == SIGNATURE_SIZE


def test_a_changed_word_leaves_something_in_common():
    """So the two are compared word by word, and found to be alike."""
    changed = TEXT.replace("minute", "hour")

    assert set(minhash_signature(words_of(TEXT))) & set(minhash_signature(words_of(changed)))
    assert similarity(words_of(TEXT), words_of(changed)) >= SIMILARITY_MIN


def test_different_texts_are_not_alike():
    """Sharing stop words is no similarity."""
    assert similarity(words_of("the cat is in the house"), words_of("the dog is on the roof")) < SIMILARITY_MIN


def test_short_texts_have_a_sketch_too():
    """One word, and stop words only."""
    assert len(minhash_signature(words_of("ruff"))) == 1
    assert minhash_signature(words_of("to be"))


@given(one=st.text("aK\u212aé\u0301e \t\n\r\u00a0\u2028\x1c日", max_size=6), other=st.text("aKe\u0301é \n", max_size=6))
@example(one="1 \u212a\n", other="1\tK")
@example(one="e\u0301 a", other="é\u00a0a ")
def test_texts_that_are_the_same_are_so_without_spaces(one: str, other: str):
    """Whatever way they are composed, and wherever a line of theirs ends."""
    if normalize(one) == normalize(other):
        assert without_spaces(one) == without_spaces(other)
