"""Words and stems that are remembered are those that the engine makes, whatever was asked for before."""

from functools import partial

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.search.stems import Stems, cut_words

pytestmark = pytest.mark.both_engines

TEXTS = st.lists(st.text("abeinrstuyABZ019éß日 _-.\u0301", max_size=30), max_size=5)
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))


@FEW
@given(texts=TEXTS)
@example(texts=["running runs", "Running éclairs running 日本"])
def test_each_word_of_a_text_has_the_stems_that_the_engine_gives_it_alone(store, texts: list[str]):
    tokenize = partial(store.engine.tokenize, store.connection)
    stems = Stems(tokenize)
    for text in texts * 2:  # and again, from what is remembered
        alone = ["".join(tokenize(word)[:1]) for word in cut_words(text.lower())]
        assert [*stems.of_text(text)] == alone
        assert stems.found_by(text) == {stem for word in cut_words(text) for stem in stems.of_word(word)}
