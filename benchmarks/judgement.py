"""Promise: what holds now is found, what was replaced is not, and what was never saved brings nothing.

    python benchmarks/judgement.py [PROJECT ...] [--folder FOLDER] [--semantic] [--misses] [--set NAME=NUMBER ...]
        [--leave-author-out]

FOLDER holds one folder per project with memories.jsonl and questions.jsonl; it is benchmarks/truth when omitted. Each
project gets a database of its own in this process; its memories are saved by `save_memory` at their own times and in
their own sessions, and each question is a `recall` at its own time. The kinds of questions and what is right are those
of benchmarks/truth/README.md; rows under `Probably unrelated:` count as not found, those under `Perhaps:` as found.
Printed is the mean, that of the worst author, with --semantic both for a ranking of one line (`one_line.py`), and the
mean of each author. With `--set` a constant of palimp's has another value, in every module that has it:
`--set MEANING_WEIGHT=6 --set ODDS_MIN=-2`; what a weight is worth is what the table loses without it. With
--leave-author-out each author's questions are asked with the weights of `judgement.replacing` fitted on the others.

A question of the kind `never` is right where nothing is returned but at most three rows as `Perhaps:`, `current` where
what holds is found and nothing that it replaced stands before it; the others by the share of what is right among the
first five, and by the first row.
*start* is what a session is told at its start, in a tree without commits, and *prompt* what it is given with each
prompt where it was told nothing before. A second table has the tokens of each start, the longest first.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import one_line
from measuring import print_table, progress
from moments import score_prompts, score_start, told_with_prompts
from retrieval import MeaningOf, Models, caller_of, embed_all, loaded_models, of_prompts, read_lines, without_meaning

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.judgement import replacing
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled, SaveMemory

KINDS = {"fact": "finding", "todo": "note"}
"""Kinds of the set that palimp names differently."""

ROWS = 10
"""Rows asked for, as the set's own scorer does."""

PERHAPS_MAX = 3
"""Rows as `Perhaps:` that are right where nothing answers."""

WHOLE_GOLD = ("two", "when", "history")
"""Kinds of questions of which all that is right has to be among the first five."""

TRUTH = Path(__file__).parent / "truth"

AUTHORS: dict[str, str] = json.loads((TRUTH / "authors.json").read_text())
"""Of the projects in benchmarks/truth; another project is an author of its own."""

Totals = dict[str, list[float]]

ByAuthor = dict[str, Totals]


def main() -> None:
    """Print one table, and with --misses the questions that were answered wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", help="names of projects; all when omitted")
    parser.add_argument("--folder", type=Path, default=TRUTH, help="of the projects; benchmarks/truth when omitted")
    parser.add_argument("--semantic", action="store_true", help="with the vectors of palimp[semantic]")
    parser.add_argument("--misses", action="store_true", help="also what was answered wrongly")
    parser.add_argument("--set", dest="constants", action="append", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--leave-author-out", action="store_true", help="weights fitted without the author asked about")
    arguments = parser.parse_intermixed_args()
    for constant in arguments.constants:
        set_constant(*constant.split("=", 1))
    folders = [path.parent for path in sorted(arguments.folder.glob("*/questions.jsonl"))]
    palimp: ByAuthor = defaultdict(lambda: defaultdict(list))
    line: ByAuthor = defaultdict(lambda: defaultdict(list))
    misses: list[str] = []
    tokens: dict[str, int] = {}
    models = loaded_models() if arguments.semantic else None
    weights_without = fitted_without(arguments.folder) if arguments.leave_author_out else {}
    for folder in folders:
        if arguments.projects and folder.name not in arguments.projects:
            continue
        author = AUTHORS.get(folder.name, folder.name)
        if author in weights_without:
            replacing.SEMANTIC_WEIGHTS, replacing.LEXICAL_WEIGHTS = weights_without[author]
        with saved_project(folder, models) as saved:
            for question, answered, answer in progress(list(ask(folder, saved)), folder.name):
                score_answer(question, answered, answer, palimp[author], misses, folder.name)
            tokens[folder.name] = score_moments(folder, saved, palimp[author], misses)
        if models:
            for question, answered in one_line.answers(folder, models):
                score(question, answered, line[author], [], folder.name)
    print_authors(palimp, line)
    print_tokens(tokens)
    print(*misses if arguments.misses else (), sep="\n")


def fitted_without(folder: Path) -> dict[str, tuple[replacing.Weights, replacing.Weights]]:
    """Return the weights with meaning and by words that are fitted without each author of the projects in *folder*."""
    from replacement import fitted, lexical, pairs_by_author, without_author  # noqa: PLC0415  it imports this module

    pairs = pairs_by_author(folder)
    return {
        author: (
            replacing.Weights(*fitted(without_author(pairs, author)).tolist()),
            replacing.Weights(*fitted(without_author(lexical(pairs), author)).tolist()),
        )
        for author in pairs
    }


def print_authors(palimp: ByAuthor, line: ByAuthor) -> None:
    """Print each measure in per cent: over all, of the worst author, of the line's, and of each author."""
    columns = ["measure", "questions", "all", "worst", *(["line", "its worst"] if line else []), *sorted(palimp)]
    table: list[tuple[str, ...]] = []
    for measure in sorted({name for totals in palimp.values() for name in totals}):
        shares = {author: totals[measure] for author, totals in palimp.items() if totals[measure]}
        beside = [totals[measure] for totals in line.values() if totals[measure]]
        cells = [f"{sum(map(len, shares.values()))}", *mean_and_worst(list(shares.values()))]
        cells += (mean_and_worst(beside) if beside else ["", ""]) if line else []
        table.append((measure, *cells, *(f"{percent(shares.get(author, []))}" for author in sorted(palimp))))
    print_table("what is true now (%), by author", columns, table, [])


