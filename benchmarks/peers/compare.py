"""Promise: better than what users would pick instead, and where not, the table shows it.

    python benchmarks/peers/compare.py [--rounds 3] [--only palimp claude-mem] [--saves 500]

The same work for every program, one after the other in each round, in a home of its own: start, memory, 500 saves and
100 questions in one session, eight sessions that save and ask at once, and `kill -9` of everything in the middle of
saves. Medians of the rounds. The fsyncs of a save are counted by strace, where that is installed
(`syncs.py`). The programs are installed from PyPI and npm into .cache/peers (`peers.py` has them all); a minimal server
on the MCP SDK, which stores nothing, is the floor of a start.

Prints one markdown table, and below it the aims, each as a ratio within this run. What is lost is what was
acknowledged and stands in no file of the home afterwards, which is lenient: it may not be found all the same.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from facts import facts
from install import ROOT, installed
from measuring import CallFailedError, StdioServer, progress
from peers import PEERS
from report import print_report
from syncs import syncs_per_save
from work import Figures, Size, measured

MINIMAL = ROOT / "benchmarks/minimal_sdk_server.py"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[peer.name for peer in PEERS], help="these only")
    parser.add_argument("--saves", type=int, default=Size().saves)
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache/peers", help="where they are installed")
    arguments = parser.parse_args()
    chosen = [peer for peer in PEERS if not arguments.only or peer.name in arguments.only]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    places = {peer.name: installed(peer, arguments.folder) for peer in progress(chosen, "installing")}
    size = Size(saves=arguments.saves)
    assert len({fact.code for fact in facts(size.saves, 1)}) == size.saves
    rounds: dict[str, list[Figures]] = {peer.name: [] for peer in chosen}
    floor: list[float] = []
    steps = [(number, peer) for number in range(arguments.rounds) for peer in chosen]
    for number, peer in progress(steps, "measuring"):
        print(f"round {number + 1}: {peer.name}", file=sys.stderr)
        try:
            where = places[peer.name], arguments.folder
            figures = measured(peer, *where, size, 1 + number)
            rounds[peer.name].append(figures)
            figures.syncs = syncs_per_save(peer, *where, 1 + number)
        except (CallFailedError, subprocess.SubprocessError) as error:
            print(f"  failed: {error}", file=sys.stderr)
        if peer is chosen[0]:
            floor.append(_minimal_start_s())
    print_report([peer for peer in chosen if rounds[peer.name]], rounds, size, floor)
    if failed := [peer.name for peer in chosen if len(rounds[peer.name]) < arguments.rounds]:
        sys.exit(f"failed in some round: {', '.join(failed)}")


def _minimal_start_s() -> float:
    """Return the median start of a server that is no more than the SDK."""
    starts: list[float] = []
    for _ in range(5):
        server = StdioServer([sys.executable, str(MINIMAL)], {"HOME": str(ROOT), "PATH": os.environ["PATH"]})
        starts.append(server.initialize())
        server.close()
    return median(starts)


if __name__ == "__main__":
    main()
