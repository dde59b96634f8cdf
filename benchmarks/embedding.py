"""Promise: meaning is had with little time and memory. The model as palimp loads it, beside the floats of onnxruntime.

    python benchmarks/embedding.py [ROUNDS]

Needs `palimp[semantic]`. Each round starts a process for each way of loading, one after the other; it loads the model,
then makes the vectors of short queries and of long texts. *memory* is what loading took, and what the process has in
all with its libraries. Medians of all rounds; the last row has the ratios.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from measuring import print_table, progress

ROUNDS = 5
QUERIES = 40
TEXTS = 8
QUERY = "why did we cap the retries of the payment webhook"
TEXT = "The importer reads a file in blocks, checks each sum, and puts what failed into a table of its own. " * 12
WAYS = {"small weights": True, "floats": False}


def main() -> None:
    """Print one table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in WAYS}
    for _ in progress(range(rounds), "rounds"):
        for name in WAYS:
            child = [sys.executable, __file__, name, "child"]
            taken[name].append(json.loads(subprocess.run(child, check=True, capture_output=True).stdout))
    medians = {name: {key: median(each[key] for each in runs) for key in runs[0]} for name, runs in taken.items()}
    small, floats = (medians[name] for name in WAYS)
    rows = [
        (name, *(f"{1e3 * each[key]:.1f} ms" for key in TIMES), *(f"{each[key] / 1e6:.0f} MB" for key in SIZES))
        for name, each in medians.items()
    ]
    rows.append(("of that", *(f"{small[key] / floats[key]:.2f}" for key in (*TIMES, *SIZES))))
    print_table(f"the model on one thread, {rounds} rounds", ["", *TIMES, *SIZES], rows, [])


TIMES = "loading", "a short query", "a long text"
SIZES = "memory for it", "memory in all"


def measured(*, is_small: bool) -> dict[str, float]:
    """Return what loading and embedding take in this process: seconds, and bytes."""
    from palimp_daemon.embedding.models import MINILM, installed_models  # noqa: PLC0415
    from palimp_daemon.embedding.worker import __main__ as embedder  # noqa: PLC0415  palimp[semantic] only
    from palimp_daemon.embedding.worker import model  # noqa: PLC0415

    path = installed_models()[MINILM].file.path
    if not is_small:
        model.with_small_weights = lambda _: None  # what the product never does
    before, began = resident(), time.perf_counter()
    loaded = model.Model(path)
    loading = time.perf_counter() - began
    embedder._give_memory_back()  # noqa: SLF001  as the process does
    took = [loading, median(seconds(loaded, QUERY, QUERIES)), median(seconds(loaded, TEXT, TEXTS))]
    embedder._give_memory_back()  # noqa: SLF001
    return dict(zip((*TIMES, *SIZES), (*took, resident() - before, resident()), strict=True))


def seconds(loaded: Any, text: str, times: int) -> list[float]:
    """Return how long each of some vectors of *text* takes, after one that nobody counts."""
    taken: list[float] = []
    for number in range(times + 1):
        began = time.perf_counter()
        loaded.embed([f"{text} {number}"])
        taken.append(time.perf_counter() - began)
    return taken[1:]


def resident() -> int:
    """Return the bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


if __name__ == "__main__":
    if sys.argv[2:] == ["child"]:
        print(json.dumps(measured(is_small=WAYS[sys.argv[1]])))
    else:
        main()
