"""Promise: among a million memories recall and save take at most 1.3 times as long as in an earlier version.

    python benchmarks/two_versions.py EARLIER [--memories 1000000] [--semantic] [--databases FOLDER]

EARLIER is a checkout of the earlier version with a `.venv` of its own. Each version fills a database by its own
groups of saves, both at once, and has a daemon of its own. Then they are asked the same, request by
request in turn, so that whatever else the machine does meets both; which of the two is first alternates. With
`--semantic` everything is asked a second time with semantic ranking; the vectors are random. The databases are kept in
FOLDER, if one is named, and the next run there uses them again.
"""

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measuring import daemon_in, percentile, print_table, progress
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path

THIS = Path(__file__).parents[1]
REQUESTS = 100
SAVES = 300
WARM = 10
"""Requests of each kind that come before those that are counted."""

AIM = 1.3
COLUMNS = ("earlier p50", "p95", "this p50", "p95", "p50 ratio", "p95 ratio")
LONG = 5
"""Letters that a word has at least in which a slip is made."""

FILL = """
import random, sys
from functools import partial
from inspect import signature
from pathlib import Path
from palimp_daemon.features.memories.save import draft, store_drafts
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory
from scale import give_vectors
from synthetic import CALLER, Words

path, size, batch, words, chance = Path(sys.argv[1]), int(sys.argv[2]), 5_000, Words(1), random.Random(2)
drafted = draft
if len(signature(draft).parameters) > 1:  # earlier ones redact by themselves
    from palimp_daemon.text.redact import Redactor
    drafted = partial(draft, Redactor())

def one(number):
    caller = Caller(CALLER.project, SessionRef(f"s{number // 10}", "benchmark"))
    context = RequestContext(store, caller, 1_763_726_400_000 + number * 60_000, lambda: chance.getrandbits(25))
    return context, drafted(SaveMemory(text=words.text()))

store = open_store(path, "auto")
for first in range(0, size, batch):
    store.connection.execute("BEGIN")
    for some in range(first, min(first + batch, size), 100):
        store_drafts([one(number) for number in range(some, min(some + 100, size))])
    store.connection.execute("COMMIT")
store.connection.close()
if sys.argv[3] == "with vectors":
    give_vectors(path, size)
"""
"""What a version does in its own folder of benchmarks to make a database, by its own groups of saves."""

Request = tuple[str, dict[str, Any]]
"""An operation, and its arguments."""


class Version(NamedTuple):
    """A checkout, and the home of its daemon."""

    folder: Path
    home: Path


