"""What a ranking of one line reaches on the sets of `judgement.py`: what is more than a line has to beat it.

A memory's score is BM25 as a share of the best, plus 1.5 times its cosine above the median as a share of the best. Of
the ten best, those that are near the first stand together, newest first; then those near the next that is left.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import Stemmer
from numpy.typing import NDArray
from retrieval import Models, read_lines

COSINE_WEIGHT: Final = 1.5
NEAR_MIN: Final = 0.4
"""Cosine from which two memories are about the same."""

ROWS: Final = 10
K1: Final = 1.2
B: Final = 0.75
"""The usual constants of BM25."""

Vectors = NDArray[np.float64]


def answers(folder: Path, models: Models) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield each question about the project in *folder*, and ids of ten memories, best first."""
    memories, questions = (read_lines(folder / name) for name in ("memories.jsonl", "questions.jsonl"))
    texts = [each["text"] for each in memories]
    vectors = unit_vectors(texts, models)
    counts = [Counter(stems(text)) for text in texts]
    for question in questions:
        cosines: Vectors = vectors @ unit_vectors([question["text"]], models)[0]
        spread = cosines - np.median(cosines)
        scores = as_shares(bm25(counts, set(stems(question["text"])))) + COSINE_WEIGHT * as_shares(spread)
        best = [int(place) for place in np.argsort(-scores)[:ROWS]]
        yield question, [memories[place]["id"] for place in newest_first(best, vectors)]


def unit_vectors(texts: Sequence[str], models: Models) -> Vectors:
    """Return the vectors of *texts* by the English model, of length 1."""
    vectors = np.array([np.frombuffer(models.english.embed([text])[0], dtype=np.int8) for text in texts], dtype=float)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def stems(text: str) -> list[str]:
    """Return the stems of the words of *text*."""
    return Stemmer.Stemmer("english").stemWords(re.findall(r"\w+", text.lower()))


def bm25(counts: Sequence[Counter[str]], asked: set[str]) -> Vectors:
    """Return the BM25 of each text, given as counts of stems, for the *asked* stems."""
    lengths = np.array([each.total() for each in counts])
    scores = np.zeros(len(counts))
    for stem in asked:
        found = np.array([each[stem] for each in counts])
        having = np.count_nonzero(found)
        rarity = math.log(1 + (len(counts) - having + 0.5) / (having + 0.5))
        scores += rarity * found * (K1 + 1) / (found + K1 * (1 - B + B * lengths / lengths.mean()))
    return scores


def as_shares(scores: Vectors) -> Vectors:
    """Return *scores* as shares of the best."""
    return scores / max(scores.max(), 1e-9)


def newest_first(best: Sequence[int], vectors: Vectors) -> list[int]:
    """Return places of memories, *best* first, with those near a better one beside it, the newest of them first."""
    left, ordered = list(best), list[int]()
    while left:
        near = [place for place in left if place == left[0] or vectors[place] @ vectors[left[0]] >= NEAR_MIN]
        ordered += sorted(near, reverse=True)
        left = [place for place in left if place not in near]
    return ordered
