"""Promise: eight sessions at once are served at least 0.9 times as many calls a second as an earlier version served.

    python benchmarks/eight_sessions.py EARLIER [--rounds 7] [--calls 40] [--words new|known] [--fail]

EARLIER is a checkout of the earlier version with a `.venv` of its own. Each version has a home, a daemon and eight real
relays. In each round both work, one after the other, and which of the two begins alternates, so that whatever else the
machine does meets both: every session saves a memory and asks for it, CALLS times. With new words each memory has names
that no memory had before, and each question one more that none has at all; with known ones all texts are made of the
words of the first round. Semantic ranking is off.

Prints by rounds the calls a second of both, the processor time that each daemon took for a call, and the median ratio;
exits with 1 below the aim if --fail is given. On a busy machine the processor time says more than the calls.
"""

import argparse
import contextlib
import os
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from measuring import StdioServer, daemon_in, print_table, progress

THIS = Path(__file__).parents[1]
AIM = 0.9
SESSIONS = 8
SEED = 1
COLUMNS = ("round", "earlier", "this", "earlier, a call", "this, a call", "ratio")
SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
OPENINGS = (
    "We chose {} over {} because the {} was too slow for the {}",
    "The {} of {} stands in {} and is read by {} at the start",
    "{} fails with {} when the {} is older than the {}",
    "Never call {} before {}, or the {} loses its {}",
)
QUESTIONS = ("why did we choose {} for the {}", "what was it with {} and {}", "{} {}")


class Exchange(NamedTuple):
    """A memory, and a question for it."""

    text: str
    question: str


def exchanges(count: int, chance: random.Random) -> list[Exchange]:
    """Return *count* memories with their questions; the names are made of syllables, so that nearly all are new."""
    made: list[Exchange] = []
    for _ in range(count):
        *names, nowhere = ("".join(chance.choices(SYLLABLES, k=chance.randrange(2, 5))) for _ in range(5))
        question = chance.choice(QUESTIONS).format(chance.choice(names), nowhere)
        made.append(Exchange(chance.choice(OPENINGS).format(*names), question))
    return made


def shuffled(known: Sequence[Exchange], count: int, chance: random.Random) -> list[Exchange]:
    """Return *count* memories of two of the *known* texts, which their questions are made of as well."""
    pairs = [chance.sample(known, 2) for _ in range(count)]
    return [Exchange(f"{one.text}. {other.text}.", " ".join(one.text.split()[-6:])) for one, other in pairs]


class Running(NamedTuple):
    """The relays of one version, and the process of its daemon."""

    sessions: Sequence[StdioServer]
    daemon: int

    def processor_s(self) -> float:
        """Return the seconds of processor time that the daemon took until now."""
        fields = Path(f"/proc/{self.daemon}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Speed(NamedTuple):
    """What one version did in one round."""

    calls_a_second: float
    processor_ms: float
    """Of the daemon, for a call."""


@contextlib.contextmanager
def running(version: Path, home: Path) -> Iterator[Running]:
    """Yield SESSIONS relays of the checkout *version*, in one project below *home*, with their daemon."""
    project = home / "project"
    project.mkdir(parents=True)
    binaries = version / ".venv" / "bin"
    with daemon_in(home, binaries / "palimpd") as env, contextlib.ExitStack() as stack:
        opened = [StdioServer([str(binaries / "palimp-shim")], env, project) for _ in range(SESSIONS)]
        for session in opened:
            stack.callback(session.close)
            session.initialize()
        yield Running(opened, _daemon_of(home))


def _daemon_of(home: Path) -> int:
    """Return the process whose environment has *home* and that is a daemon."""
    wanted = f"PALIMP_HOME={home / 'state'}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"palimpd" in (folder / "cmdline").read_bytes() and wanted in (folder / "environ").read_bytes():
                return int(folder.name)
    raise AssertionError(wanted)


def speed_of(running: Running, work: Sequence[Sequence[Exchange]]) -> Speed:
    """Have each session save and ask for its part of *work*, all at once."""
    sessions, before_s = running.sessions, running.processor_s()
    barrier = threading.Barrier(len(sessions) + 1)
    failed: list[Exception] = []

    def save_and_ask(session: StdioServer, part: Sequence[Exchange]) -> None:
        barrier.wait()
        try:
            for exchange in part:
                session.call("save_memory", text=exchange.text)
                session.call("recall", query=exchange.question)
        except Exception as error:  # noqa: BLE001  it is raised below, in the thread that waits
            failed.append(error)

    workers = [threading.Thread(target=save_and_ask, args=each) for each in zip(sessions, work, strict=True)]
    for worker in workers:
        worker.start()
    barrier.wait()
    started = time.perf_counter()
    for worker in workers:
        worker.join()
    took_s = time.perf_counter() - started
    if failed:
        raise failed[0]
    calls = 2 * sum(map(len, work))
    return Speed(calls / took_s, (running.processor_s() - before_s) * 1000 / calls)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", type=Path, help="a checkout of the earlier version")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=40, help="saves, and recalls, of each session in each round")
    parser.add_argument("--words", nargs="+", choices=("new", "known"), default=("new", "known"))
    parser.add_argument("--fail", action="store_true", help=f"exit with 1 where the median ratio is below {AIM}")
    arguments = parser.parse_args()
    versions = (arguments.earlier.resolve(), THIS)
    missed = False
    for words in arguments.words:
        rows, ratios = measured(versions, words, arguments.rounds, arguments.calls)
        ratio = median(ratios)
        missed |= ratio < AIM
        title = f"eight sessions that save and ask, {words} words: calls a second"
        print_table(title, COLUMNS, rows, [f"median ratio {ratio:.2f}, aim {AIM}"])
    sys.exit(1 if missed and arguments.fail else 0)


def measured(
    versions: Sequence[Path], words: str, rounds: int, calls: int
) -> tuple[list[tuple[str, ...]], list[float]]:
    """Return a row for each round, and the ratios of this version to the earlier one."""
    chance = random.Random(SEED)
    rows: list[tuple[str, ...]] = []
    ratios: list[float] = []
    with TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder, contextlib.ExitStack() as stack:
        opened = [stack.enter_context(running(each, Path(folder) / f"{n}")) for n, each in enumerate(versions)]
        first = exchanges(SESSIONS * calls, chance)
        for number in progress(range(rounds), words):
            made = exchanges(SESSIONS * calls, chance) if words == "new" else shuffled(first, SESSIONS * calls, chance)
            work = [(made if number else first)[place::SESSIONS] for place in range(SESSIONS)]
            order = (0, 1) if number % 2 else (1, 0)
            speeds = {place: speed_of(opened[place], work) for place in order}
            ratios.append(speeds[1].calls_a_second / speeds[0].calls_a_second)
            both = [speeds[place] for place in (0, 1)]
            figures = [f"{each.calls_a_second:.0f}" for each in both] + [f"{each.processor_ms:.2f} ms" for each in both]
            rows.append((f"{number + 1}", *figures, f"{ratios[-1]:.2f}"))
    return rows, ratios


if __name__ == "__main__":
    main()
