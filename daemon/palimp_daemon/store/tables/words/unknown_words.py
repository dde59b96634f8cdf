"""Find words of the project that unknown words of a query may stand for.

Swapped letters are tried first, then words with the same first letters. Only words of searched memories count, against
leaks of other projects'.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.languages.language_of import BEHIND_LATIN, ENGLISH, language_of
from palimp_daemon.runtime.sql import rows
from palimp_daemon.search.engine import Expression, Filter, Hit, frequencies_of, scores_of
from palimp_daemon.search.english import is_english
from palimp_daemon.search.folding import caseless
from palimp_daemon.search.plan import Plan
from palimp_daemon.search.spelling import (
    EDITS_MAX,
    FOREIGN_LETTERS_MIN,
    LETTERS_MIN,
    NEAR_BEST,
    NEIGHBOURS_MAX,
    SPACE_WEIGHT,
    Neighbour,
    easy_edits,
    edits_of,
    halves_of,
    is_tried,
    one_edit_away,
    pairs_of_one,
    two_letters_swapped,
    weight_between,
)
from palimp_daemon.search.stems import cut_words
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS, match_expression
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.words.vocabulary import IndexStems, Vocabulary, vocabulary

WORDS_MAX: Final = 6
"""Words of a query tried, about 5 ms each in a store of 100,000 memories."""

SCANNED_MAX: Final = 6_000
"""Words of the index with the same initial letters that are compared: about 8 ms."""

OPENINGS: Final = ((2_000, 1), (20_000, 2), (200_000, 3))
"""Store sizes, in memories, with the number of initial letters that compared words share; OPENING_MAX beyond. Counting
reads all postings of a word, 35 ns each: three letters may begin a million in a million memories."""

OPENING_MAX: Final = 4

LOOKED_FOR_MAX: Final = 6
"""Neighbours looked up in the project, about 0.1 ms each."""

READ_MAX: Final = 5
"""Memories read for a neighbour's spelling."""

POSTINGS_MAX: Final = 1_000
"""Newest memories searched for one of the project's with a neighbour: a few milliseconds."""

READ_CHARACTERS: Final = 2_000
"""Characters read of each."""

JOINED_MAX: Final = 40
"""Words of a query checked for pairs that are one word."""

ENDINGS: Final = ("", "e", "s", "es", "y", "ed", "ing", "ion", "er", "al", "ity", "ment")
"""Endings that may turn a stem into a word."""


CORRECTED: Final = "; searched "
"""Part of every sentence on a replaced word."""


class Tried(NamedTuple):
    """Unknown words of a query with neighbours, best first."""

    asked: str
    """As a term of the query."""
    neighbours: Sequence[Neighbour]
    spelled: str
    """As in the query."""

    def sentence(self) -> str:
        """Return the note about it."""
        words = " and ".join(f'"{each.written or each.word}"' for each in self.neighbours)
        why = f'"{self.spelled}" {"may be one word" if " " in self.spelled else "is not known here"}'
        return f"{why}{CORRECTED}{words} too."


class _Candidate(NamedTuple):
    stem: str
    memories: int
    """Number of memories with it, a moment ago."""
    weight: float
    """Upper bound of its weight while its spelling is unknown."""
    words: Sequence[str] = ()
    """Words with this stem one edit away from the query's word."""
    least: float = 0.0
    """Lower bound of its weight, whatever its spelling."""


class _Index(NamedTuple):
    store: Store
    where: Filter
    stems: Vocabulary | None
    """None: the index must be queried."""

    def frequencies(self, stems: Iterable[str]) -> dict[str, int]:
        known = [*stems] if self.stems is None else [stem for stem in stems if stem in self.stems]
        return frequencies_of(self.store.connection, self.store.engine, known) if known else {}

    def ordered_edits(self, word: str) -> list[str]:
        edits = {*one_edit_away(word)} - {word}
        return sorted(edits if self.stems is None else self.stems.plausible(edits))

    def beginning_with(self, opening: str) -> Collection[str]:
        if self.stems is not None:
            return self.stems.beginning_with(opening)
        bounds = (opening, opening + "\U0010ffff", SCANNED_MAX)
        return [stem for (stem,) in rows(self.store.connection, self.store.engine.stems_between, bounds)]


