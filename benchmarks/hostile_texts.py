"""Promise: whatever texts some save or import, the others are answered as beside plain words.

    python benchmarks/hostile_texts.py [EARLIER] [--recalls 60]

One session asks without a pause while eight others save a text of 9,900 characters each, and while a file is imported
that has one record of 300 kB: plain words, and the texts that were found to cost the rules of redaction most. EARLIER
is a checkout of an earlier version with a `.venv` of its own, which is measured beside this one. Aims: p95 at most
AIM times what it is beside plain words, and at most a twentieth of the earlier version's.
"""

import argparse
import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from measuring import DAEMON, daemon_in, percentile, print_table, progress
from synthetic import CALLER, RefusedError, Session, Words

from palimp_protocol.env.paths import socket_path

SAVES: Final = 8
SAVED_CHARACTERS: Final = 9_900
IMPORTED_CHARACTERS: Final = 300_000
MEMORIES: Final = 200
"""Memories that are there to be found."""

ROUNDS_S: Final = 30.0
"""Seconds after which a text is measured no more, however few recalls there were."""

AIM: Final = 3.0
AIM_EARLIER: Final = 1 / 20
PLAIN: Final = "plain words"
HOSTILE: Final = (
    "sk-",
    "sshpass -p ",
    "cqlsh -p ",
    "auth=",
    "2fa=",
    "pw\\",
    "pw: ",
    "cookie: ",
    "密码",
    "a://:x@b",
    "| password ",
)
"""What is repeated: each was the worst of its kind of rule in one version or another."""


class Beside(NamedTuple):
    """What one version took: seconds of recalls beside each text, by what is done with it."""

    saves: dict[str, list[float]]
    imports: dict[str, list[float]]


def main() -> None:
    """Print one table for saves and one for an import."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", nargs="?", type=Path, help="a checkout of the earlier version")
    parser.add_argument("--recalls", type=int, default=60, help="recalls beside each text")
    options = parser.parse_args()
    units = texts()  # first: a client that is silent for long is taken for gone
    this = measured(Path(DAEMON), units, options.recalls)
    before = options.earlier and options.earlier.resolve() / ".venv" / "bin" / "palimpd"
    earlier = measured(before, units, options.recalls) if before else Beside({}, {})
    of_saves = f"{SAVES} saves of {SAVED_CHARACTERS:,} characters"
    of_import = f"an import with one record of {IMPORTED_CHARACTERS // 1000} kB"
    print_beside(of_saves, this.saves, earlier.saves)
    print_beside(of_import, this.imports, earlier.imports)


def measured(daemon: Path, units: Sequence[tuple[str, str]], recalls: int) -> Beside:
    """Return what recalls take beside each text in the version whose daemon that is."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        (Path(folder) / "state").mkdir()
        with daemon_in(Path(folder), daemon) as env:
            path = Path(socket_path(env, user_id=os.getuid()))
            asking, words = Session(path), Words(1)
            for _ in range(MEMORIES):
                asking.call("save_memory", text=words.text())
            saves = {
                name: beside(asking, words, recalls, lambda number, unit=unit: save_all(path, unit, number))
                for name, unit in progress(units, "saves")
            }
            file = Path(folder) / "import.json"
            imports = {
                name: beside(asking, words, recalls, lambda number, unit=unit: import_one(path, file, unit, number))
                for name, unit in progress(units, "imports")
            }
    return Beside(saves, imports)


def texts() -> list[tuple[str, str]]:
    """Return what is saved: its name, and what is repeated."""
    return [(PLAIN, " ".join(Words(2).text() for _ in range(200)) + " "), *((repr(unit), unit) for unit in HOSTILE)]


def repeated(unit: str, characters: int, number: int) -> str:
    """Return a text of so many *characters* that is like no other *number*'s."""
    return f"Note {number}: {unit * (characters // len(unit) + 1)}"[:characters]


def beside(asking: Session, words: Words, recalls: int, work: Callable[[int], None]) -> list[float]:
    """Return the seconds of *recalls* recalls while *work* is done, again and again."""
    took: list[float] = []
    number, ends_at = 0, time.monotonic() + ROUNDS_S
    while len(took) < recalls and time.monotonic() < ends_at:
        working = threading.Thread(target=work, args=(number,))
        working.start()
        while working.is_alive():
            started = time.perf_counter()
            with at_most_its_deadline():
                asking.call("recall", query=" ".join(words.text().split()[:3]))
            took.append(time.perf_counter() - started)
        working.join()
        number += 1
    return took


@contextlib.contextmanager
def at_most_its_deadline() -> Iterator[None]:
    """Let a request end without an answer: an earlier version may take longer than anybody waits."""
    try:
        yield
    except TimeoutError:
        pass
    except RefusedError as refused:
        if refused.code != "deadline":
            raise


def save_all(path: Path, unit: str, number: int) -> None:
    """Save the text in SAVES sessions at once."""
    savers = [
        threading.Thread(target=save_one, args=(path, repeated(unit, SAVED_CHARACTERS, number * SAVES + each), each))
        for each in range(SAVES)
    ]
    for each in savers:
        each.start()
    for each in savers:
        each.join()


def save_one(path: Path, text: str, session: int) -> None:
    """Save *text* in a session of its own."""
    with at_most_its_deadline():
        Session(path, caller(f"saver{session}")).call("save_memory", text=text)


def import_one(path: Path, file: Path, unit: str, number: int) -> None:
    """Import a file with the text as its only record."""
    record = {"id": f"{unit}{number}", "memory": repeated(unit, IMPORTED_CHARACTERS, number)}
    file.write_text(json.dumps({"results": [record]}), encoding="utf-8")
    with at_most_its_deadline():
        Session(path, caller("importer")).call("import_file", path=str(file))


def caller(session: str) -> dict[str, object]:
    """Return who asks in the *session* of that key."""
    root = CALLER.project.root if CALLER.project else "/"
    return {"project": {"root": root, "name": "shop"}, "session": {"key": session, "client": "benchmark"}}


def print_beside(done: str, this: dict[str, list[float]], earlier: dict[str, list[float]]) -> None:
    """Print what recalls took beside *done*."""
    plain = percentile(this[PLAIN], 0.95)
    rows: list[tuple[str, ...]] = []
    for name, took in this.items():
        p95, before = percentile(took, 0.95), percentile(earlier[name], 0.95) if earlier else 0.0
        is_held = p95 <= AIM * plain and (not before or name == PLAIN or p95 <= AIM_EARLIER * before)
        rows.append(
            (
                name,
                str(len(took)),
                f"{p95 * 1000:,.0f} ms",
                f"{p95 / plain:.1f}",
                f"{before * 1000:,.0f} ms" if before else "",
                f"1/{before / p95:.0f}" if before else "",
                "yes" if is_held else "NO",
            )
        )
    print_table(
        f"a recall beside {done}",
        ["text", "recalls", "p95", "times plain", "earlier", "of it", "held"],
        rows,
        [f"aims: at most {AIM} times plain words, and 1/{1 / AIM_EARLIER:.0f} of the earlier version"],
    )


if __name__ == "__main__":
    main()
