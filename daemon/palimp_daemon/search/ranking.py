"""Rerank hits: BM25 takes a memory for a bag of words.

Added for the first RERANKED_MAX only, in units of BM25 scores, each shown by `explain`:

* *meaning*, with `palimp[semantic]`: the cosine with the query and its square, times the best BM25;
* *near*: words adjacent in the query and close together in the memory (Metzler and Croft, 2005);
* *covered*: the share of the question in the memory, or in found neighbours of its session;
* *session*: root of the sum of squares of its session's matches, at most SESSION_SHARE_MAX times its own score;
* *common*: words too common to select by (`search.plan`);
* *recent*: decides between equals; a *superseded* memory keeps half.

docs/adr/0017 has the choice of weights.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

PARTS: Final = ("words", "meaning", "near", "covered", "common", "session", "recent")

_EXPLAINED: Final = {
    "words": "its words",
    "meaning": "its meaning",
    "near": "words that stand together",
    "covered": "how much of what was asked it has",
    "common": "common words",
    "session": "others of its session",
    "recent": "being recent",
}
"""Description of each part of a score."""

RERANKED_MAX: Final = 25
"""Memories re-ranked, or counted for their session if more are requested. See docs/adr/0017."""

MEANING_CANDIDATES: Final = 200
"""Best lexical matches considered with vectors, as meaning reaches further down."""

MEANING_WEIGHT: Final = 0.7
"""Weight of the cosine."""

MEANING_SQUARE_WEIGHT: Final = 1.4
"""Weight of its square: a small cosine means nothing in any model."""

CODE_MEANING_SQUARE_WEIGHT: Final = 8.0
"""The same if all hits are code: questions share few words with it, so meaning counts more than BM25; in prose,
less."""

CODE_MARKS: Final = b"(){}[]=;_<>"
CODE_SHARE_MIN: Final = 0.03
"""Share of such marks from which a text is code. Prose about code has about a third of it."""

NEAR_WEIGHT: Final = 0.3
NEAR_CHARACTERS: Final = 60
"""Distance up to which two words are near each other: about ten words."""

COVERED_WEIGHT: Final = 0.8
"""Share of the best BM25 for a memory surrounded by all the query's words."""

OWN_COVERED_SHARE: Final = 0.6
"""Weight of a word in the memory itself relative to one around it: BM25 counts it already."""

AROUND_MEMORIES: Final = 3
"""Memories of the session before and after one that are around it."""

SESSION_WEIGHT: Final = 0.36
SESSION_SHARE_MAX: Final = 1.8
"""Weight of a session for a memory, and its bound in the memory's scores: as of three equals."""

RECENT_WEIGHT: Final = 0.05
"""Share of the best score; a tie-breaker."""
RECENT_DAYS: Final = 30.0
"""Half-life in days of the recency weight."""
_DAY_MS: Final = 86_400_000

SUPERSEDED_FACTOR: Final = 0.5

FEW_ROWS: Final = 20
"""Rows from which a word in half of them has no weight; at most RERANKED_MAX, so that all are read."""

NO_WORDS: Final = frozenset[str]()
"""Words of a text that was not read."""

SATURATION: Final = 1.2
"""BM25's k1, as in SQLite."""


class Candidate(NamedTuple):
    """A found memory."""

    seq: int
    words: float
    """Its BM25."""
    said: Mapping[str, Sequence[int]]
    """Positions of the query's words in its text, by stem and in order; empty: not read."""
    session: int | None
    created_at: int
    is_superseded: bool
    around_from: int = 0
    """The first memory of its session around it, if its text was read."""
    cosine: float = 0.0
    """Similarity to the query; 0: not known."""
    is_code: bool | None = None
    """None: the text was not read."""


class Ranked(NamedTuple):
    """A memory's place in the answer, and the parts of its score."""

    seq: int
    score: float
    parts: tuple[float, ...]
    """As PARTS names them."""
    is_superseded: bool

    def why(self) -> str:
        """Return the reasons for its place, as a sentence."""
        parts = [part for part in zip(PARTS, self.parts, strict=True) if part[0] == "words" or part[1] >= 0.005]
        terms = " + ".join(f"{value:.2f} for {_EXPLAINED[name]}" for name, value in parts)
        halved = f", times {SUPERSEDED_FACTOR} since something newer replaced it" if self.is_superseded else ""
        return f"Score {self.score:.2f} = {terms}{halved}."


def rank_candidates(
    candidates: Sequence[Candidate],
    query: Sequence[str],
    ordering: Sequence[str],
    idf: Mapping[str, float],
    now_ms: int,
    limit: int,
) -> list[Ranked]:
    """Return the best *candidates*, best first.

    *query* are its stems in order, *ordering* those of common terms, *idf* their weights.
    """
    if not candidates:
        return []
    pairs = [(left, right) for left, right in pairwise(query) if left != right]
    # With meaning, most texts are not read.
    held = [frozenset(each.said).intersection(query) if each.said else NO_WORDS for each in candidates]
    near = [_near(each.said, pairs, idf) if each.said else 0.0 for each in candidates]
    nothing = [0.0] * len(candidates)
    common = [_common(candidate.said, ordering, idf) for candidate in candidates] if ordering else nothing
    said = [candidate.words + more + most for candidate, more, most in zip(candidates, near, common, strict=True)]
    sessions = _sessions(candidates, said)
    unit = max(candidate.words for candidate in candidates) or 1.0
    meaning = _meaning(candidates, unit) if any(candidate.cosine for candidate in candidates) else nothing
    covered = [unit * COVERED_WEIGHT * share for share in _covered_shares(candidates, held, query, idf)]
    best = max(map(sum, zip(said, covered, sessions, meaning, strict=True)))
    recent = [best * _recency(each.created_at, now_ms) for each in candidates]
    words = [candidate.words for candidate in candidates]
    parts = list(zip(words, meaning, near, covered, common, sessions, recent, strict=True))
    scores = [
        sum(own) * SUPERSEDED_FACTOR if candidate.is_superseded else sum(own)
        for candidate, own in zip(candidates, parts, strict=True)
    ]
    order = sorted(range(len(candidates)), key=lambda place: (-scores[place], -candidates[place].seq))
    return [
        Ranked(candidates[place].seq, scores[place], parts[place], candidates[place].is_superseded)
        for place in order[:limit]
    ]


