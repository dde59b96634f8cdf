"""Kinds of vectors: which a plan wants, and which of those that are there belong to which model."""

from pathlib import Path

import pytest

from palimp_daemon.embedding.kinds import KnownKinds, kinds_of
from palimp_daemon.embedding.models import Model, Plan
from palimp_daemon.embedding.process import ModelFile, Runtime
from palimp_daemon.store.tables.vector_rows import Wanted


def model(name: str, *, is_english_only: bool) -> Model:
    """Return a model that nobody runs."""
    return Model(name, ModelFile(Path("/x"), name, Runtime.ONNX), is_english_only=is_english_only)


ENGLISH, MANY = model("english", is_english_only=True), model("many", is_english_only=False)
BOTH = Plan(ENGLISH, MANY)
NUMBERS = {kind.name: number for number, kind in enumerate(kinds_of(BOTH, has_others=True), 1)}


def test_one_model_makes_one_kind():
    """Of any memory."""
    assert [kind.model for kind in kinds_of(Plan(MANY), has_others=True)] == [MANY.key]


def test_a_second_model_has_kinds_once_there_is_something_for_it():
    """Its own, of other languages, and the second ones of memories in English."""
    assert [kind.model for kind in kinds_of(BOTH, has_others=False)] == [ENGLISH.key]
    assert [kind.model for kind in kinds_of(BOTH, has_others=True)] == [ENGLISH.key, MANY.key, MANY.key]


def test_a_kind_belongs_to_its_model_and_to_nothing_else():
    """The second vectors of a memory are not its own."""
    known = KnownKinds(NUMBERS)
    assert (known.own(ENGLISH), known.of_english(ENGLISH), known.beside(ENGLISH)) == ((1,), (1,), ())
    assert (known.own(MANY), known.of_any(MANY), known.beside(MANY)) == ((2,), (2,), (3,))


def test_what_is_wanted_is_said_in_numbers():
    """With a second vector for a memory that has the kind of English, where there is a model for others."""
    known = KnownKinds(NUMBERS)
    assert known.wanted_kinds(BOTH, has_others=True) == Wanted((1, 2), (1,), 3)
    assert known.wanted_kinds(BOTH, has_others=False) == Wanted((1,))
    assert known.wanted_kinds(Plan(MANY), has_others=False) == Wanted((2,))


@pytest.mark.parametrize("missing", NUMBERS)
def test_nothing_is_wanted_while_a_number_is_not_known(missing: str):
    """The store is asked for it first."""
    known = KnownKinds({name: number for name, number in NUMBERS.items() if name != missing})
    assert known.wanted_kinds(BOTH, has_others=True) is None
    assert not known.has_all(kinds_of(BOTH, has_others=True))


def test_that_english_has_second_vectors_shows_that_there_were_others():
    """A restart goes on with both models."""
    assert KnownKinds(NUMBERS).had_others(BOTH)
    assert not KnownKinds({}).had_others(BOTH)
    assert not KnownKinds(NUMBERS).had_others(Plan(MANY))
