"""Promise: who asks for a picture finds the photo, without a model and at no cost to who uses the same words.

    python benchmarks/related_words.py DATA_FOLDER [--weights 0.3 0.5] [--numbers 4 8 12] [--table FILE]

DATA_FOLDER holds one folder per project, with memories.jsonl and questions.jsonl as in benchmarks/truth, or with
corpus.jsonl, queries.jsonl and gold.jsonl, as in `benchmarks/retrieval_sets`. The texts are ranked in this process, by
words alone: BM25 as a part of what a text would have that says everything that was asked for. A text that lacks a word
of the question has instead what its best related word counts in it, times their cosine and the weight; a related word
counts at most as much as the word that was asked for. Nothing is put in the order of time here.

*first* and *five* are the shares of what is right among the first and the first five, for each kind of question. Of
the kind `never` nothing is right: *told apart* is how often a question that has an answer gets a better best score than
one that has none. With --table the words of another file, made by `tools/related_words/build.py`, are read.
"""

import argparse
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import log
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from measuring import print_table
from retrieval import read_lines

from palimp_daemon.search.related_words import RELATED_MAX, RelatedWords, packaged_table
from palimp_daemon.search.stems import WORD, Stems
from palimp_daemon.search.terms import parse_query
from palimp_daemon.store.opening import open_store

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""BM25's k1 and b, as in SQLite."""

WHOLE_GOLD = ("two", "when", "history")
"""Kinds of questions of which all that is right has to be among the first five."""

Related = Callable[[str], Sequence[tuple[str, float]]]
"""From a word to those that are related to it, and how much each counts."""


class Text(NamedTuple):
    """A memory as it is ranked."""

    id: str
    counts: Mapping[str, int]
    characters: int


class Question(NamedTuple):
    """A question, and the memories that answer it."""

    kind: str
    text: str
    gold: frozenset[str]


class Project(NamedTuple):
    """Memories that questions are asked about, the newest last."""

    texts: Sequence[Text]
    questions: Sequence[Question]
    frequencies: Mapping[str, int]
    """In how many of the texts each stem stands."""
    usual: float
    """Characters of a text."""