def try_neighbours(store: Store, text: str, unknown: Sequence[str], where: Filter, newest: int) -> list[Tried]:
    """Return neighbours of *unknown* words of *text* in memories under *where*."""
    written = caseless(text)
    # Else a word or two are asked of the index.
    is_asked = bool(unknown) or store.state(IndexStems).vocabulary is not None
    index = _Index(store, where, vocabulary(store, newest) if is_asked else None)
    joined = _try_joined(index, written, unknown)
    if not unknown:
        return joined
    is_foreign = language_of(text) != ENGLISH
    letters_min = FOREIGN_LETTERS_MIN if is_foreign else LETTERS_MIN
    words = [word for word in unknown if is_tried(word, letters_min) and word in written][:WORDS_MAX]
    # The stems of another language are those of its words only where it is not written in Latin letters.
    found = [
        Tried(
            word,
            _try_edits(index, word, newest, by_stem=not is_foreign or min(word) >= BEHIND_LATIN),
            next((each for each in cut_words(written) if word in each), word),
        )
        for word in words
    ]
    return [each for each in found if each.neighbours] + joined


def _try_edits(index: _Index, word: str, newest: int, *, by_stem: bool) -> list[Neighbour]:
    swapped = _by_name(index, word, two_letters_swapped(word)) if word.isascii() else []
    found = _neighbours(index, word, swapped)
    if found != []:  # no other edit weighs more, and the words that it makes are few
        return found or []
    if is_english(word):
        return _halves(index, word)
    near = index.ordered_edits(word) if word.isascii() else []
    letters = next((count for memories, count in OPENINGS if newest <= memories), OPENING_MAX)
    opening = word[:letters]
    words = _by_stem(index, near)
    found = _neighbours(index, word, _beginning(index, word, opening, words, by_stem=by_stem))
    if found == [] and near:
        easy = sorted({each for each in easy_edits(word) if not each.startswith(opening)})
        found = _neighbours(index, word, _by_name(index, word, easy))
    if found == [] and near:
        elsewhere = {stem: [each for each in its if not each.startswith(opening)] for stem, its in words.items()}
        found = _neighbours(index, word, _of_words(index, word, {stem: its for stem, its in elsewhere.items() if its}))
    return _halves(index, word) if found == [] else found or []


def discount_hits(
    store: Store, hits: Sequence[Hit], spelled: Sequence[Tried], plan: Plan, *, in_context: bool
) -> list[Hit]:
    """Return *hits* with scores reduced for *spelled* words, best first."""
    neighbours = {each.word: each for one in spelled for each in one.neighbours if each.word in plan.selecting}
    if not plan.required and len(plan.selecting) == len(neighbours) == 1:  # the whole score is that word's
        weight = neighbours[plan.selecting[0]].weight
        return [hit._replace(score=weight * hit.score) for hit in hits]
    seqs = [hit.seq for hit in hits]
    less = dict.fromkeys(seqs, 0.0)
    for neighbour in neighbours.values():
        match = Expression(match_expression([neighbour.word]))
        for seq, score in scores_of(store.connection, store.engine, match, seqs, in_context=in_context).items():
            less[seq] += (1 - neighbour.weight) * score
    found = [hit._replace(score=hit.score - less[hit.seq]) for hit in hits]
    return sorted(found, key=lambda hit: (-hit.score, -hit.seq))


def _neighbours(index: _Index, word: str, candidates: list[_Candidate]) -> list[Neighbour] | None:
    found: list[Neighbour] = []
    best = sorted(candidates, key=lambda each: (-round(each.weight / NEAR_BEST), -each.memories, each.stem))
    for each in best[:LOOKED_FOR_MAX]:
        if found and each.weight < found[0].weight - NEAR_BEST:
            continue
        words = _written_words(index, each)
        weights = {written: weight_between(word, written) for written in words}
        if not weights:
            continue
        nearest = max(weights, key=lambda written: (weights[written], written))
        if nearest in STOP_WORDS or nearest in QUESTION_WORDS:
            return None
        if weight := max(each.least, weights[nearest]):
            found.append(Neighbour(nearest, weight, words[nearest]))
    found.sort(key=lambda each: -each.weight)
    return [each for each in found if each.weight >= found[0].weight - NEAR_BEST][:NEIGHBOURS_MAX]


