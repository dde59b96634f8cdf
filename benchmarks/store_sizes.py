"""Promise: a store of three memories and one of 100,000 answer alike.

    python benchmarks/store_sizes.py [PROJECT ...] [--sizes 3 30 300 3000 100000] [--semantic] [--every 1]

The questions of benchmarks/truth are asked in stores of each size, of each kind every one, or every second, third … of
a project as `--every` says. In a small store are the memories that answer the question, those that they replaced, and
the ones with most words in common with these; for a question about nothing, and for a prompt that needs nothing, the
ones with most words in common with it. A large one has the whole project and texts of the other projects: each once,
then made of the sentences of one of them by chance, which is what another project's memories would be. It is filled
once and grows from size to size. Prompts are asked in the same stores. Printed is what `judgement.py` prints, a column
for each size, and the widest distance between two sizes. `--semantic` embeds every text, each once for all runs
(`kept_vectors.py`): more than 3,000 are too many to be waited for.
"""

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
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
from measuring import print_table
from moments import Told, score_prompts
from retrieval import Models, caller_of, embed_all, loaded_models, of_prompts, read_lines, without_meaning

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import draft, store_drafts
from palimp_daemon.features.sessions.prompt_context import known_for_prompt
from palimp_daemon.search.subject_words import roots_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import shown_id
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

SIZES = (3, 30, 300, 3_000, 100_000)

WHOLE_FROM = 100
"""Memories from which a store has the whole project; below it has a question's own."""

EMBEDDED_MAX = 3_000
"""Memories of the largest store that is embedded."""

SAVED_AT_ONCE = 50
"""Foreign memories that are saved as one group, as the daemon does under load."""

SENTENCE = re.compile(r"(?<=[.!?])\s+")

Entry = dict[str, Any]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", help="names of projects; all when omitted")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--semantic", action="store_true", help=f"with vectors, up to {EMBEDDED_MAX:,} memories")
    parser.add_argument("--every", type=int, default=1, help="of the questions of a kind, of prompts; 1: all")
    arguments = parser.parse_intermixed_args()
    models = loaded_models() if arguments.semantic else None
    sizes = sorted(size for size in arguments.sizes if models is None or size <= EMBEDDED_MAX)
    folders = [path.parent for path in sorted(TRUTH.glob("*/questions.jsonl"))]
    by_size: dict[int, Totals] = {size: defaultdict(list) for size in sizes}
    for folder in folders:
        if not arguments.projects or folder.name in arguments.projects:
            questions = some_of(questions_of(folder), arguments.every)
            with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
                ask_in_small(folder, questions, by_size, Path(temporary), models)
                ask_in_large(folder, questions, by_size, Path(temporary), models)
    print_sizes(by_size)


def print_sizes(by_size: dict[int, Totals]) -> None:
    """Print each measure in per cent by the size of the store, and how far two sizes are from each other at most."""
    table: list[tuple[str, ...]] = []
    for measure in sorted({name for totals in by_size.values() for name in totals}):
        shares = [percent(totals[measure]) for totals in by_size.values()]
        numbers = [float(each) for each in shares if each]
        table.append((measure, *shares, f"{max(numbers) - min(numbers):.1f}"))
    print_table("what is true now (%), by memories", ["measure", *map("{:,}".format, by_size), "apart"], table, [])


def ask_in_small(
    folder: Path, questions: Sequence[Entry], by_size: dict[int, Totals], temporary: Path, models: Models | None
) -> None:
    """Ask each of *questions* about the project in *folder* in a store with few memories, its own."""
    memories = read_lines(folder / "memories.jsonl")
    words = {each["id"]: roots_of(each["text"]) for each in memories}
    empty, path = temporary / "empty.db", temporary / "small.db"
    open_store(empty, "auto").connection.close()
    for size in [size for size in by_size if size < WHOLE_FROM]:
        started = time.monotonic()
        for question in questions:
            needed = {*question.get("gold", ()), *question.get("stale", ()), *question.get("wanted", ())}
            about = frozenset[str]().union(*(words[each] for each in needed)) or roots_of(question["text"])
            nearest = sorted(words, key=lambda each: (each not in needed, -len(words[each] & about), each))
            chosen = set(nearest[: max(size, len(needed))])
            shutil.copy(empty, path)
            store = open_store(path, "auto")
            names = saved_entries(store, folder.name, [each for each in memories if each["id"] in chosen])
            score_one(folder, with_meaning(store, names, models), question, by_size[size])
            store.connection.close()
            for file in temporary.glob("small.db*"):
                file.unlink()
        say_done(folder, size, len(questions), started)


def ask_in_large(
    folder: Path, questions: Sequence[Entry], by_size: dict[int, Totals], temporary: Path, models: Models | None
) -> None:
    """Ask *questions* about the project in *folder* in a store that has all of it, and grows by foreign texts."""
    sizes = [size for size in by_size if size >= WHOLE_FROM]
    if not sizes:
        return
    memories = read_lines(folder / "memories.jsonl")
    foreign = (each for project, each in foreign_entries() if project != folder.name)
    store = open_store(temporary / "large.db", "auto")
    names = saved_entries(store, folder.name, memories)
    saved = len(memories)
    for size in sizes:
        started = time.monotonic()
        grown = sorted(islice(foreign, max(0, size - saved)), key=lambda each: each["at"])
        names |= saved_entries(store, folder.name, grown)
        saved += len(grown)
        project = with_meaning(store, names, models)
        for question in questions:
            score_one(folder, project, question, by_size[size])
        say_done(folder, size, len(questions), started)
    store.connection.close()