def main() -> None:
    """Print a table by words, and with --semantic another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", type=Path, help="a checkout of the earlier version")
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--semantic", action="store_true", help="also by words and meaning (needs palimp[semantic])")
    parser.add_argument("--databases", type=Path, help="where the databases are kept, or are from an earlier run")
    arguments = parser.parse_args()
    os.environ["PALIMP_SEARCH_ENGINE"] = "auto"
    with contextlib.ExitStack() as stack:
        kept: Path | None = arguments.databases
        folder = kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp")))
        made = f"{arguments.memories}-with-vectors" if arguments.semantic else f"{arguments.memories}"
        versions = (
            Version(arguments.earlier.resolve(), folder / made / "earlier"),
            Version(THIS, folder / made / "this"),
        )
        make_databases(versions, arguments.memories, is_semantic=arguments.semantic)
        for semantic in ("off", "on") if arguments.semantic else ("off",):
            how = "by words and meaning" if semantic == "on" else "by words"
            print_table(
                f"{how}, among {arguments.memories:,} memories: the earlier version and this one",
                ["request", *COLUMNS],
                _measured(versions, semantic),
                [f"aim: p50 at most {AIM} times the earlier one"],
            )


def make_databases(versions: Sequence[Version], size: int, *, is_semantic: bool) -> None:
    """Have each of *versions* make a database of *size* memories, where it is not made yet."""
    filling: list[subprocess.Popen[bytes]] = []
    started = time.monotonic()
    for version in versions:
        database = version.home / "state" / "palimp.db"
        if not database.exists():
            database.parent.mkdir(parents=True)
            vectors = "with vectors" if is_semantic else "without vectors"
            command = [version.folder / ".venv" / "bin" / "python", "-c", FILL, database, f"{size}", vectors]
            filling.append(subprocess.Popen(command, cwd=version.folder / "benchmarks"))
    if any([each.wait() for each in filling]):  # noqa: C419  all of them have to end
        raise SystemExit("A database could not be made.")
    if filling:
        print(f"made in {time.monotonic() - started:,.0f} s", file=sys.stderr)


def _measured(versions: Sequence[Version], semantic: str) -> list[tuple[str, ...]]:
    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(_session(version, semantic)) for version in versions]
        kinds = _kinds(Words(1), Words(time.time_ns()))
        return [
            compared(name, *_in_turn(sessions, [make() for _ in range(count + WARM)], name))
            for name, (make, count) in kinds.items()
        ]


@contextlib.contextmanager
def _session(version: Version, semantic: str) -> Iterator[Session]:
    daemon = version.folder / ".venv" / "bin" / "palimpd"
    with daemon_in(version.home, daemon, PALIMP_SEARCH_SEMANTIC=semantic) as env:
        yield Session(Path(socket_path(env, user_id=os.getuid())))


def _kinds(words: Words, never_said: Words) -> dict[str, tuple[Callable[[], Request], int]]:
    """Return what is asked, by name: what makes a request, and how many are counted.

    *words* are asked for; texts of *never_said* are saved, since what is known already is not saved again.
    """
    chance = random.Random(5)

    def recall(query: Callable[[], str]) -> tuple[Callable[[], Request], int]:
        return lambda: ("recall", {"query": query()}), REQUESTS

    def listed(**arguments: Any) -> tuple[Callable[[], Request], int]:
        return lambda: ("recall", arguments), REQUESTS

    return {
        "rare words": recall(words.rare_words),
        "middle words": recall(words.query),
        "common words": recall(words.common_words),
        "identifier": recall(words.one_identifier),
        "question": recall(words.question),
        "a slip in a word": recall(lambda: _with_slip(words.query(), chance)),
        "words of a day": recall(lambda: f"what did we {words.query(2)} on {chance.randrange(22, 30)} November 2025"),
        "words of a month": recall(lambda: f"what did we {words.query(2)} in November 2025"),
        "nothing but a day": recall(lambda: f"what happened on {chance.randrange(22, 30)} November 2025"),
        "words since a day": (lambda: ("recall", {"query": words.query(2), "since": "2025-11-22"}), REQUESTS),
        "the newest": listed(),
        "the newest of a kind": listed(kind="note", limit=50),
        "a page of a list": listed(limit=50, offset=500),
        "since a day": listed(since="2025-11-22", limit=20),
        "save": (lambda: ("save_memory", {"text": never_said.text()}), SAVES),
    }


def _with_slip(query: str, chance: random.Random) -> str:
    """Return *query* with two letters of one of its longer words in each other's place."""
    parts = query.split()
    long = [place for place, word in enumerate(parts) if len(word) >= LONG]
    place = chance.choice(long or range(len(parts)))
    word, at = parts[place], chance.randrange(1, max(2, len(parts[place]) - 2))
    parts[place] = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    return " ".join(parts)


def _in_turn(sessions: Sequence[Session], requests: Sequence[Request], name: str) -> list[list[float]]:
    """Return of each of *sessions* the seconds that each of *requests* took, but for the first WARM."""
    times: list[list[float]] = [[] for _ in sessions]
    for number, (operation, arguments) in enumerate(progress(requests, name)):
        for place in range(len(sessions)) if number % 2 else reversed(range(len(sessions))):
            started = time.perf_counter()
            sessions[place].call(operation, **arguments)
            if number >= WARM:
                times[place].append(time.perf_counter() - started)
    return times


def compared(name: str, earlier: list[float], this: list[float]) -> tuple[str, ...]:
    """Return a row of the table: the times of both, and how many times as long this one takes."""
    figures = [percentile(times, share) * 1000 for times in (earlier, this) for share in (0.5, 0.95)]
    ratios = [figures[2] / figures[0], figures[3] / figures[1]]
    return (name, *(f"{figure:.2f} ms" for figure in figures), *(f"{ratio:.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