def lift_few(candidates: Sequence[Candidate], rows: int) -> Sequence[Candidate]:
    """Raise the word scores of *candidates*, all matches, if *rows* are few.

    BM25 hardly weights words there; with each row fewer, more of BM25 with Lucene's weights is added.
    """
    part = 1 - rows / FEW_ROWS
    if part <= 0:
        return candidates
    counts = Counter(stem for candidate in candidates for stem in candidate.said)
    weights = {stem: part * math.log(1 + (rows - count + 0.5) / (count + 0.5)) for stem, count in counts.items()}
    return [each._replace(words=each.words + _common(each.said, weights, weights)) for each in candidates]


def _meaning(candidates: Sequence[Candidate], unit: float) -> list[float]:
    read = [candidate.is_code for candidate in candidates if candidate.is_code is not None]
    code = sum(read) / len(read) if read else 0.0
    square = MEANING_SQUARE_WEIGHT + code * (CODE_MEANING_SQUARE_WEIGHT - MEANING_SQUARE_WEIGHT)
    cosines = [max(0.0, candidate.cosine) for candidate in candidates]
    return [unit * (MEANING_WEIGHT * cosine + square * cosine * cosine) for cosine in cosines]


def is_code(text: str) -> bool:
    """Tell by its punctuation whether *text* is code."""
    encoded = text.encode()
    return len(encoded) - len(encoded.translate(None, CODE_MARKS)) >= CODE_SHARE_MIN * len(text)


def _near(said: Mapping[str, Sequence[int]], pairs: Sequence[tuple[str, str]], idf: Mapping[str, float]) -> float:
    if len(said) < 2:
        return 0.0
    total = 0.0
    for left, right in pairs:
        if left in said and right in said and _are_near(said[left], said[right]):
            total += (idf.get(left, 0.0) + idf.get(right, 0.0)) / 2
    return NEAR_WEIGHT * total


def _are_near(ones: Sequence[int], others: Sequence[int]) -> bool:
    return any(-NEAR_CHARACTERS <= one - other <= NEAR_CHARACTERS for one in ones for other in others)


def _covered_shares(
    candidates: Sequence[Candidate], held: Sequence[frozenset[str]], query: Sequence[str], idf: Mapping[str, float]
) -> list[float]:
    weights = {stem: idf.get(stem, 0.0) for stem in query}
    whole = sum(weights.values()) or 1.0
    weight = weights.__getitem__
    shares: list[float] = []
    for own, near in zip(held, _around(candidates, held), strict=True):
        if near is NO_WORDS:
            shares.append(0.0)
            continue
        share = OWN_COVERED_SHARE * sum(map(weight, own))
        shares.append((share if near is own else share + sum(map(weight, near - own))) / whole)
    return shares


def _around(candidates: Sequence[Candidate], held: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    sessions: dict[int, list[int]] = defaultdict(list)
    holding = [place for place, words in enumerate(held) if words]
    for place in sorted(holding, key=lambda place: candidates[place].seq):
        if (session := candidates[place].session) is not None:
            sessions[session].append(place)
    around = list(held)
    for places in sessions.values():
        for count, later in enumerate(places):
            for earlier in reversed(places[:count]):
                if candidates[earlier].seq < candidates[later].around_from:
                    break
                around[later] |= held[earlier]
                around[earlier] |= held[later]
    return around


def _common(said: Mapping[str, Sequence[int]], words: Iterable[str], idf: Mapping[str, float]) -> float:
    counts = [(idf.get(stem, 0.0), len(said[stem])) for stem in words if stem in said]
    return sum(weight * count * (SATURATION + 1) / (count + SATURATION) for weight, count in counts)


def _sessions(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[float]:
    squares: dict[int, float] = defaultdict(float)
    keys = [-candidate.seq if candidate.session is None else candidate.session for candidate in candidates]
    least = sorted(scores, reverse=True)[:RERANKED_MAX][-1]
    for key, score in zip(keys, scores, strict=True):
        squares[key] += score * score if score >= least else 0.0
    # A memory counts for itself, wherever it stands.
    sums = [
        squares[key] if score >= least else squares[key] + score * score
        for key, score in zip(keys, scores, strict=True)
    ]
    return [
        SESSION_WEIGHT * min(math.sqrt(whole), SESSION_SHARE_MAX * score)
        for whole, score in zip(sums, scores, strict=True)
    ]


def _recency(created_at: int, now_ms: int) -> float:
    days = (now_ms - created_at) / _DAY_MS
    return RECENT_WEIGHT * 0.5 ** (days / RECENT_DAYS) if days > 0.0 else RECENT_WEIGHT
