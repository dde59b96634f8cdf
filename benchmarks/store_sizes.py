"""Promise: a store of three memories and one of 100,000 answer alike.

    python benchmarks/store_sizes.py [PROJECT ...] [--sizes 3 30 300 3000 100000] [--semantic]

The questions of benchmarks/truth are asked in stores of each size. In a small one are the memories that answer the
question, those that they replaced, and the ones with most words in common with these; for a question about nothing, and
for a prompt that needs nothing, the ones with most words in common with it. A large one has the whole project and texts
of the other projects: each once, then made of their sentences by chance, which is what another project's memories
would be. Prompts are asked in the same stores. Printed is what `judgement.py` prints, a column for each size, and the
widest distance between two sizes. `--semantic` embeds every text, each once: more than 3,000 are too many to be
waited for.
"""

import argparse
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgement import (
    KINDS,
    ROWS,
    TRUTH,
    SavedProject,
    Totals,
    milliseconds,
    percent,
    score_answer,
    shown_ids,
)
from measuring import print_table, progress
from moments import Told, score_prompts
from retrieval import MeaningOf, Models, caller_of, embed_all, loaded_models, of_prompts, read_lines, without_meaning

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.prompt_context import known_for_prompt
from palimp_daemon.search.subject_words import roots_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.memories import Recall, SaveMemory

SIZES = (3, 30, 300, 3_000, 100_000)

WHOLE_FROM = 100
"""Memories from which a store has the whole project; below it has a question's own."""

EMBEDDED_MAX = 3_000
"""Memories of the largest store that is embedded."""

SENTENCE = re.compile(r"(?<=[.!?])\s+")

Entry = dict[str, Any]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", help="names of projects; all when omitted")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--semantic", action="store_true", help=f"with vectors, up to {EMBEDDED_MAX:,} memories")
    arguments = parser.parse_intermixed_args()
    models = caching(loaded_models()) if arguments.semantic else None
    sizes = [size for size in arguments.sizes if models is None or size <= EMBEDDED_MAX]
    folders = [path.parent for path in sorted(TRUTH.glob("*/questions.jsonl"))]
    asked = [each for each in folders if not arguments.projects or each.name in arguments.projects]
    by_size = {size: of_size(size, asked, folders, models) for size in sizes}
    print_sizes(by_size)


def print_sizes(by_size: dict[int, Totals]) -> None:
    """Print each measure in per cent by the size of the store, and how far two sizes are from each other at most."""
    table: list[tuple[str, ...]] = []
    for measure in sorted({name for totals in by_size.values() for name in totals}):
        shares = [percent(totals[measure]) for totals in by_size.values()]
        numbers = [float(each) for each in shares if each]
        table.append((measure, *shares, f"{max(numbers) - min(numbers):.1f}"))
    print_table("what is true now (%), by memories", ["measure", *map("{:,}".format, by_size), "apart"], table, [])


def of_size(size: int, asked: Sequence[Path], folders: Sequence[Path], models: Models | None) -> Totals:
    """Return what the answers about the projects *asked* are worth in stores of *size* memories."""
    totals: Totals = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        for folder in progress(list(asked), f"{size:,} memories"):
            stores = (whole_stores if size >= WHOLE_FROM else small_stores)(folder, size, folders, Path(temporary))
            for path, own, questions in stores:
                with saved_entries(path, folder.name, own, models) as saved:
                    for question in questions:
                        score_one(folder, saved, question, totals)
    return totals


Stores = Iterator[tuple[Path, list[Entry], list[Entry]]]
"""Databases, each with the memories that are still to be saved, and what is asked of it."""


def small_stores(folder: Path, size: int, _: Sequence[Path], temporary: Path) -> Stores:
    """Yield a new database for each question about the project in *folder*, with its *size* memories."""
    memories = read_lines(folder / "memories.jsonl")
    words = {each["id"]: roots_of(each["text"]) for each in memories}
    for number, question in enumerate(questions_of(folder)):
        needed = {*question.get("gold", ()), *question.get("stale", ()), *question.get("wanted", ())}
        about = frozenset[str]().union(*(words[each] for each in needed)) or roots_of(question["text"])
        nearest = sorted(words, key=lambda each: (each not in needed, -len(words[each] & about), each))
        chosen = set(nearest[: max(size, len(needed))])
        path = temporary / f"{folder.name}-{number}.db"
        yield path, [each for each in memories if each["id"] in chosen], [question]
        path.unlink()


