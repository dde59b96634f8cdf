"""Promise: recall stays fast as memories grow, whatever the words. Beside the bare query in the same run.

    python benchmarks/scale.py [--largest 1000000] [--engine fts4] [--semantic]

Stores 1,000, 10,000, 100,000 (and 1,000,000) synthetic memories through the product's own handler, ten to a
session, then asks over the socket: common words, words from the middle, rare words, identifiers and whole questions.
*Bare* is the same ranking as one SQL statement on the same database, as one would write it: every word that is not a
stop word, joined with OR, ranked by bm25() with palimp's weights, the project's memories only; no process between, no
plan, no second look, no snippets. *All of these* are the 500 queries as one sample. *About, recall* is `about` for the
identifiers, by turns with their recall; its p95 is at most the recall's. Aims at 100,000: p50 at most 1.5 times, p95 at
most 2 times the bare query. With `--semantic` the daemon ranks semantically, too (3 and 4 times); the vectors are
random, since what they cost does not depend on what they say.
"""

import argparse
import os
import random
import tempfile
import time
from itertools import chain
from pathlib import Path

from measuring import percentile, print_table, progress, running_daemon
from synthetic import CALLER, Session, Words

from palimp_daemon.embedding.kinds import kinds_of
from palimp_daemon.embedding.models import MINILM, MULTILINGUAL, Plan, installed_models
from palimp_daemon.features.memories.save import Draft, draft, store_drafts
from palimp_daemon.search.terms import match_expression, parse_query
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.paths import socket_path
from palimp_protocol.limits import GROUP_WRITES_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

DIMENSIONS = 384
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUERIES = 100
MEMORIES_PER_SESSION = 10
AIMS = (1.5, 2)
AIMS_WITH_MEANING = (3, 4)
BATCH = 5_000
OWN = {
    "fts5": "(? >= 0) * -bm25(memories_fts, 2, 1, 1, 1, 0)",
    "fts4": "palimp_own_hits(matchinfo(memories_fts, 'x'), ?)",
}
"""Above 0 for a memory that holds a word itself: what its session said before ranks it, but does not find it."""


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=100_000, help="number of memories to go up to")
    parser.add_argument("--engine", default="auto", choices=("auto", "fts5", "fts4"))
    parser.add_argument("--semantic", action="store_true", help="by words and meaning (needs palimp[semantic])")
    arguments = parser.parse_args()
    engine: str = arguments.engine
    is_semantic: bool = arguments.semantic
    os.environ |= {"PALIMP_SEARCH_ENGINE": engine, "PALIMP_SEARCH_SEMANTIC": "on" if is_semantic else "off"}
    aims = AIMS_WITH_MEANING if is_semantic else AIMS
    print_table(
        f"recall over the socket ({engine}{', by words and meaning' if is_semantic else ''})",
        ["memories", "query", "p50", "p95", "bare p50", "bare p95", "p50 ratio", "p95 ratio"],
        [
            row
            for size in SIZES
            if size <= arguments.largest
            for row in _measured(size, engine, is_semantic=is_semantic)
        ],
        [f"aims at 100,000: p50 at most {aims[0]} times, p95 at most {aims[1]} times the bare query"],
    )


def _measured(size: int, engine: str, *, is_semantic: bool) -> list[tuple[str, ...]]:
    words = Words(1)
    makers = {
        "common words": words.common_words,
        "middle words": words.query,
        "rare words": words.rare_words,
        "identifier": words.one_identifier,
        "question": words.question,
    }
    queries = {name: [make() for _ in range(QUERIES)] for name, make in makers.items()}
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, size, words, engine)
        if is_semantic:
            give_vectors(database, size)
        bare = {name: _bare(database, asked, engine) for name, asked in queries.items()}
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            session.call("recall", query="warm up")
            asked = {name: [_timed(session, query=query) for query in each] for name, each in queries.items()}
            named = queries["identifier"]
            pairs = [(_timed(session, "about", name=name), _timed(session, query=name)) for name in named]
    together = _row(size, "all of these", [*chain(*asked.values())], [*chain(*bare.values())])
    beside = _row(size, "about, recall", *map(list, zip(*pairs, strict=True)))
    return [*(_row(size, name, asked[name], bare[name]) for name in queries), together, beside]


def _row(size: int, name: str, asked: list[float], bare: list[float]) -> tuple[str, ...]:
    p50, p95, bare_p50, bare_p95 = (percentile(times, part) * 1000 for times in (asked, bare) for part in (0.5, 0.95))
    figures = [f"{value:.2f} ms" for value in (p50, p95, bare_p50, bare_p95)]
    return (f"{size:,}", name, *figures, f"{p50 / bare_p50:.2f}", f"{p95 / bare_p95:.2f}")


def _timed(session: Session, operation: str = "recall", **asked: str) -> float:
    started = time.perf_counter()
    session.call(operation, **asked)
    return time.perf_counter() - started


def fill(path: Path, size: int, words: Words, engine: str = "auto", project: ProjectRef | None = None) -> None:
    """Store *size* memories of *project* through the product's own handler, in groups as the daemon does under load."""
    store, chance, redact = open_store(path, engine), random.Random(2), Redactor()

    def one(number: int) -> tuple[RequestContext, Draft]:
        caller = Caller(project or CALLER.project, SessionRef(f"s{number // MEMORIES_PER_SESSION}", "benchmark"))
        context = RequestContext(store, caller, 1_763_726_400_000 + number * 60_000, lambda: chance.getrandbits(25))
        return context, draft(redact, SaveMemory(text=words.text()))

    for first in progress(range(0, size, BATCH), f"{size:,} memories"):
        store.connection.execute("BEGIN")
        last = min(first + BATCH, size)
        for group in range(first, last, GROUP_WRITES_MAX):
            store_drafts([one(number) for number in range(group, min(group + GROUP_WRITES_MAX, last))])
        store.connection.execute("COMMIT")
    store.connection.close()


def give_vectors(path: Path, size: int) -> None:
    """Give each of *size* memories a vector by chance, as if the model that is installed had made it."""
    there = installed_models()
    kinds = kinds_of(Plan(there[MINILM], there[MULTILINGUAL]), has_others=False)
    store, chance = open_store(path, os.environ["PALIMP_SEARCH_ENGINE"]), random.Random(3)
    vector_rows.ensure_kinds(store, kinds)
    for first in progress(range(1, size + 1, BATCH), "vectors"):
        store.connection.execute("BEGIN")
        vector_rows.insert(store, [(seq, chance.randbytes(DIMENSIONS)) for seq in range(first, first + BATCH)])
        store.connection.execute("COMMIT")
    store.connection.close()


def _bare(path: Path, queries: list[str], engine: str) -> list[float]:
    """Return the seconds of the ranking as one statement."""
    store = open_store(path, engine)
    statement = (
        f"SELECT seq FROM (SELECT m.seq AS seq, {store.engine.score} AS score FROM memories_fts"
        f" JOIN memories m INDEXED BY memories_scope ON m.seq = memories_fts.{store.engine.key}"
        f" WHERE memories_fts MATCH ? AND m.project_id = 1 AND m.deleted_at IS NULL AND {OWN[store.engine.name]} > 0"
        " LIMIT -1) ORDER BY score DESC, seq DESC LIMIT 10"
    )
    times: list[float] = []
    for query in queries:
        expression = match_expression([store.engine.fold(term) for term in parse_query(query).terms])
        started = time.perf_counter()
        store.connection.execute(statement, (expression, 0)).fetchall()
        times.append(time.perf_counter() - started)
    store.connection.close()
    return times


if __name__ == "__main__":
    main()
