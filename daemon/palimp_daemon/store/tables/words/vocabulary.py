"""Keep the stems of a small index in memory: SQLite takes 30 µs for each look-up.

It may have stems that the index lacks, never the reverse; with many memories there is none.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Final

from palimp_daemon.search.engine import OWN_COLUMNS
from palimp_daemon.store.derived_index import Filling
from palimp_daemon.store.store import Store, StoreState

MEMORIES_MAX: Final = 20_000
"""Memories whose stems are kept: read in some 50 ms."""

HEADS: Final = tuple(slice(letters) for letters in (4, 3, 2))
"""Prefixes that rule out most unknown words one edit away; short stems have a short one."""

STEMS_MAX: Final = 100_000
"""Stems kept, about ten megabytes: ten times a developer's in so many memories."""


class Vocabulary:
    """The *stems* of memories up to *newest*; none if too many (not *is_whole*).

    *opening_of* returns the common beginning of a stem's words.
    """

    def __init__(
        self, stems: Iterable[str], newest: int, opening_of: Callable[[str], str], *, is_whole: bool = True
    ) -> None:
        self.newest = newest
        self.is_whole = is_whole
        self._opening_of = opening_of
        self._heads: set[str] = set()
        self._stems: set[str] = set()
        self._by_letter: defaultdict[str, list[str]] = defaultdict(list)
        self.add(stems)

    def __len__(self) -> int:
        return len(self._stems)

    def __contains__(self, stem: str) -> bool:
        return stem in self._stems

    def add(self, stems: Iterable[str]) -> None:
        """Add *stems*."""
        for stem in stems:
            if stem not in self._stems:
                self._stems.add(stem)
                self._heads.add(self._opening_of(stem)[HEADS[0]])
                self._by_letter[stem[:1]].append(stem)

    def intersection(self, stems: Iterable[str]) -> set[str]:
        """Return those of *stems* in it."""
        return self._stems.intersection(stems)

    def beginning_with(self, opening: str) -> Collection[str]:
        """Return the stems with the prefix *opening*, at least one letter."""
        same = self._by_letter.get(opening[:1], [])
        return same if len(opening) == 1 else [stem for stem in same if stem.startswith(opening)]

    def plausible(self, words: Iterable[str]) -> list[str]:
        """Return *words* that begin as a stem does; the others have none."""
        heads, (long, middle, short) = self._heads, HEADS  # no loop: of each word asked for, hundreds are looked at
        return [word for word in words if word[long] in heads or word[middle] in heads or word[short] in heads]


class IndexStems(StoreState):
    """The stems of a small index, read at the first search."""

    def __init__(self) -> None:
        self.vocabulary: Vocabulary | None = None

    def forget(self) -> None:
        """Forget the stems, as too many or outdated."""
        self.vocabulary = None

    forget_transaction = forget_searches = forget


def vocabulary(store: Store, newest: int) -> Vocabulary | None:
    """Return the stems up to *newest*, unless many, or the index is incomplete."""
    kept = store.state(IndexStems)
    if newest > MEMORIES_MAX or store.state(Filling).indexes:
        kept.forget()
        return None
    known = kept.vocabulary
    if known is None or newest < known.newest:
        known = _read(store, newest)
        kept.vocabulary = known
    elif newest > known.newest and known.is_whole:
        known.add(_stems_since(store, known.newest))
        known.newest = newest
    return known if known.is_whole else None


def _read(store: Store, newest: int) -> Vocabulary:
    # As bytes: FTS4 takes the middle out of long words, which may cut a character.
    found = store.rows(store.engine.all_stems, (STEMS_MAX + 1,))
    is_whole = len(found) <= STEMS_MAX
    stems = (stem.decode(errors="surrogateescape") for (stem,) in found if is_whole)
    return Vocabulary(stems, newest, store.stems.opening, is_whole=is_whole)


def add_stems(store: Store, *texts: str) -> None:
    """Add the stems of *texts*, about to be indexed."""
    vocabulary = store.state(IndexStems).vocabulary
    if vocabulary is not None and texts:
        vocabulary.add(store.engine.tokenize(store.connection, "\n".join(texts)))


def _stems_since(store: Store, newest: int) -> set[str]:
    columns = ", ".join(OWN_COLUMNS)
    saved = store.rows(f"SELECT {columns} FROM memories_words WHERE seq > ?", (newest,))
    return {stem for texts in saved for stem in store.engine.tokenize(store.connection, "\n".join(texts))}
