"""Calibrate when a memory is taken to replace an older one (`search.replacement`).

    python benchmarks/replacement.py [FOLDER]

FOLDER holds projects as benchmarks/truth does, which is read when it is omitted. Two memories are a pair where they
share a telling word or lie near each other; the newer one replaces the older where a question names it as right and the
older one as replaced. Prints the weights of a logistic regression over all projects, with meaning and by words alone,
and how well one that never saw a project tells its pairs: the average precision in the order of their odds, with all
features and without each (the ablation). Many pairs replace one another without any question that says so: precision is
a lower bound.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from judgement import TRUTH, save_project
from measuring import print_table, progress
from retrieval import Models, embed_all, loaded_models, read_lines

from palimp_daemon.runtime.sql import rows
from palimp_daemon.search.replacement import Features, features_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables import vectors
from palimp_daemon.store.tables.memory_statements import statements_of

NEAR: Final = 0.35
"""Cosine from which two memories without a common word are a pair."""

STRENGTH: Final = 1.0
"""Of the ridge: the regression's own prior."""

STEPS: Final = 50
"""Newton's steps; it converges in ten."""

TELLING_KINDS: Final = ("current", "typo", "crosslingual", "two", "history")
"""Questions that name what replaces what."""

Array = np.ndarray[Any, Any]


class Pairs(NamedTuple):
    """The pairs of one project: a row of features each, and whether the newer one is known to replace the older."""

    features: Array
    replaces: Array


def main() -> None:
    """Print weights and ablation, for both ways of ranking."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    folder = parser.parse_args().folder
    models = loaded_models()
    projects = [path.parent for path in sorted(folder.glob("*/questions.jsonl"))]
    with_meaning = [pairs_of(project, models) for project in progress(projects, "comparing")]
    by_words = [Pairs(pairs.features * [0, 1, 1, 1, 1], pairs.replaces) for pairs in with_meaning]
    for name, pairs in (("with meaning", with_meaning), ("by words", by_words)):
        weights = fitted(pairs)
        print(name, dict(zip(("bias", *Features._fields), weights.round(2).tolist(), strict=True)))
        table = [("all", f"{average_precision(pairs):.3f}")]
        for place, feature in enumerate(Features._fields):
            without = [Pairs(np.delete(each.features, place, 1), each.replaces) for each in pairs]
            table.append((f"without {feature}", f"{average_precision(without):.3f}"))
        print_table(f"{name}: a project that was not seen", ["features", "average precision"], table, [])


def pairs_of(project: Path, models: Models) -> Pairs:
    """Return the pairs of the memories of *project*."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        names = save_project(store, project)
        embed_all(store, models)
        found = rows(store.connection, "SELECT seq, id FROM memories ORDER BY seq")
        number = {names[shown]: seq for seq, id_ in found for shown in names if id_.startswith(shown)}
        statements = statements_of(store, [seq for seq, _ in found])
        cosines = vectors.cosines_between(store, vectors.of(store, list(statements)))
        store.connection.close()
    known = {
        (number[gold], number[stale])
        for question in read_lines(project / "questions.jsonl")
        if question["kind"] in TELLING_KINDS
        for gold in question["gold"]
        for stale in question["stale"]
    }
    features: list[Features] = []
    replaces: list[bool] = []
    for newer, statement in statements.items():
        for older, other in statements.items():
            each = features_of(statement, other, cosines.get((newer, older), 0.0))
            if older < newer and (each.shared or each.cosine >= NEAR):
                features.append(each)
                replaces.append((newer, older) in known)
    return Pairs(np.array(features), np.array(replaces, float))


def fitted(pairs: Sequence[Pairs]) -> Array:
    """Return bias and weights of a ridge logistic regression, in the features' own units."""
    features, replaces = np.concatenate([each.features for each in pairs]), np.concatenate([p.replaces for p in pairs])
    middle, spread = features.mean(0), features.std(0) + 1e-9
    rows_ = np.c_[np.ones(len(features)), (features - middle) / spread]
    weights = np.zeros(rows_.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-rows_ @ weights))
        slope = rows_.T @ (likely - replaces) + STRENGTH * np.r_[0, weights[1:]]
        curve = (rows_ * (likely * (1 - likely))[:, None]).T @ rows_ + STRENGTH * np.eye(len(weights))
        weights -= np.linalg.solve(curve, slope)
    scaled = weights[1:] / spread
    return np.r_[weights[0] - scaled @ middle, scaled]


def average_precision(pairs: Sequence[Pairs]) -> float:
    """Return the average precision of the pairs of each project by weights from the others."""
    odds: list[Array] = []
    for place, held in enumerate(pairs):
        weights = fitted([*pairs[:place], *pairs[place + 1 :]])
        odds.append(weights[0] + held.features @ weights[1:])
    replaces = np.concatenate([each.replaces for each in pairs])[np.argsort(-np.concatenate(odds), kind="stable")]
    precision = np.cumsum(replaces) / np.arange(1, len(replaces) + 1)
    return float((precision * replaces).sum() / replaces.sum())


if __name__ == "__main__":
    main()
