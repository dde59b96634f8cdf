"""Map a plan to kinds of vectors, and find comparable kinds in the store."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from palimp_daemon.embedding.models import Model, Plan
from palimp_daemon.store.tables.vector_rows import Kind, Wanted

OF_ENGLISH: Final = "/english"
OF_ENGLISH_BESIDE: Final = "/english-beside"
"""Suffixes of kinds behind their model's key: vectors of English memories only, and second vectors of those. None: of
any memory.
"""


def kinds_of(plan: Plan, *, has_others: bool) -> list[Kind]:
    """Return the wanted kinds: of any memory, or of those in English.

    *has_others* (texts not in English) adds the kinds of others and the second ones of English.
    """
    main, others = plan.main, plan.for_others
    if others is None:
        return [Kind(main.key, main.key, main.factor)]
    english = Kind(main.key + OF_ENGLISH, main.key, main.factor)
    names = (others.key, others.key + OF_ENGLISH_BESIDE) if has_others else ()
    return [english, *(Kind(name, others.key, others.factor) for name in names)]


class KnownKinds(NamedTuple):
    """The *numbers* of the stored kinds of vectors, by name."""

    numbers: Mapping[str, int]

    def has_all(self, kinds: Iterable[Kind]) -> bool:
        """Tell whether all of *kinds* are stored."""
        return all(kind.name in self.numbers for kind in kinds)

    def of_any(self, model: Model) -> tuple[int, ...]:
        """Return *model*'s kind for any memory: one or none."""
        return self._number(model.key)

    def of_english(self, model: Model) -> tuple[int, ...]:
        """Return *model*'s kind for English: one or none."""
        return self._number(model.key + OF_ENGLISH)

    def own(self, model: Model) -> tuple[int, ...]:
        """Return the kinds of *model*'s first vectors."""
        return (*self.of_any(model), *self.of_english(model))

    def beside(self, model: Model) -> tuple[int, ...]:
        """Return the kind of *model*'s second vectors: one or none."""
        return self._number(model.key + OF_ENGLISH_BESIDE)

    def had_others(self, plan: Plan) -> bool:
        """Tell whether *plan*'s second model has stored second vectors."""
        return plan.for_others is not None and bool(self.beside(plan.for_others))

    def wanted_kinds(self, plan: Plan, *, has_others: bool) -> Wanted | None:
        """Return the kinds for memories by *plan*; None while unknown."""
        kinds = kinds_of(plan, has_others=has_others)
        if not self.has_all(kinds):
            return None
        if plan.for_others is None:
            return Wanted(self.own(plan.main))
        english, *of_others = (self.numbers[kind.name] for kind in kinds)
        if not of_others:
            return Wanted((english,))
        own, beside = of_others
        return Wanted((english, own), (english,), beside)

    def _number(self, name: str) -> tuple[int, ...]:
        return (self.numbers[name],) if name in self.numbers else ()
