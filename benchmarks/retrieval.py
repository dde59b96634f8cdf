"""Promise: what was saved is found. Quality on the retrieval sets, through the product's own operations.

    python benchmarks/retrieval.py DATA_FOLDER [SET ...] [--engine fts4] [--semantic]

DATA_FOLDER holds one folder per set with corpus.jsonl, queries.jsonl and gold.jsonl. Each set gets a database
of its own; a space is a project, a chat session a session, and every entry is saved by `save_memory` at its own
date. Each query is a `recall` with the largest limit; turns of chats, which are no memories, are
ranked as turns. *(all)* counts the rows under `Probably unrelated:` as well: how well is ranked, silence
aside (`search.silence`). Beside it, computed on the same database: *AND*, all words
of the query joined as SQLite joins them, and *BASE*, the words without stop words joined with OR, ranked by
plain BM25 over the texts alone.

Turn level: against the entries in `gold`. Session level: the sessions of the rows in their order, against
`gold_sessions`. LoCoMo's category 5 has evidence for sessions only. *isolated* saves without sessions.
"""

import argparse
import json
import math
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import apsw
from kept_vectors import KeptVectors
from measuring import print_table, progress

from palimp_daemon.embedding.kinds import kinds_of
from palimp_daemon.embedding.models import MINILM, MULTILINGUAL, Plan, installed_models, is_english
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import value
from palimp_daemon.search.engine import rebuild_index
from palimp_daemon.search.terms import STOP_WORDS
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, scope_rows
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.memory_rows import in_scope
from palimp_daemon.store.tables.search.memory_query import SearchRequest, SemanticQuery
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.sessions.conversation_rows import TURN
from palimp_daemon.store.tables.vector_rows import QueryVector, QueryVectors, Wanted
from palimp_protocol.limits import RECALL_ROWS_MAX, TEXT_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

MEASURES = ("R@5", "R@10", "Hit@5", "MRR", "nDCG@10")
DATE_FORMS = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")
UNDATED_MS = 1_735_732_800_000
"""2025-01-01T12:00:00Z, for entries without a date."""
NOW_MS = 1_790_000_000_000
"""When the questions are asked: in 2026, long after every entry."""

CHATS = ("locomo", "devbench")
"""Beginnings of the names of sets that are turns of chats, and ranked as such (`search.ranking`)."""

EMBEDDED_AT_ONCE = 64
"""Texts that are read and embedded together."""

Search = Callable[[str, str], list[str]]
"""From a space and a query to ids of entries, best first."""

MeaningOf = Callable[[str], QueryVectors]
"""From a query to what it means."""


