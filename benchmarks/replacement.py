"""Fit when a memory is taken to replace an older one (`judgement.replacing`).

    python benchmarks/replacement.py [FOLDER]

FOLDER holds projects as benchmarks/truth does, which is read when it is omitted. Each two memories of a project are a
pair; the newer one replaces the older where a question names it as right and the older one as replaced. Prints the
weights of a logistic regression over all projects, with meaning and by words alone; and for each author the average
precision of the author's pairs by weights fitted on the others, with all features and without each (the ablation). Many
pairs replace one another without any question that says so: precision is a lower bound.
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from judgement import AUTHORS, TRUTH, save_project
from measuring import print_table, progress
from retrieval import Models, embed_all, loaded_models, read_lines

from palimp_daemon.judgement.replacing import Features, features_of
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.memory_statements import statements_of

STRENGTH: Final = 1.0
"""Of the ridge: the regression's own prior."""

STEPS: Final = 50
"""Newton's steps; it converges in ten."""

Array = np.ndarray[Any, Any]


class Pairs(NamedTuple):
    """The pairs of one project: a row of features each, and whether the newer one is known to replace the older."""

    features: Array
    replaces: Array


def main() -> None:
    """Print weights and ablation, with meaning and by words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    by_author = pairs_by_author(parser.parse_args().folder)
    for name, pairs in (("with meaning", by_author), ("by words", lexical(by_author))):
        weights = fitted([pairs_of_one for each in pairs.values() for pairs_of_one in each])
        print(name, dict(zip(("bias", *Features._fields), weights.round(2).tolist(), strict=True)))
        table = [("all", *precision_by_author(pairs))]
        for place, feature in enumerate(Features._fields):
            without = {
                author: [Pairs(np.delete(each.features, place, 1), each.replaces) for each in of_author]
                for author, of_author in pairs.items()
            }
            table.append((f"without {feature}", *precision_by_author(without)))
        columns = ["average precision", *(f"author {author}" for author in pairs)]
        print_table(f"{name}: authors who were left out", columns, table, [])


def pairs_by_author(folder: Path) -> dict[str, list[Pairs]]:
    """Return the pairs of each project in *folder*, by author."""
    models = loaded_models()
    found: dict[str, list[Pairs]] = {}
    for project in progress([path.parent for path in sorted(folder.glob("*/questions.jsonl"))], "comparing"):
        found.setdefault(AUTHORS.get(project.name, project.name), []).append(pairs_of(project, models))
    return found


def lexical(pairs: Mapping[str, Sequence[Pairs]]) -> dict[str, list[Pairs]]:
    """Return *pairs* without cosines."""
    return {
        author: [Pairs(each.features * [0, 1, 1, 1, 1], each.replaces) for each in of_author]
        for author, of_author in pairs.items()
    }


def pairs_of(project: Path, models: Models) -> Pairs:
    """Return the pairs of the memories of *project*."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        names = save_project(store, project)
        embed_all(store, models)
        found = rows(store.connection, "SELECT seq, id FROM memories ORDER BY seq")
        number = {names[shown]: seq for seq, id_ in found for shown in names if id_.startswith(shown)}
        statements = statements_of(store, [seq for seq, _ in found])
        cosines = vector_rows.cosines_between(store, vector_rows.of(store, list(statements)))
        store.connection.close()
    known = {
        (number[gold], number[stale])
        for question in read_lines(project / "questions.jsonl")
        for gold in question.get("gold", ())
        for stale in question.get("stale", ())
    }
    pairs = [
        (newer, older)
        for newer, one in statements.items()
        for older, other in statements.items()
        if other.created_at < one.created_at
    ]
    features = [features_of(statements[one], statements[two], cosines.get((one, two), 0.0)) for one, two in pairs]
    return Pairs(np.array(features), np.array([pair in known for pair in pairs], float))


def without_author(pairs: Mapping[str, Sequence[Pairs]], author: str) -> list[Pairs]:
    """Return *pairs* but for those of *author*."""
    return [each for other, of_author in pairs.items() if other != author for each in of_author]


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


def precision_by_author(pairs: Mapping[str, Sequence[Pairs]]) -> list[str]:
    """Return the average precision of each author's pairs by weights fitted on the others."""
    found: list[str] = []
    for author, of_author in pairs.items():
        weights = fitted(without_author(pairs, author))
        odds = np.concatenate([weights[0] + each.features @ weights[1:] for each in of_author])
        replaces = np.concatenate([each.replaces for each in of_author])[np.argsort(-odds, kind="stable")]
        precision = np.cumsum(replaces) / np.arange(1, len(replaces) + 1)
        found.append(f"{(precision * replaces).sum() / replaces.sum():.2f}")
    return found


if __name__ == "__main__":
    main()
