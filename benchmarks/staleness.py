"""Promise: of memories whose cited lines changed at least 95 % say so, of the others at most 5 %.

    python benchmarks/staleness.py REPOSITORY [REPOSITORY ...] [--pairs N] [--seed N] [--misses] [--cost also|only|no]

A REPOSITORY is anything that `git clone` takes, with Python files and some history. Of each, pairs of commits of its
first-parent line are drawn by chance: at the older one, memories are made that cite functions, methods and classes in
four ways (their file and name, their file in other words, a line of them, their name alone), dated at that commit; at
the newer one, checked out, palimp is asked what became of them. Whether the cited lines changed is found out in another
way: by Python's own parser, which gives the source of a definition at both commits, and for lines by `git diff`. Where
the file was renamed in between, rows are counted apart, and must name the new path.

Names alone are only cited where one definition of the old tree has them.

What it costs is measured in the last of the repositories: two daemons with the same memories, one of which does not
look at the tree, are asked the same over their sockets, alternating, for ten rows of memories that cite definitions.
Aim: at most 1.3 times as long. The first time that a row is shown git is asked, which the answer waits for up to a
bound; this is counted apart.
"""

import argparse
import ast
import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from measuring import percentile, print_table, progress, running_daemon
from synthetic import Session

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.git.cited_places import CitedMemory, Finding, look_up
from palimp_daemon.git.head_state import reflog_of
from palimp_daemon.git.past_files import Past
from palimp_daemon.git.tree_history import line_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.text.citations import citations_of
from palimp_daemon.text.named_subjects import subjects_of
from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

EACH_MAX: Final = 6
"""Definitions that changed, and as many that did not, that are cited of a pair of commits."""

FILES_MAX: Final = 40
"""Files of a pair of commits that are parsed, by chance, those that differ first."""

ROUNDS: Final = 12
"""Times that each query is asked; the first is counted apart."""

COST_MEMORIES: Final = 400
COST_COMMITS: Final = 200
"""How many commits ago the memories were saved whose rows are timed."""

WITHOUT: Final = """
from palimp_daemon.__main__ import main
from palimp_daemon.features.recall import recall_in_tree

recall_in_tree.is_of_tree = lambda call: False
main()
"""
"""A daemon that does not look at the tree."""

PHRASES: Final = {
    "file and name": "`{name}` in `{path}` is the place for this, since everything else calls it.",
    "in other words": "The {what} {name} lives in {path} and must stay free of side effects.",
    "line": "The reason is {path}:{line}, which is there on purpose.",
    "name alone": "`{name}` has to be called before anything is sent.",
}


class Definition(NamedTuple):
    """A function, method or class of a file: its name with its class, its lines, and its source."""

    name: str
    what: str
    first: int
    last: int
    source: str


class Case(NamedTuple):
    """A memory, and what is true of it at the newer commit."""

    way: str
    text: str
    is_changed: bool
    new_path: str
    """Where the file is now, if it was renamed."""


