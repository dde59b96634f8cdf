"""Words and stems that are remembered are those that the engine makes, whatever was asked for before."""

from functools import partial

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from palimp_daemon.search.snippet import words_of
from palimp_daemon.search.stems import WORD, Stems

TEXTS = st.lists(st.text("abeinrstuyABZ019éß日 _-.\u0301", max_size=30), max_size=5)
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@FEW
@given(texts=TEXTS)
@example(texts=["running runs", "Running éclairs running 日本"])
def test_each_word_of_a_text_has_the_stem_that_the_engine_gives_it_alone(store, texts: list[str]):
    tokenize = partial(store.engine.tokenize, store.connection)
    stems = Stems(tokenize)
    for text in texts * 2:  # and again, from what is remembered
        alone = ["".join(tokenize(word)[:1]) for word in WORD.findall(text.lower())]
        assert [*stems.of_text(text)] == alone


@FEW
@given(text=st.text("abeinrstuyABZ019 _-.", max_size=60), asked=TEXTS)
@example(text="they chose getUserName 42 choose running", asked=["choose user run 42"])
def test_a_snippet_marks_what_its_words_are_found_by(store, text: str, asked: list[str]):
    """Though most words of a text in ASCII are looked up by their stem alone."""
    stems = Stems(partial(store.engine.tokenize, store.connection))
    terms = frozenset(stem for each in asked for stem in stems.of_term(each))
    words = WORD.findall(text)
    expected = {place: stems.of_word(word) & terms for place, word in enumerate(words)}
    assert words_of(text, terms, stems).hits == {place: meant for place, meant in expected.items() if meant}