def _beginning(
    index: _Index, word: str, opening: str, words: Mapping[str, Sequence[str]], *, by_stem: bool
) -> list[_Candidate]:
    own = "".join(index.store.stems.of_term(word)[:1])
    about = range(len(own) - EDITS_MAX, len(own) + EDITS_MAX + 1) if by_stem else range(0)
    edits = {length: edits_of(len(own), length) for length in about}
    others = {length: 2 * count for length, count in edits.items() if abs(length - len(own)) <= count}
    letters = frozenset(own)
    weights: dict[str, tuple[float, float]] = {}
    for stem in index.beginning_with(opening):
        # Of thousands hardly one is near, which its letters say at once: `weight_between` would, after more steps.
        most = others.get(len(stem))
        if stem in words or (most is not None and len(letters.symmetric_difference(stem)) <= most):
            least = weight_between(own, stem) if by_stem else 0.0
            if weight := max([least, *(weight_between(word, each) for each in words.get(stem, ()))]):
                weights[stem] = weight, least
    return [
        _Candidate(stem, memories, weights[stem][0], words.get(stem, ()), weights[stem][1])
        for stem, memories in index.frequencies(weights).items()
    ]


def _by_name(index: _Index, word: str, near: Sequence[str]) -> list[_Candidate]:
    return _of_words(index, word, _by_stem(index, near))


def _of_words(index: _Index, word: str, words: Mapping[str, Sequence[str]]) -> list[_Candidate]:
    return [
        _Candidate(stem, count, weight, words[stem])
        for stem, count in index.frequencies(words).items()
        if (weight := max(weight_between(word, each) for each in words[stem]))
    ]


def _by_stem(index: _Index, words: Sequence[str]) -> dict[str, list[str]]:
    stems = index.store.stems.of_term(" ".join(words))
    known = {*stems} if index.stems is None else index.stems.intersection(stems)
    found: dict[str, list[str]] = {}
    if known:  # hundreds of words were made, and hardly any is there
        for each, stem in zip(words, stems, strict=True):
            if stem in known:
                found.setdefault(stem, []).append(each)
    return found


def _written_words(index: _Index, candidate: _Candidate) -> dict[str, str]:
    store, stem = index.store, candidate.stem
    guesses = [*candidate.words, *(stem + ending for ending in ENDINGS), stem[:-1] + "y"]
    guess = next((each for each in guesses if store.stems.of_term(each) == [stem]), None)
    texts = _holding(index, guess) if guess else []
    opening = stem[: LETTERS_MIN - 1]  # a stemmer changes nothing before its last letter
    said = {word for text in texts for word in cut_words(caseless(text))}
    words = sorted(word for word in said if word.startswith(opening) or not word.isascii())
    written = {word: word for word, its in zip(words, store.stems.of_words(words), strict=True) if its == stem}
    if written or not (guess and texts):
        return written
    # Only the index has it: a part of a name, or a stem of another language.
    return {guess: next((word for word in words if stem in store.stems.of_word(word)), guess)}


def _holding(index: _Index, term: str) -> list[str]:
    store, where = index.store, index.where
    own, key = store.engine.own(Expression(match_expression([term]))), store.engine.key
    found = rows(
        store.connection,
        f"SELECT m.title || char(10) || substr(m.content, 1, {READ_CHARACTERS}) FROM"
        f" (SELECT f.{key} AS seq FROM memories_fts f WHERE {own.sql} ORDER BY f.{key} DESC LIMIT {POSTINGS_MAX}) found"
        f" CROSS JOIN memories m ON m.seq = found.seq WHERE {where.sql} LIMIT {READ_MAX}",
        (*own.values, *where.values),
    )
    return [text for (text,) in found]


def _halves(index: _Index, word: str) -> list[Neighbour]:
    halves = halves_of(word)
    stems = dict(zip(halves, map(index.store.stems.of_words, halves), strict=True))
    known = index.frequencies(sorted({stem for each in stems.values() for stem in each}))
    phrases = [" ".join(pair) for pair, each in stems.items() if all(stem in known for stem in each)]
    return [Neighbour(each, SPACE_WEIGHT) for each in phrases[:LOOKED_FOR_MAX] if _holding(index, each)][:1]


def _try_joined(index: _Index, text: str, unknown: Sequence[str]) -> list[Tried]:
    pairs = pairs_of_one(cut_words(text)[:JOINED_MAX], {*unknown}, STOP_WORDS)
    stems = dict(zip(pairs, index.store.stems.of_words([*pairs]), strict=True))
    known = index.frequencies(sorted(stems.values()))
    return [
        Tried(pairs[word], [Neighbour(word, SPACE_WEIGHT)], pairs[word])
        for word, stem in stems.items()
        if stem in known and _holding(index, word)
    ]