def main() -> None:
    """Print one table for each repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--pairs", type=int, default=40, help="pairs of commits of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="also what was said wrongly")
    parser.add_argument("--cost", choices=("also", "only", "no"), default="also", help="what it costs")
    options = parser.parse_args()
    for repository in options.repositories if options.cost != "only" else ():
        measure(repository, options.pairs, random.Random(options.seed), is_telling=options.misses)
    if options.cost != "no":
        measure_cost(options.repositories[-1], random.Random(options.seed))


def measure(repository: str, pairs: int, chance: random.Random, *, is_telling: bool) -> None:
    """Clone *repository*, ask about *pairs* of its commits, and print the table."""
    flagged: defaultdict[tuple[str, bool], Counter[bool]] = defaultdict(Counter)
    times: list[float] = []
    misses: list[str] = []
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        tree = Path(folder, "tree")
        subprocess.run(["git", "clone", "--quiet", repository, str(tree)], check=True)
        commits = [line.split() for line in git(tree, "log", "--first-parent", "--format=%H %ct").splitlines()]
        for newer, older in progress(list(drawn(commits, pairs, chance)), Path(repository).stem):
            git(tree, "checkout", "--quiet", "--detach", newer[0])
            cases = list(cases_of(tree, older[0], newer[0], chance))
            at = int(older[1]) * 1000
            started = time.perf_counter()
            past = Past(line_of(tree), reflog_of(str(tree)))
            found = look_up(
                tree, past, [CitedMemory(citations_of(case.text, subjects_of(case.text)), at) for case in cases]
            )
            times.append(time.perf_counter() - started)
            for case, looked in zip(cases, found, strict=True):
                key = f"{case.way}, renamed" if case.new_path else case.way
                flagged[key, case.is_changed][is_told(case, looked.finding)] += 1
                if is_told(case, looked.finding) != case.is_changed and is_telling:
                    misses.append(
                        f"{older[0][:9]} {newer[0][:9]} changed={case.is_changed} {looked.finding} {case.text}"
                    )
    for key in list(flagged):
        flagged["all" + (", renamed" if key[0].endswith(", renamed") else ""), key[1]] += flagged[key]
    ways = sorted({way for way, _ in flagged}, key=lambda way: (way.endswith(", renamed"), way.startswith("all"), way))
    table = [(way, *share(flagged[way, True]), *share(flagged[way, False])) for way in ways]
    columns = ("how it is cited", "changed", "told (%)", "not changed", "told (%)")
    median, most = (1000 * percentile(times, each) for each in (0.5, 0.95))
    notes = [
        f"Asking git about the {len(PHRASES) * EACH_MAX} or so memories of a pair: p50 {median:.0f}, p95 {most:.0f} ms."
    ]
    print_table(f"what became of what memories cite: {Path(repository).stem}", columns, table, notes)
    print(*misses, sep="\n", end="\n" if misses else "")


def measure_cost(repository: str, chance: random.Random) -> None:
    """Print what ten rows take with a look at the tree, and without."""
    took: defaultdict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder, contextlib.ExitStack() as running:
        tree = Path(folder, "tree")
        subprocess.run(["git", "clone", "--quiet", repository, str(tree)], check=True)
        queries = fill(Path(folder, "palimp.db"), tree, chance)
        shutil.copyfile(Path(folder, "palimp.db"), Path(folder, "other.db"))
        caller = {"project": {"root": str(tree), "name": "tree", "tree": str(tree)}}
        daemons = {"with": running_daemon(Path(folder, "palimp.db"))}
        daemons["without"] = running_daemon(Path(folder, "other.db"), command=(sys.executable, "-c", WITHOUT))
        sessions = {
            name: Session(Path(socket_path(running.enter_context(daemon), user_id=os.getuid())), caller)
            for name, daemon in daemons.items()
        }
        for number in progress(range(ROUNDS), "asking"):
            for query in queries:
                for name, session in sessions.items():
                    started = time.perf_counter()
                    rows = session.call("recall", query=query)["memories"]
                    seconds = time.perf_counter() - started
                    assert len(rows) == 10
                    took[name if number else f"{name}, first"].append(seconds)
    without = {True: percentile(took["without"], 0.5), False: percentile(took["without, first"], 0.5)}
    table = [
        (
            name,
            *(f"{1000 * percentile(took[name], each):.1f} ms" for each in (0.5, 0.95)),
            f"{percentile(took[name], 0.5) / without[name in sessions]:.2f}",
        )
        for name in ("with, first", "without, first", "with", "without")
    ]
    print_table(
        "ten rows that cite definitions, over the socket", ("", "p50", "p95", "of without"), table, ["aim: 1.3"]
    )


def fill(database: Path, tree: Path, chance: random.Random) -> list[str]:
    """Store memories about definitions of *tree*, of some months, and return queries for ten of them each."""
    store, bits = open_store(database, "auto"), random.Random(2)
    commits = [line.split() for line in git(tree, "log", "--first-parent", "--format=%H %ct").splitlines()]
    older = commits[min(len(commits) - 1, COST_COMMITS)]
    files = python_files(tree, older[0])
    known = [(path, each) for path in files for each in definitions(show(tree, older[0], path))]
    caller = Caller(ProjectRef(str(tree), "tree", str(tree)), SessionRef("s1", "benchmark"))
    queries: list[str] = []
    for number, (path, each) in enumerate(chance.sample(known, min(COST_MEMORIES, len(known)))):
        word = f"subject{number // 10}"
        text = f"About {word}: {PHRASES['file and name'].format(name=each.name, path=path)}"
        context = RequestContext(store, caller, int(older[1]) * 1000 + number, lambda: bits.getrandbits(25))
        save_memory(context, SaveMemory(text=text, title=f"{word} {each.name}"))
        queries += [word] if number % 10 == 9 else []
    store.connection.close()
    return queries


def is_told(case: Case, finding: Finding | None) -> bool:
    """Tell whether *finding* says of the lines that they changed; that their file was renamed is no change of them."""
    return finding is not None and not (finding.state == "moved" and finding.to == case.new_path)


def share(counts: Counter[bool]) -> tuple[str, str]:
    """Return how many there are, and how many of 100 are true."""
    total = counts.total()
    return f"{total}", f"{100 * counts[True] / total:.1f}" if total else "–"


def drawn(commits: Sequence[list[str]], pairs: int, chance: random.Random) -> Iterator[tuple[list[str], list[str]]]:
    """Yield pairs of a newer and an older commit: from neighbours to the whole history apart, as near as far.

    Of commits of the same second, as a rebase makes them, the newest is meant: that is what the tree was at then.
    """
    for _ in range(pairs):
        distance = min(len(commits) - 1, int(len(commits) ** chance.random()) or 1)
        newer = chance.randrange(len(commits) - distance)
        older = next(each for each in commits if int(each[1]) <= int(commits[newer + distance][1]))
        if commits.index(older) > newer:
            yield commits[newer], older


def cases_of(tree: Path, older: str, newer: str, chance: random.Random) -> Iterator[Case]:
    """Yield memories that could have been saved at the *older* commit, and what is true of them at the *newer* one."""
    old_files = python_files(tree, older)
    new_files = set(python_files(tree, newer))
    renamed = renames(tree, older, newer)
    differing = set(git(tree, "diff", "--name-only", "--no-renames", older, newer, "--").splitlines())
    chance.shuffle(old_files)
    old_files.sort(key=lambda path: path not in differing)
    old = {
        path: definitions(show(tree, older, path))
        for path in old_files[: FILES_MAX // 2] + old_files[-FILES_MAX // 2 :]
    }
    defining = git(tree, "grep", "-h", "-I", "-w", "-E", "def|class", older, "--", "*.py")
    names = Counter(re.findall(r"(?m)^\s*(?:async\s+)?(?:def|class)\s+(\w+)", defining))
    judged: dict[bool, list[tuple[str, Definition]]] = {True: [], False: []}
    for path, known in old.items():
        there = path if path in new_files else renamed.get(path, "")
        now = {each.name: each.source for each in definitions(show(tree, newer, there))} if there else {}
        for each in known:
            judged[now.get(each.name) != each.source].append((path, each))
    for is_changed, found in judged.items():
        for path, each in chance.sample(found, min(EACH_MAX, len(found))):
            there = "" if path in new_files else renamed.get(path, "")
            number = chance.randint(each.first, each.last)
            last = each.name.rpartition(".")[2]
            ways = {way: is_changed for way in PHRASES if way not in ("line", "name alone")}
            if names[last] == 1 and len(last) > 3:
                ways["name alone"] = is_changed
            if show(tree, older, path).split("\n")[number - 1].strip():
                ways["line"] = is_line_changed(tree, older, newer, (path, there or path), number)
            for way, truth in ways.items():
                text = PHRASES[way].format(name=each.name, path=path, what=each.what, line=number)
                yield Case(way, text, truth, there)


def definitions(text: str) -> list[Definition]:
    """Return the functions, methods and classes that *text* defines once, as Python's parser sees them."""
    with contextlib.suppress(SyntaxError, ValueError):
        found = list(_defined(ast.parse(text).body, "", text))
        counts = Counter(each.name for each in found)
        return [each for each in found if counts[each.name] == 1 and len(each.name.rpartition(".")[2]) > 2]
    return []


