"""Calibrate which memories a session is not told at its start since they likely hold no more (`search.still_holding`).

    python benchmarks/calibrate_start.py [FOLDER]

FOLDER holds projects as benchmarks/truth does, which is read when it is omitted. Prints the weights of a logistic
regression that tells pairs of which the newer memory replaces the older one, and a table of projects that were not seen
by it: for bounds at which more and more of what holds is listed, how many of what was replaced are left out; and the
same without each feature, and by `search.replacement` (whose weights have seen these projects). What was said to be
replaced when it was saved is left out in any case.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from judgement import TRUTH, saved_project
from measuring import print_table, progress
from moments import holding_and_stale
from replacement import Pairs, fitted
from retrieval import read_lines

from palimp_daemon.runtime.sql import rows
from palimp_daemon.search import replacement
from palimp_daemon.search.still_holding import ODDS_MIN, WEIGHTS, Features, features_of
from palimp_daemon.store.tables.memories import rows_by_seq
from palimp_daemon.store.tables.memory_statements import statements_of
from palimp_daemon.store.tables.unasked import UNASKED, outline_of

LISTED: Final = (0.98, 0.96, 0.94, 0.92, 0.9)
"""Of what holds: the parts that are to be listed."""

Array = np.ndarray[Any, Any]


class Project(NamedTuple):
    """The memories of a project, by their numbers, and what is known of them."""

    pairs: Sequence[tuple[int, int]]
    """The newer one first."""
    features: Array
    by_replacement: Array
    """The odds of each pair by `search.replacement`, without meaning."""
    replaces: Array
    unasked: set[int]
    holding: set[int]
    stale: set[int]


def main() -> None:
    """Print weights and a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    options = parser.parse_args()
    folders = [path.parent for path in sorted(options.folder.glob("*/questions.jsonl"))]
    projects = [project_of(folder) for folder in progress(folders, "projects")]
    weights = fitted([Pairs(each.features, each.replaces) for each in projects])
    print(dict(zip(WEIGHTS._fields, weights.round(2).tolist(), strict=True)))
    bounds = [f"{_left_out(projects, _all_odds(projects, None), part)[0]:.1f}" for part in LISTED]
    print(f"ODDS_MIN is {ODDS_MIN}; bounds: {', '.join(bounds)}")
    table = [("all features", *_row(projects, _all_odds(projects, None)))]
    for place, name in enumerate(Features._fields):
        table.append((f"without {name}", *_row(projects, _all_odds(projects, place))))
    table.append(("by search.replacement", *_row(projects, [_of_each(each, each.by_replacement) for each in projects])))
    columns = ["replaced ones left out (%)", *(f"{100 * part:.0f} % listed" for part in LISTED)]
    print_table("A project that was not seen", columns, table, [])


def project_of(folder: Path) -> Project:
    """Return what is known of the project in *folder*."""
    with saved_project(folder, None) as saved:
        store, names = saved.store, saved.names
        found = rows(store.connection, "SELECT seq, id FROM memories ORDER BY seq")
        numbers = {name: seq for seq, id_ in found for shown, name in names.items() if id_.startswith(shown)}
        alive = {seq for (seq,) in rows(store.connection, f"SELECT seq FROM memories m WHERE {UNASKED.sql}")}
        of_pairs = features_of(
            {row.seq: outline_of(store, row) for row in rows_by_seq(store, sorted(numbers.values()))}
        )
        others = statements_of(store, sorted(numbers.values()))
    known = {
        (numbers[gold], numbers[stale])
        for question in read_lines(folder / "questions.jsonl")
        for gold in question.get("gold", ())
        for stale in question.get("stale", ())
    }
    holding, stale = holding_and_stale(folder)
    pairs = list(of_pairs)
    return Project(
        pairs,
        np.array([of_pairs[pair] for pair in pairs]),
        np.array([replacement.log_odds(others[newer], others[older], None) for newer, older in pairs]),
        np.array([pair in known for pair in pairs], float),
        alive,
        {numbers[name] for name in holding},
        {numbers[name] for name in stale},
    )


def _all_odds(projects: Sequence[Project], without: int | None) -> list[dict[int, float]]:
    """Return of each project the odds of each memory that it was replaced, by weights from the others."""
    odds: list[dict[int, float]] = []
    for place, held in enumerate(projects):
        others = [*projects[:place], *projects[place + 1 :]]
        weights = fitted([Pairs(_lacking(each.features, without), each.replaces) for each in others])
        odds.append(_of_each(held, weights[0] + _lacking(held.features, without) @ weights[1:]))
    return odds


def _of_each(project: Project, of_pairs: Array) -> dict[int, float]:
    """Return the odds of each memory of *project* that it was replaced, given those of its pairs."""
    most: dict[int, float] = {}
    for (newer, older), value in zip(project.pairs, of_pairs.tolist(), strict=True):
        if {newer, older} <= project.unasked:
            most[older] = max(most.get(older, value), value)
    return most


def _lacking(features: Array, without: int | None) -> Array:
    return features if without is None else np.delete(features, without, 1)


def _row(projects: Sequence[Project], odds: Sequence[dict[int, float]]) -> list[str]:
    return [f"{100 * _left_out(projects, odds, part)[1]:.0f}" for part in LISTED]


def _left_out(projects: Sequence[Project], odds: Sequence[dict[int, float]], part: float) -> tuple[float, float]:
    """Return the bound at which *part* of what holds is listed, and which part of the replaced is left out then."""
    both = list(zip(projects, odds, strict=True))
    holding = [most.get(seq, -np.inf) if seq in each.unasked else np.inf for each, most in both for seq in each.holding]
    stale = [most.get(seq, -np.inf) if seq in each.unasked else np.inf for each, most in both for seq in each.stale]
    bound = float(np.sort(holding)[::-1][int(len(holding) * (1 - part) + 1e-9)])
    return bound, float(np.mean([each > bound for each in stale]))


if __name__ == "__main__":
    main()
