"""Which kinds of vectors a plan wants, and which of those in the store can be compared with what."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from palimp_daemon.embedding.models import Model, Plan
from palimp_daemon.store.tables.vectors import Kind, Wanted

OF_ENGLISH: Final = "/english"
OF_ENGLISH_BESIDE: Final = "/english-beside"
"""What the names of kinds of vectors end with, behind the key of their model: those of memories in English alone, and
the second ones of such memories. A kind for any memory has the key as its name."""


def kinds_of(plan: Plan, *, has_others: bool) -> list[Kind]:
    """Return the kinds of vectors that *plan* wants: of any memory, or of those in English.

    Where *has_others*, what is not English, is embedded, too, follow those of others and the second ones of English.
    """
    main, others = plan.main, plan.for_others
    if others is None:
        return [Kind(main.key, main.key, main.factor)]
    english = Kind(main.key + OF_ENGLISH, main.key, main.factor)
    names = (others.key, others.key + OF_ENGLISH_BESIDE) if has_others else ()
    return [english, *(Kind(name, others.key, others.factor) for name in names)]


class KnownKinds(NamedTuple):
    """The kinds of vectors in the store: their *numbers* by name."""

    numbers: Mapping[str, int]

    def has_all(self, kinds: Iterable[Kind]) -> bool:
        """Tell whether all of *kinds* have their numbers."""
        return all(kind.name in self.numbers for kind in kinds)

    def of_any(self, model: Model) -> tuple[int, ...]:
        """Return the kind of vectors that *model* made of any memory, if it is there."""
        return self._number(model.key)

    def of_english(self, model: Model) -> tuple[int, ...]:
        """Return the kind of vectors that *model* made of memories in English alone, if it is there."""
        return self._number(model.key + OF_ENGLISH)

    def own(self, model: Model) -> tuple[int, ...]:
        """Return the kinds of memories' own vectors that *model* made."""
        return (*self.of_any(model), *self.of_english(model))

    def beside(self, model: Model) -> tuple[int, ...]:
        """Return the kind of the second vectors that *model* made of memories in English, if it is there."""
        return self._number(model.key + OF_ENGLISH_BESIDE)

    def had_others(self, plan: Plan) -> bool:
        """Tell whether memories in English have vectors of *plan*'s second model already, or are to have them."""
        return plan.for_others is not None and bool(self.beside(plan.for_others))

    def wanted(self, plan: Plan, *, has_others: bool) -> Wanted | None:
        """Return which kinds of vectors memories should have by *plan*; None while their numbers are not known."""
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