def _defined(body: Iterable[ast.stmt], within: str, text: str) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            source = "\n".join(line.rstrip() for line in (ast.get_source_segment(text, node) or "").split("\n"))
            is_class = isinstance(node, ast.ClassDef)
            what = "class" if is_class else "method" if within else "function"
            yield Definition(within + node.name, what, node.lineno, node.end_lineno or node.lineno, source)
            if is_class:
                yield from _defined(node.body, f"{node.name}.", text)


def is_line_changed(tree: Path, older: str, newer: str, paths: tuple[str, str], number: int) -> bool:
    """Tell whether git's diff of the file takes out the line *number* of its older version."""
    patch = git(tree, "diff", "--unified=0", f"{older}:{paths[0]}", f"{newer}:{paths[1]}", "--")
    for start, count in re.findall(r"(?m)^@@ -(\d+)(?:,(\d+))? ", patch):
        if int(start) <= number < int(start) + int(count or 1):
            return True
    return not patch and not git(tree, "ls-tree", newer, "--", paths[1])


def renames(tree: Path, older: str, newer: str) -> dict[str, str]:
    """Return under which paths files went on that were renamed."""
    fields = git(tree, "diff", "-M40%", "-l1000", "--diff-filter=R", "--name-status", older, newer, "--").splitlines()
    return {line.split("\t")[1]: line.split("\t")[2] for line in fields}


def python_files(tree: Path, commit: str) -> list[str]:
    """Return the Python files of *commit*."""
    return [path for path in git(tree, "ls-tree", "-r", "--name-only", commit).splitlines() if path.endswith(".py")]


def show(tree: Path, commit: str, path: str) -> str:
    """Return a file of *commit*."""
    key = (str(tree), commit, path)
    if key not in _SHOWN:
        _SHOWN[key] = git(tree, "show", f"{commit}:{path}")
    return _SHOWN[key]


_SHOWN: dict[tuple[str, str, str], str] = {}


def git(tree: Path, *arguments: str) -> str:
    """Return what git says; nothing where it fails."""
    done = subprocess.run(["git", "-C", str(tree), *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