def print_tokens(tokens: dict[str, int]) -> None:
    """Print the *tokens* that each project's start has, the longest first."""
    if tokens:
        longest = sorted(tokens.items(), key=lambda each: -each[1])
        summary = f"max {longest[0][1]:,}, median {median(tokens.values()):,.0f} (aims: 2,000 and 1,500)"
        print_table("tokens of a start", ["project", "tokens"], [(n, f"{t:,}") for n, t in longest], [summary])


def mean_and_worst(shares: list[list[float]]) -> list[str]:
    """Return the mean over all questions, and that of the author for whom it is lowest."""
    return [percent([each for share in shares for each in share]), min((percent(each) for each in shares), key=float)]


def percent(values: list[float]) -> str:
    """Return the mean of *values*, each from 0 to 1, in per cent."""
    return f"{100 * sum(values) / len(values):.1f}" if values else ""


def set_constant(name: str, number: str) -> None:
    """Give the constant *name* of palimp's the value *number* in every module that has it.

    Raises:
        SystemExit: no module that is loaded has it.
    """
    having = [
        module for path, module in sys.modules.items() if path.startswith("palimp_daemon.") and hasattr(module, name)
    ]
    if not having:
        raise SystemExit(f"palimp has no constant {name}.")
    for module in having:
        setattr(module, name, float(number) if "." in number else int(number))


class SavedProject(NamedTuple):
    """A project of the set in a database of its own."""

    store: Store
    names: dict[str, str]
    """The set's name of each shown id."""
    meaning_of: MeaningOf
    meaning_of_prompt: MeaningOf


