"""Change lines of the code one at a time, and print by room how many of the changes its tests notice.

    python tools/mutants.py [ROOM ...] [--survivors] [--least SHARE] [--workers N]

mutmut makes the changes, in functions without a decorator alone, and runs the tests that reach each. It expects
packages beside the tests: the tree is copied to a temporary folder, with the packages at its top. `make mutants` runs
it for all rooms; exits with 1 where a room's share is below SHARE (percent; without it, never).

Functions that run only while modules are imported (they make patterns and tables) have run before a change is tried:
changes of them cannot be noticed, and are left out of the count; a line tells how many they are.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import tomlkit

ROOT: Final = Path(__file__).parents[1]

PACKAGES: Final = (
    "protocol/palimp_protocol",
    "clients/palimp_clients",
    "daemon/palimp_daemon",
    "daemon/palimp_neighbours",
    "shim/palimp_shim",
)

AIM: Final = 80.0
"""Percent of the changes that a room's tests are to notice; strings and equal code count, so that 100 is no aim."""

MUTMUT: Final = "mutmut==3.8.1"
"""Its file of results is read here, and its form is not promised."""

KILLED: Final = frozenset({1, 3, 24, 36, -24, 152, 255})
"""Exit codes of mutmut's workers for a noticed change: a failed test, or one that never ended."""

UNTESTED: Final = 33
"""The exit code that stands for a change no test reaches."""

SKIPPED: Final = frozenset({34, None})
"""Those of changes that were not tried."""


class Room(NamedTuple):
    """Sources of one kind, as patterns below the packages, and the tests that guard them."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


ROOMS: Final = {
    "wire": Room(("palimp_protocol/wire/*",), ("tests/unit/protocol/wire",)),
    "redaction": Room(
        ("palimp_daemon/text/redact.py", "palimp_daemon/text/secrets/*"),
        (
            "tests/unit/daemon/text/test_redact.py",
            *(
                f"tests/unit/daemon/text/secrets/test_{name}.py"
                for name in (
                    "assignments",
                    "blocks",
                    "command_lines",
                    "names",
                    "running_text",
                    "short_codes",
                    "tokens",
                    "urls",
                    "values",
                )
            ),
        ),  # test_linear.py counts steps, of which mutmut's own are most
    ),
    "erasing": Room(
        (
            "palimp_daemon/features/memories/hard_delete.py",
            "palimp_daemon/features/memories/erase_rows.py",
            "palimp_daemon/features/conversations/erasing.py",
            "palimp_daemon/store/tables/erasures.py",
        ),
        (
            "tests/unit/daemon/features/memories/test_erase_rows.py",
            "tests/unit/daemon/features/memories/test_hard_delete.py",
            "tests/unit/daemon/features/conversations/test_erasing.py",
            "tests/unit/daemon/features/conversations/test_erasing_traces.py",
        ),
    ),
    "deciding": Room(
        (
            "palimp_daemon/judgement/*",
            "palimp_daemon/search/silence.py",
            "palimp_daemon/search/memory_ranking.py",
        ),
        (
            "tests/unit/daemon/judgement",
            "tests/unit/daemon/search/test_silence.py",
            "tests/unit/daemon/search/test_memory_ranking.py",
            "tests/unit/daemon/features/memories/test_replacing.py",
        ),
    ),
}


class Tried(NamedTuple):
    """What became of a room's changes: names of those that were noticed, survived, or are reached by no test."""

    killed: list[str]
    survived: list[str]
    untested: list[str]
    imported: list[str]
    """Those that cannot be tried: no test reaches them, and the import of a module does."""

    @property
    def changes(self) -> int:
        """Changes that could be noticed."""
        return len(self.killed) + len(self.survived) + len(self.untested)

    @property
    def share(self) -> float:
        """Percent of them that were noticed."""
        return 100 * len(self.killed) / self.changes if self.changes else 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; all if none is named")
    parser.add_argument("--survivors", action="store_true", help="print each change that nothing noticed")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help="exit with 1 below so many percent")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="changes tried at once")
    arguments = parser.parse_args()
    if unknown := [room for room in arguments.rooms if room not in ROOMS]:
        parser.error(f"there is no room {unknown[0]}: {', '.join(ROOMS)}")
    is_low = False
    print(f"{'room':<12}{'changes':>9}{'noticed':>9}{'share':>8}  (aim {AIM:.0f}%)", flush=True)
    for name in arguments.rooms or ROOMS:
        with TemporaryDirectory(prefix="palimp-mutants-") as folder:
            tree = Path(folder)
            copy_tree(tree, ROOMS[name])
            tried = tried_in(tree, arguments.workers)
            print(f"{name:<12}{tried.changes:>9}{len(tried.killed):>9}{tried.share:>7.1f}%", flush=True)
            if tried.imported:
                print(f"  {len(tried.imported)} more are in functions that run at import only: not tried", flush=True)
            if arguments.survivors:
                print_changes(tree, [*tried.survived, *tried.untested])
        is_low |= tried.share < arguments.least
    sys.exit(1 if is_low else 0)


