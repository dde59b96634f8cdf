"""Write the table of related words that is part of the package; `palimp_daemon.search.related_words` has its format.

    python tools/related_words/build.py [FILE]

The words are those of BERT's vocabulary that are whole, and what developers write that it lacks: `developer_words.txt`,
a list of our own. Each is embedded by all-MiniLM-L6-v2 as the daemon does it, in the texts of CONTEXTS one by one, so
that no vector depends on what stands beside it. The mean of all words is taken off, in which all are near each other.
Related are then those with a cosine of COSINE_MIN or more, at most RELATED_MAX of them and one of each stem; what has
the stem of the word itself is found without a table.

Takes two minutes of one core and needs palimp[semantic]. The same kind of processor gives the same bytes each time.
"""

import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import Stemmer

from palimp_daemon.embedding.models import MINILM, installed_models
from palimp_daemon.embedding.worker.model import Model
from palimp_daemon.embedding.worker.model_file import checked_file
from palimp_daemon.embedding.worker.wordpiece import vocabulary
from palimp_daemon.search import related_words
from palimp_daemon.search.irregular_forms import base_form
from palimp_daemon.search.related_words import COSINE_STEPS, FORMAT, HEADER, NEIGHBOUR, PLACE, RELATED_MAX
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS

CONTEXTS: Final = ("{}", "{} in the software")
"""Texts in which a word is embedded. The second tells which of its meanings is wanted: a picture, not to picture."""

COSINE_MIN: Final = 0.40
"""What words have in common that are given for one another; of two random ones it is 0."""

ROWS: Final = 1_000
"""Words compared with all at a time: 90 MB."""

APART: Final = frozenset(
    """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words that are near each other because they are of one kind, while none of them ever means another."""

WORD: Final = re.compile("[a-z]{2,}")

UNTYPED: Any = Stemmer  # it ships no types
STEMMERS: Final[Sequence[Any]] = (UNTYPED.Stemmer("porter"), UNTYPED.Stemmer("english"))

Neighbours = list[tuple[int, int]]
"""Of a word: the numbers of those that are related to it, and the cosines in COSINE_STEPS, the nearest first."""


def main() -> None:
    """Write the table, and print what it has."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(related_words.__file__).with_suffix(".bin")
    words = chosen_words()
    table = table_of(words, centred(embedded(words)))
    content = encoded(table)
    path.write_bytes(content)
    pairs = sum(len(row.neighbours) for row in table)
    print(f"{path}: {len(table):,} words, {pairs / len(table):.1f} related to each, {len(content):,} bytes")


def chosen_words() -> list[str]:
    """Return the words of the table in alphabetical order."""
    ours = Path(__file__).with_name("developer_words.txt").read_text(encoding="ascii").split()
    return sorted(
        {word for word in (*vocabulary(), *ours) if WORD.fullmatch(word)} - STOP_WORDS - QUESTION_WORDS - APART
    )


def embedded(words: Sequence[str]) -> Any:
    """Return one vector for each of *words*: the mean of those of its contexts, each centred by itself."""
    found = installed_models().get(MINILM)
    if found is None:
        sys.exit("palimp[semantic] is not installed")
    model = Model(checked_file(found.file.path, found.file.sha256))
    return sum(
        centred(np.array([np.frombuffer(model.embed([context.format(word)])[0], np.int8) for word in words]))
        for context in CONTEXTS
    )


def centred(vectors: Any) -> Any:
    """Return *vectors* without their mean, each of length 1."""
    apart = vectors.astype(np.float64)
    apart -= apart.mean(axis=0)
    return apart / np.linalg.norm(apart, axis=1, keepdims=True)


class Row(NamedTuple):
    """A word of the table."""

    word: str
    neighbours: Neighbours


def table_of(words: Sequence[str], vectors: Any) -> list[Row]:
    """Return the rows of *words*, in order, without those that nothing is related to."""
    stems = [stems_of(word) for word in words]
    rows: list[Neighbours] = []
    for first in range(0, len(words), ROWS):
        steps = np.rint(COSINE_STEPS * (vectors[first : first + ROWS] @ vectors.T)).astype(np.int16)
        rows += [neighbours(first + number, each, stems) for number, each in enumerate(steps)]
    kept = {number for number, row in enumerate(rows) if row} | {other for row in rows for other, _ in row}
    places = {number: place for place, number in enumerate(sorted(kept))}
    return [Row(words[number], [(places[other], step) for other, step in rows[number]]) for number in places]


def neighbours(number: int, steps: Any, stems: Sequence[frozenset[str]]) -> Neighbours:
    """Return what is related to the word *number*, whose cosines with all words are *steps*."""
    seen = stems[number]
    found: Neighbours = []
    near = np.flatnonzero(steps >= COSINE_MIN * COSINE_STEPS)
    for other in near[np.argsort(-steps[near], kind="stable")].tolist():
        if len(found) == RELATED_MAX:
            break
        if not seen & stems[other]:
            seen |= stems[other]
            found.append((other, int(steps[other])))
    return found


def stems_of(word: str) -> frozenset[str]:
    """Return what *word* is taken for: its stem by the older and the newer rules of Porter, and its base form's."""
    return frozenset[str](stemmer.stemWord(form) for stemmer in STEMMERS for form in (word, base_form(word)))


def encoded(table: Sequence[Row]) -> bytes:
    """Return the file that holds *table*."""
    records = [record(row) for row in table]
    start = HEADER.size + PLACE.size * len(records)
    body = b"".join((*map(PLACE.pack, places(records, start)), *records))
    checksum = zlib.crc32(body, zlib.crc32(len(table).to_bytes(4, "little")))
    return HEADER.pack(FORMAT, checksum, len(table)) + body


def record(row: Row) -> bytes:
    """Return the bytes of *row*."""
    word = row.word.encode()
    near = b"".join(NEIGHBOUR.pack(*each) for each in row.neighbours)
    return bytes([len(word)]) + word + bytes([len(row.neighbours)]) + near


def places(records: Sequence[bytes], start: int) -> Iterator[int]:
    """Yield where each of *records* begins, the first of them at *start*."""
    for each in records:
        yield start
        start += len(each)


if __name__ == "__main__":
    main()