@contextmanager
def saved_project(folder: Path, models: Models | None) -> Iterator[SavedProject]:
    """Yield the project in *folder* as it is saved, embedded by *models*; without them nothing has a meaning."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        names = save_project(store, folder)
        meaning_of = embed_all(store, models) if models else without_meaning
        yield SavedProject(store, names, meaning_of, of_prompts(store, models, meaning_of))
        store.connection.close()


def ask_all(folder: Path, models: Models | None) -> Iterator[tuple[dict[str, Any], list[str], Recalled]]:
    """Yield each question about the project in *folder*, the memories that its answer names, and the answer."""
    with saved_project(folder, models) as saved:
        yield from ask(folder, saved)


def ask(folder: Path, saved: SavedProject) -> Iterator[tuple[dict[str, Any], list[str], Recalled]]:
    """Do what `ask_all` does with a project that is *saved* already."""
    store, names, meaning_of, _ = saved
    for question in read_lines(folder / "questions.jsonl"):
        text, at_ms = question["text"], milliseconds(question["at"])
        context = RequestContext(store, caller_of(folder.name), at_ms, lambda: 0, meaning_of(text))
        answer = recall(context, Recall(query=text, limit=ROWS))
        yield question, [names[shown] for shown in shown_ids(answer) if shown in names], answer


def score_moments(folder: Path, saved: SavedProject, totals: Totals, misses: list[str]) -> int:
    """Add what a session of the project in *folder* is told at its start and with its prompts.

    Returns:
        The tokens of its start.
    """
    store, names, _, meaning_of = saved
    now_ms = milliseconds(
        next(each["at"] for each in read_lines(folder / "questions.jsonl") if each["kind"] == "current")
    )
    tokens = score_start(store, folder, names, now_ms, totals)
    if not (folder / "prompts.jsonl").exists():
        return tokens
    for told in told_with_prompts(store, folder, names, meaning_of, milliseconds):
        if not score_prompts(told, totals):
            prompt = told.prompt
            misses.append(
                f"{folder.name} {prompt['id']} prompt {prompt['wanted']} given {told.given}: {prompt['text']}"
            )
    return tokens


def save_project(store: Store, folder: Path) -> dict[str, str]:
    """Save the memories of the project in *folder*; return the set's name of each shown id."""
    chance = random.Random(1)
    names: dict[str, str] = {}
    with store.connection:  # one transaction
        for memory in read_lines(folder / "memories.jsonl"):
            session = SessionRef(f"{folder.name}-{memory['session']}", "benchmark")
            caller = caller_of(folder.name, session)
            context = RequestContext(store, caller, milliseconds(memory["at"]), lambda: chance.getrandbits(25))
            kind = KINDS.get(memory["kind"], memory["kind"])
            saved = save_memory(context, SaveMemory(text=memory["text"], kind=kind))
            names[saved.id] = memory["id"]
    assert rows(store.connection, "SELECT 1 FROM memories LIMIT 1")
    return names


def shown_ids(answer: Recalled) -> Iterator[str]:
    """Yield the ids that *answer* names, in the order of its text, without those that are probably unrelated."""
    for memory in (*answer.memories, *(answer.unrelated if answer.is_near else ())):
        yield from _named(memory)


def _named(memory: Memory) -> Iterator[str]:
    yield memory.id
    yield from (tied.id for tied in memory.links if tied.relation == "replaces")


def score_answer(
    question: dict[str, Any], named: list[str], answer: Recalled, totals: Totals, misses: list[str], project: str
) -> None:
    """Add what *answer*, which names the memories *named*, is worth; and whether it is in doubt, or silent."""
    if question["kind"] == "never":
        is_doubtful = not answer.memories and len(answer.unrelated) <= PERHAPS_MAX
        named = [] if is_doubtful else named
    else:
        totals["an answer: under `Perhaps:`"].append(not answer.memories and answer.is_near)
        totals["an answer: silenced"].append(not answer.memories and not answer.is_near)
    score(question, named, totals, misses, project)


def score(question: dict[str, Any], found: list[str], totals: Totals, misses: list[str], project: str) -> None:
    """Add what *found* is worth as the answer to *question*."""
    kind, gold, stale = question["kind"], question.get("gold", []), question.get("stale", [])
    if kind == "never":
        is_right = not found
        totals["never: nothing, or three rows as `Perhaps:`"].append(is_right)
    else:
        first_five = set(gold) & set(found[:5])
        five = len(first_five) / len(gold) if kind in WHOLE_GOLD else float(bool(first_five))
        totals[f"{kind}: first"].append(bool(found) and found[0] in gold)
        totals[f"{kind}: in five"].append(five)
        is_right = five == 1
        if kind == "current":
            place = min((found.index(each) for each in gold if each in found), default=len(found))
            is_right = place < len(found) and all(found.index(each) > place for each in stale if each in found)
            totals["current: right, none replaced before it"].append(is_right)
    if not is_right:
        misses.append(f"{project} {question['id']} {kind} {gold} not {stale}, found {found[:6]}: {question['text']}")


def milliseconds(text: str) -> int:
    """Return the ISO time *text* in Unix milliseconds."""
    return int(datetime.fromisoformat(text).timestamp() * 1000)


if __name__ == "__main__":
    main()