def say_done(folder: Path, size: int, asked: int, started: float) -> None:
    """Say on standard error how far it is: the whole takes minutes."""
    took_s = time.monotonic() - started
    print(f"{folder.name}: {asked} questions among {size:,} memories, {took_s:.0f} s", file=sys.stderr, flush=True)


def foreign_entries() -> Iterator[tuple[str, Entry]]:
    """Yield memories of all projects with the project's name: each once, then without end of their sentences.

    They are the same in each run, so that each is embedded once; one that is made has sentences of one project alone.
    """
    chance = random.Random(7)
    projects = {path.parent.name: read_lines(path) for path in sorted(TRUTH.glob("*/memories.jsonl"))}
    sentences = {
        name: [sentence for each in memories for sentence in SENTENCE.split(each["text"])]
        for name, memories in projects.items()
    }
    real = [(name, each) for name, memories in projects.items() for each in memories]
    chance.shuffle(real)
    for name, each in real:
        yield name, {**each, "id": "", "session": f"foreign-{name}-{each['session']}"}
    for number in count():
        name, like = chance.choice(real)
        said = chance.sample(sentences[name], max(1, len(SENTENCE.split(like["text"]))))
        yield name, {**like, "id": "", "session": f"foreign-{number // 5}", "text": " ".join(said)}


def questions_of(folder: Path) -> list[Entry]:
    """Return the questions about the project in *folder*, and its prompts."""
    prompts = folder / "prompts.jsonl"
    return [*read_lines(folder / "questions.jsonl"), *(read_lines(prompts) if prompts.exists() else [])]


def some_of(questions: Sequence[Entry], every: int) -> list[Entry]:
    """Return of each kind of *questions* the first and each that is *every* places behind one that is returned."""
    places: dict[str, Iterable[int]] = defaultdict(partial(count, 0))
    return [each for each in questions if next(iter(places[kind_of(each)])) % every == 0]


def kind_of(question: Entry) -> str:
    """Return the kind of *question*; of a prompt whether it needs a memory."""
    return f"prompt {bool(question['wanted'])}" if "wanted" in question else question["kind"]


def saved_entries(store: Store, project: str, entries: Sequence[Entry]) -> dict[str, str]:
    """Save *entries* in *project* at their times; return the set's name of each shown id."""
    chance, redact = random.Random(store.value("SELECT count(*) FROM memories", ())), Redactor()
    names: dict[str, str] = {}

    def one(entry: Entry) -> Any:
        caller = caller_of(project, SessionRef(f"{project}-{entry['session']}", "benchmark"))
        context = RequestContext(store, caller, milliseconds(entry["at"]), lambda: chance.getrandbits(25))
        kind = KINDS.get(entry["kind"], entry["kind"])
        return context, draft(redact, SaveMemory(text=entry["text"], kind=kind))  # pyright: ignore[reportArgumentType]  the set has kinds alone

    with store.connection:  # one transaction
        for first in range(0, len(entries), SAVED_AT_ONCE):
            # What is found again is saved by itself, as its session did: a group is compared with less.
            group = entries[first : first + SAVED_AT_ONCE]
            groups = [[each] for each in group] if group[0]["id"] else [group]
            for each in groups:
                found = store_drafts([one(entry) for entry in each])
                names |= {saved.id: entry["id"] for saved, entry in zip(found, each, strict=True) if entry["id"]}
    return names


def with_meaning(store: Store, names: dict[str, str], models: Models | None) -> SavedProject:
    """Return the project in *store*, saved under *names*, with what its questions and prompts mean."""
    meaning_of = embed_all(store, models) if models else without_meaning
    return SavedProject(store, names, meaning_of, of_prompts(store, models, meaning_of))


def score_one(folder: Path, saved: SavedProject, question: Entry, totals: Totals) -> None:
    """Add to *totals* what the answer to *question*, or what is given with it as a prompt, is worth."""
    at_ms, text = milliseconds(question["at"]), question["text"]
    if "wanted" in question:
        caller = caller_of(folder.name, SessionRef(f"prompt-{question['id']}", "benchmark"))
        rows = known_for_prompt(caller, text, saved.meaning_of_prompt(text), at_ms, saved.store)
        given = [saved.names.get(shown_id(row), "") for row in rows]
        score_prompts(Told(question, given), totals)
        return
    context = RequestContext(saved.store, caller_of(folder.name), at_ms, lambda: 0, saved.meaning_of(text))
    answer = recall(context, Recall(query=text, limit=ROWS))
    named = [saved.names.get(shown, "") for shown in shown_ids(answer)]
    score_answer(question, named, answer, totals, [], folder.name)


if __name__ == "__main__":
    main()