def copy_tree(tree: Path, room: Room) -> None:
    """Copy packages and tests to *tree*, and write the configuration of mutmut and pytest for *room*."""
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / Path(package).name, ignore=ignored)
    for folder in ("tests", "benchmarks"):  # a test of redaction reads the lists of its benchmark
        shutil.copytree(ROOT / folder, tree / folder, ignore=ignored)
    shutil.copy(Path(__file__).with_name("mutants_conftest.py"), tree / "conftest.py")
    if gone := [each for each in (*room.sources, *room.tests) if not any(tree.glob(each))]:
        sys.exit(f"tools/mutants.py names {gone[0]}, which is not there any more: put in where it went.")
    pytest = tomlkit.parse((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]  # pyright: ignore[reportIndexIssue]
    options = pytest["ini_options"]  # pyright: ignore[reportIndexIssue]
    options["addopts"] = ["--strict-markers", "--import-mode=importlib", "-q", "-p", "no:cacheprovider"]
    names = [Path(package).name for package in PACKAGES]
    mutmut = {
        "source_paths": names,
        "only_mutate": [*room.sources],
        "also_copy": ["benchmarks", "conftest.py"],
        "pytest_add_cli_args_test_selection": [*room.tests],
        "process_isolation": "forkserver",
        "use_git_change_detection": False,
    }
    config = tomlkit.dumps({"tool": {"pytest": pytest, "mutmut": mutmut}})
    (tree / "pyproject.toml").write_text(config, encoding="utf-8")


def tried_in(tree: Path, workers: int) -> Tried:
    """Run mutmut in *tree*, and return what became of each change."""
    environment = os.environ | {"PALIMP_LANE": "mutants", "COLUMNS": "80"}
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(workers)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"mutmut failed:\n{done.stdout[-2_000:]}\n{done.stderr[-2_000:]}")
    return results_in(tree / "mutants")


def results_in(mutants: Path) -> Tried:
    """Read from mutmut's folder what became of each change."""
    imported = mutants / "imported.json"
    ran = json.loads(imported.read_text(encoding="utf-8")) if imported.exists() else []
    ran_at_import = tuple(f"{name}__mutmut_" for name in ran)
    tried = Tried([], [], [], [])
    for path in sorted(mutants.rglob("*.meta")):
        for name, code in json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].items():
            if code == UNTESTED:
                (tried.imported if name.startswith(ran_at_import) else tried.untested).append(name)
            elif code not in SKIPPED:
                (tried.killed if code in KILLED else tried.survived).append(name)
    return tried


def print_changes(tree: Path, names: Sequence[str]) -> None:
    """Print the difference that each of *names* makes."""
    program = (
        "import sys\nfrom mutmut.mutation.diff_apply import get_diff_for_mutant\n"
        "for name in sys.argv[1:]: print(name, get_diff_for_mutant(name), sep='\\n')"
    )
    subprocess.run([sys.executable, "-c", program, *names], cwd=tree, check=True)


if __name__ == "__main__":
    main()