def whole_stores(folder: Path, size: int, folders: Sequence[Path], temporary: Path) -> Stores:
    """Yield one database that has the project in *folder* among *size* memories, and all questions about it."""
    memories = read_lines(folder / "memories.jsonl")
    path = temporary / f"{folder.name}.db"
    foreign = [each for other in folders if other != folder for each in read_lines(other / "memories.jsonl")]
    grown = [*memories, *foreign_entries(foreign, size - len(memories))]
    yield path, sorted(grown, key=lambda each: each["at"]), questions_of(folder)
    path.unlink()


def foreign_entries(foreign: Sequence[Entry], count: int) -> list[Entry]:
    """Return *count* memories of other projects: each of *foreign*, then made of their sentences by chance."""
    chance = random.Random(7)
    sentences = [sentence for each in foreign for sentence in SENTENCE.split(each["text"])]
    found = [{**each, "id": "", "session": f"foreign-{each['session']}"} for each in foreign]
    chance.shuffle(found)
    while len(found) < count:
        like = chance.choice(foreign)
        said = chance.sample(sentences, max(1, len(SENTENCE.split(like["text"]))))
        found.append({**like, "id": "", "session": f"foreign-{len(found) // 5}", "text": " ".join(said)})
    return found[:count]


def questions_of(folder: Path) -> list[Entry]:
    """Return the questions about the project in *folder*, and its prompts."""
    prompts = folder / "prompts.jsonl"
    return [*read_lines(folder / "questions.jsonl"), *(read_lines(prompts) if prompts.exists() else [])]


@contextmanager
def saved_entries(path: Path, project: str, entries: Sequence[Entry], models: Models | None) -> Iterator[SavedProject]:
    """Yield a database at *path* with *entries*, which are saved in *project* at their times."""
    store = open_store(path, "auto")
    chance = random.Random(1)
    names: dict[str, str] = {}
    store.connection.execute("BEGIN")
    for entry in entries:
        caller = caller_of(project, SessionRef(f"{project}-{entry['session']}", "benchmark"))
        context = RequestContext(store, caller, milliseconds(entry["at"]), lambda: chance.getrandbits(25))
        saved = save_memory(context, SaveMemory(text=entry["text"], kind=KINDS.get(entry["kind"], entry["kind"])))
        names[saved.id] = entry["id"]
    store.connection.execute("COMMIT")
    meaning_of: MeaningOf = embed_all(store, models) if models else without_meaning
    try:
        yield SavedProject(store, names, meaning_of, of_prompts(store, models, meaning_of))
    finally:
        store.connection.close()
        for beside in path.parent.glob(f"{path.name}-*"):
            beside.unlink()


def score_one(folder: Path, saved: SavedProject, question: Entry, totals: Totals) -> None:
    """Add to *totals* what the answer to *question*, or what is given with it as a prompt, is worth."""
    at_ms, text = milliseconds(question["at"]), question["text"]
    if "wanted" in question:
        caller = caller_of(folder.name, SessionRef(f"prompt-{question['id']}", "benchmark"))
        rows = known_for_prompt(caller, text, saved.meaning_of_prompt(text), at_ms, saved.store)
        given = [name for row in rows for shown, name in saved.names.items() if row.id.startswith(shown)]
        score_prompts(Told(question, given), totals)
        return
    context = RequestContext(saved.store, caller_of(folder.name), at_ms, lambda: 0, saved.meaning_of(text))
    answer = recall(context, Recall(query=text, limit=ROWS))
    named = [saved.names[shown] for shown in shown_ids(answer) if shown in saved.names]
    score_answer(question, named, answer, totals, [], folder.name)


class CachingModel:
    """A model that embeds each text once."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._known: dict[str, bytes] = {}

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each of *texts*."""
        for text in texts:
            if text not in self._known:
                self._known[text] = self._model.embed([text])[0]
        return [self._known[text] for text in texts]


def caching(models: Models) -> Models:
    """Return *models* that embed each text once."""
    return models._replace(english=CachingModel(models.english), others=CachingModel(models.others))


if __name__ == "__main__":
    main()