def main() -> None:
    """Print one table: without related words, then with each weight and number of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--weights", type=float, nargs="+", default=[0.3, 0.4, 0.5, 0.6])
    parser.add_argument("--numbers", type=int, nargs="+", default=[RELATED_MAX])
    parser.add_argument("--table", type=Path, help="another file than the one of the package")
    arguments = parser.parse_args()
    table = RelatedWords(arguments.table.read_bytes()) if arguments.table else packaged_table()
    folders = sorted(
        {path.parent for name in ("questions", "queries") for path in arguments.folder.glob(f"*/{name}.jsonl")}
    )
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        projects = [project(folder, store.stems) for folder in folders]
        settings = [(weight, number) for number in arguments.numbers for weight in arguments.weights]
        results = {"none": asked(projects, store.stems, lambda _: ())}
        for weight, number in settings:
            related = partial(weighted, table, weight, number)
            results[f"{number} at {weight}"] = asked(projects, store.stems, related)
        store.connection.close()
    kinds = sorted({question.kind for each in projects for question in each.questions} - {"never"})
    columns = ["related words", *kinds, "told apart"]
    print_table("first / five (%)", columns, [(name, *row(result, kinds)) for name, result in results.items()], [])
    print_table("cost", ["measure", ""], list(costs(table, projects)), [])


def weighted(table: RelatedWords, weight: float, number: int, word: str) -> list[tuple[str, float]]:
    """Return the *number* words most related to *word*, and what each counts beside it."""
    return [(other, weight * cosine) for other, cosine in table.of(word)[:number]]


def project(folder: Path, stems: Stems) -> Project:
    """Return the project in *folder*."""
    if (folder / "memories.jsonl").exists():
        entries = sorted(read_lines(folder / "memories.jsonl"), key=lambda entry: entry["at"])
        questions = [
            Question(each["kind"], each["text"], frozenset(each.get("gold", ())))
            for each in read_lines(folder / "questions.jsonl")
        ]
    else:
        entries = read_lines(folder / "corpus.jsonl")
        gold = {each["id"]: frozenset(each["gold"]) for each in read_lines(folder / "gold.jsonl")}
        asked_for = read_lines(folder / "queries.jsonl")
        questions = [Question(folder.name, each["text"], gold[each["id"]]) for each in asked_for if each["id"] in gold]
    texts = [text(entry, stems) for entry in entries]
    frequencies = Counter(stem for each in texts for stem in each.counts)
    return Project(texts, questions, frequencies, mean(each.characters for each in texts))


def text(entry: dict[str, Any], stems: Stems) -> Text:
    """Return *entry* with how often each stem stands in it."""
    counts = Counter(stem for match in WORD.finditer(entry["text"]) for stem in stems.of_word(match[0]))
    return Text(entry["id"], counts, len(entry["text"]))


class Result(NamedTuple):
    """What the questions found."""

    first: Mapping[str, list[float]]
    five: Mapping[str, list[float]]
    best: Mapping[bool, list[float]]
    """The best score of each question, by whether it has an answer."""


def asked(projects: Sequence[Project], stems: Stems, related: Related) -> Result:
    """Ask all questions of all *projects*."""
    first: dict[str, list[float]] = defaultdict(list)
    five: dict[str, list[float]] = defaultdict(list)
    best: dict[bool, list[float]] = defaultdict(list)
    for each in projects:
        for question in each.questions:
            scores = answer(each, question.text, stems, related)
            best[question.kind != "never"].append(max(scores.values(), default=0.0))
            if question.kind != "never":
                newest_first = list(scores)[::-1]  # of what answers equally well: sorting keeps their order
                found = sorted(newest_first, key=lambda id_: -scores[id_])
                right = question.gold & set(found[:5])
                first[question.kind].append(bool(found) and found[0] in question.gold)
                is_whole = question.kind in WHOLE_GOLD
                five[question.kind].append(len(right) / len(question.gold) if is_whole else bool(right))
    return Result(first, five, best)


def answer(about: Project, query: str, stems: Stems, related: Related) -> dict[str, float]:
    """Return the score of each text that has something of *query*, the oldest first."""
    sought: dict[str, dict[str, float]] = {}
    for term in parse_query(query).terms:
        own = stems.of_term(term)
        for stem in own:
            sought.setdefault(stem, {})
        if len(own) == 1:
            for other, part in related(term):
                for stem in stems.of_term(other)[:1]:
                    sought[own[0]][stem] = max(part, sought[own[0]].get(stem, 0.0))
    whole = sum(weight(about, stem) for stem in sought)
    scores = {each.id: sum(said(about, each, stem, others) for stem, others in sought.items()) for each in about.texts}
    return {id_: score / whole for id_, score in scores.items() if score > 0}


def said(about: Project, each: Text, stem: str, others: Mapping[str, float]) -> float:
    """Return what the text *each* says of the word *stem*, or of the best of *others*, which are related to it."""
    if stem in each.counts:
        return weight(about, stem) * frequent(about, each, stem)
    return max(
        (
            part * min(weight(about, stem), weight(about, other)) * frequent(about, each, other)
            for other, part in others.items()
            if other in each.counts
        ),
        default=0.0,
    )


def frequent(about: Project, each: Text, stem: str) -> float:
    """Return what BM25 makes of how often *stem* stands in a text of that length."""
    count = each.counts[stem]
    length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * each.characters / about.usual)
    return count * (SATURATION + 1) / (count + length)


def weight(about: Project, stem: str) -> float:
    """Return what a word says that so few of the texts have."""
    count = about.frequencies.get(stem, 0)
    return log(1 + (len(about.texts) - count + 0.5) / (count + 0.5))


def row(result: Result, kinds: Sequence[str]) -> Iterator[str]:
    """Yield the cells of *result*."""
    yield from (f"{100 * mean(result.first[kind]):.0f} / {100 * mean(result.five[kind]):.0f}" for kind in kinds)
    pairs = [
        (known > unknown) + (known == unknown) / 2 for known in result.best[True] for unknown in result.best[False]
    ]
    yield f"{100 * mean(pairs):.1f}" if pairs else ""


def costs(table: RelatedWords, projects: Sequence[Project]) -> Iterator[tuple[str, str]]:
    """Yield what the table takes."""
    words = sorted(
        {term for each in projects for question in each.questions for term in parse_query(question.text).terms}
    )
    started = time.perf_counter()
    found = [table.of(word) for word in words]
    took = (time.perf_counter() - started) / len(words)
    yield "words in the table", f"{len(table):,}"
    yield "words of the questions that have related ones", f"{100 * mean(map(bool, found)):.0f} %"
    yield "a look-up", f"{took * 1e6:.0f} µs"


if __name__ == "__main__":
    main()