def main() -> None:
    """Print one table per level."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", help="names of sets; all when omitted")
    parser.add_argument("--engine", default="auto", choices=("auto", "fts5", "fts4"))
    parser.add_argument("--semantic", action="store_true", help="also with the vectors of palimp[semantic]; takes long")
    arguments = parser.parse_intermixed_args()
    names = arguments.sets or sorted(path.parent.name for path in arguments.folder.glob("*/queries.jsonl"))
    turns: list[tuple[str, ...]] = []
    sessions: list[tuple[str, ...]] = []
    for name in names:
        for variant in ("in sequence", "isolated"):
            entries = read_lines(arguments.folder / name / "corpus.jsonl")
            if variant == "isolated" and "session" not in entries[0]:
                continue
            label = f"{name} {variant}" if "session" in entries[0] else name
            run = Run(arguments.folder / name, arguments.engine, variant == "isolated", arguments.semantic)
            results = _evaluate(run, entries)
            for method, (turn, session) in results.items():
                turns += [_row(label, method, turn)] if turn else []
                sessions += [_row(label, method, session)] if session else []
    columns = ["set", "ranking", "queries", *MEASURES]
    print_table("turn level: entries found (%)", columns, turns, [])
    if sessions:
        print_table("session level: sessions found (%)", columns, sessions, [])


def _row(label: str, method: str, scores: dict[str, list[float]]) -> tuple[str, ...]:
    count = len(scores["MRR"])
    return (label, method, f"{count}", *(f"{100 * mean(scores[measure]):.1f}" for measure in MEASURES))


class Run(NamedTuple):
    """One set in one way."""

    folder: Path
    engine: str
    is_isolated: bool
    is_semantic: bool


def _evaluate(
    run: Run, entries: list[dict[str, Any]]
) -> dict[str, tuple[dict[str, list[float]], dict[str, list[float]]]]:
    """Return the scores of each ranking on one set, by turn and by session."""
    folder = run.folder
    gold = {entry["id"]: entry for entry in read_lines(folder / "gold.jsonl")}
    queries = [query for query in read_lines(folder / "queries.jsonl") if query["id"] in gold]
    session_of = {(entry["space"], entry["id"]): entry.get("session") for entry in entries}
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", run.engine)
        names = save_all(store, entries, is_isolated=run.is_isolated, are_turns=folder.name.startswith(CHATS))
        meaning_of = _embedded(store, queries) if run.is_semantic else without_meaning
        ways = {"palimp + meaning": meaning_of} if run.is_semantic else {}
        ways["palimp"] = without_meaning
        searches: dict[str, Search] = {}
        for name, meaning in ways.items():
            if folder.name.startswith(CHATS):
                searches[name] = _turns(store, names, meaning)
            else:
                searches[name] = _product(store, names, meaning)
                searches[f"{name} (all)"] = _product(store, names, meaning, tells_all=True)
        searches |= _baselines(entries)
        results: dict[str, tuple[dict[str, list[float]], dict[str, list[float]]]] = {}
        for method, search in searches.items():
            turn: dict[str, list[float]] = defaultdict(list)
            session: dict[str, list[float]] = defaultdict(list)
            for query in progress(queries, f"{folder.name} {method}"):
                found = search(query["space"], query["text"])
                expected = gold[query["id"]]
                if expected.get("gold") and not (folder.name.startswith("locomo") and query.get("cat") == 5):
                    _score(turn, found, expected["gold"])
                if expected.get("gold_sessions"):
                    in_order = [session_of[query["space"], entry] for entry in found]
                    _score(session, list(dict.fromkeys(in_order)), expected["gold_sessions"])
            results[method] = (turn, session)
        store.connection.close()
    return results


def _embedded(store: Store, queries: Sequence[dict[str, Any]]) -> MeaningOf:
    """Give every memory the vectors that *queries* are compared with; return what tells the meaning of one."""
    # A query in English is compared with no second vectors, which take longer to make than all others.
    return embed_all(store, loaded_models(), has_second=not all(is_english(query["text"]) for query in queries))


def save_all(
    store: Store, entries: list[dict[str, Any]], *, is_isolated: bool, are_turns: bool = False
) -> dict[int, list[str]]:
    """Save every entry; return of each memory, by its number, the ids of the entries that it stands for.

    Those that *are_turns* of conversations are ranked by what was said before them, too.

    They are several where a space says the same in the same words again.
    """
    names: dict[int, list[str]] = defaultdict(list)
    chance = random.Random(1)
    in_order = sorted(entries, key=lambda entry: (entry["space"], entry["seq"]))
    store.connection.execute("BEGIN")
    for entry in progress(in_order, "saving"):
        session = None if is_isolated or "session" not in entry else SessionRef(entry["session"], "benchmark")
        context = RequestContext(
            store, caller_of(entry["space"], session), _milliseconds(entry), lambda: chance.getrandbits(25)
        )
        title = entry.get("title") or None
        saved = save_memory(context, SaveMemory(text=entry["text"][:TEXT_CHARACTERS_MAX], title=title))
        names[number_of(store, saved.id)].append(entry["id"])
    store.connection.execute("COMMIT")
    if are_turns:
        store.connection.execute("UPDATE memories SET kind = ?", (TURN,))
        rebuild_index(store.connection, store.engine)
    return names


def number_of(store: Store, shown: str) -> int:
    """Return the number of the memory whose id is *shown*."""
    return value(store.connection, "SELECT seq FROM memories WHERE id >= ? ORDER BY id LIMIT 1", (shown,))


class Models(NamedTuple):
    """The models of `search.embedding_model = auto`, as the embedder processes load them."""

    plan: Plan
    english: Any
    others: Any


def loaded_models() -> Models:
    """Return the models for English and for everything else; vectors that were made before are kept."""
    minilm, multilingual = (installed_models()[name] for name in (MINILM, MULTILINGUAL))
    return Models(Plan(minilm, multilingual), KeptVectors(minilm), KeptVectors(multilingual))


def embed_all(store: Store, models: Models, *, has_second: bool = True) -> MeaningOf:
    """Give every memory its vectors, as the daemon does by default; return what tells the meaning of a query.

    Texts in English have a second vector each, by the model for other languages, if this *has_second*.
    """
    kinds = kinds_of(models.plan, has_others=True)
    numbers = vector_rows.ensure_kinds(store, kinds)
    english, others, beside = (numbers[kind.name] for kind in kinds)
    wanted = Wanted((english, others), (english,), beside)
    upper: int | None = None
    with store.connection:  # one transaction: a commit for each of thousands of vectors takes longer than making them
        while (found := vector_rows.next_unembedded(store, upper, EMBEDDED_AT_ONCE, wanted)) is not None:
            upper, batch = found
            for seq, text in ((each.seq, each.text) for each in progress(batch, "embedding")):
                if not is_english(text):
                    vector_rows.insert(store, [(seq, models.others.embed([text])[0])], others)
                    continue
                vector_rows.insert(store, [(seq, models.english.embed([text])[0])], english)
                if has_second:
                    vector_rows.insert_other(store, [(seq, models.others.embed([text])[0])], beside)
    factor = kinds[1].factor

    def meaning_of(query: str) -> QueryVectors:
        by_others = models.others.embed([query])[0]
        if not is_english(query):
            return (QueryVector(by_others, (others,), factor, (beside,)),)
        return QueryVector(models.english.embed([query])[0], (english,)), QueryVector(by_others, (others,), factor)

    return meaning_of


def of_prompts(store: Store, models: Models | None, meaning_of: MeaningOf) -> MeaningOf:
    """Return what tells the meaning of a prompt: it is compared with second vectors, too (`query_vectors_of`)."""
    if models is None:
        return meaning_of
    _, others, beside = (vector_rows.kinds(store)[kind.name] for kind in kinds_of(models.plan, has_others=True))

    def meaning_of_prompt(prompt: str) -> QueryVectors:
        return tuple(each._replace(beside=(beside,)) if others in each.kinds else each for each in meaning_of(prompt))

    return meaning_of_prompt


def without_meaning(_: str) -> QueryVectors:
    """Return what a query means where nothing is embedded."""
    return ()


def _turns(store: Store, names: dict[int, list[str]], meaning_of: MeaningOf = without_meaning) -> Search:
    """Return the ranking of turns of conversations, which are no memories."""

    def search(space: str, query: str) -> list[str]:
        context = RequestContext(store, caller_of(space), NOW_MS, lambda: 0, meaning_of(query))
        projects = scope_rows(store, context.caller, "project")
        meaning = SemanticQuery(context.query_vectors, projects) if context.query_vectors else None
        asked = SearchRequest(query, in_scope(projects), RECALL_ROWS_MAX, meaning, as_turns=True)
        return [name for rank in matching(store, asked, NOW_MS).ranked for name in names[rank.seq]]

    return search


def _product(
    store: Store, names: dict[int, list[str]], meaning_of: MeaningOf = without_meaning, *, tells_all: bool = False
) -> Search:
    """Return the ranking of the product; where it *tells_all*, with what it tells as probably unrelated."""

    def search(space: str, query: str) -> list[str]:
        context = RequestContext(store, caller_of(space), NOW_MS, lambda: 0, meaning_of(query))
        answer = recall(context, Recall(query=query, limit=RECALL_ROWS_MAX))
        told = [*answer.memories, *(answer.unrelated if tells_all else ())]
        return [name for memory in told for name in names[number_of(store, memory.id)]]

    return search


def _baselines(entries: list[dict[str, Any]]) -> dict[str, Search]:
    """Return the two rankings that palimp is compared with, one table per space."""
    tables: dict[str, tuple[apsw.Connection, list[str]]] = {}
    for space in {entry["space"] for entry in entries}:
        own = [entry for entry in entries if entry["space"] == space]
        db = apsw.Connection(":memory:")
        db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
        db.executemany("INSERT INTO texts (text) VALUES (?)", [(entry["text"],) for entry in own])
        tables[space] = (db, [entry["id"] for entry in own])

    def ask(space: str, words: Sequence[str], operator: str) -> list[str]:
        db, ids = tables[space]
        expression = operator.join(f'"{word}"' for word in words)
        statement = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 50"
        return [ids[rowid - 1] for (rowid,) in db.execute(statement, (expression,))] if words else []

    def all_words(space: str, query: str) -> list[str]:
        return ask(space, re.findall(r"\w+", query.lower()), " ")

    def base(space: str, query: str) -> list[str]:
        words = list(dict.fromkeys(re.findall(r"\w+", query.lower())))
        return ask(space, [word for word in words if word not in STOP_WORDS] or words, " OR ")

    return {"BASE": base, "AND": all_words}


def _score(scores: dict[str, list[float]], found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Add the measures of one query to *scores*."""
    wanted = set(expected)
    for count in (5, 10):
        scores[f"R@{count}"].append(len(wanted & set(found[:count])) / len(wanted))
    scores["Hit@5"].append(float(bool(wanted & set(found[:5]))))
    scores["MRR"].append(next((1 / place for place, each in enumerate(found, 1) if each in wanted), 0.0))
    gain = sum(1 / math.log2(place + 1) for place, each in enumerate(found[:10], 1) if each in wanted)
    scores["nDCG@10"].append(gain / sum(1 / math.log2(place + 1) for place in range(1, min(10, len(wanted)) + 1)))


def caller_of(space: str, session: SessionRef | None = None) -> Caller:
    """Return who asks in *space*."""
    return Caller(ProjectRef(f"/bench/{space}", space), session)


def _milliseconds(entry: dict[str, Any]) -> int:
    if not entry.get("date"):
        return UNDATED_MS
    for form in DATE_FORMS:
        try:
            return int(datetime.strptime(entry["date"], form).replace(tzinfo=UTC).timestamp() * 1000)
        except ValueError:
            continue
    raise ValueError(f"date of {entry['id']}: {entry['date']!r}")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return what each line of *path* holds."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    main()
