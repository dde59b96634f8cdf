"""Calibrate the bound below which nothing that was found answers (`search.silence`).

    python benchmarks/silence.py [FOLDER] [--semantic]

FOLDER holds projects as benchmarks/truth does, which is read when it is omitted. Prints the weights of a logistic
regression over all projects that tells questions whose answer is among the first five rows from those that nothing
answers; what has most of the words or a name that was asked for is certain to answer, and not weighed. Then, with
each project left out of it in turn: for bounds that silence a tenth more of the questions without an answer each, how
many of every kind of question lose their answer. Questions that name a time or an order are lists, and are never
silenced.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from judgement import TRUTH, WHOLE_GOLD, ask_all
from measuring import print_table
from replacement import Pairs, fitted
from retrieval import loaded_models

from palimp_daemon.features.memories import find
from palimp_daemon.search.memory_ranking import MemoryRank
from palimp_daemon.search.silence import Features, features_of, is_certain

PARTS: Final = (0.2, 0.3, 0.4, 0.5, 0.6)
"""Of the questions that nothing answers, which are to be silenced."""

Array = np.ndarray[Any, Any]


class Asked(NamedTuple):
    """A question: its project and kind, and what tells whether it is answered."""

    project: str
    kind: str
    features: Features
    is_certain: bool


def main() -> None:
    """Print weights and one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    parser.add_argument("--semantic", action="store_true")
    arguments = parser.parse_args()
    asked = _asked(arguments.folder, loaded_models() if arguments.semantic else None)
    features = np.array([each.features for each in asked])
    is_answered = np.array([each.kind != "never" for each in asked], float)
    is_weighed = ~np.array([each.is_certain for each in asked])
    weights = fitted([Pairs(features[is_weighed], is_answered[is_weighed])])
    print(dict(zip(("bias", *Features._fields), weights.round(2).tolist(), strict=True)))
    odds = np.zeros(len(asked))
    for project in {each.project for each in asked}:
        held = np.array([each.project == project for each in asked])
        learned = ~held & is_weighed
        others = fitted([Pairs(features[learned], is_answered[learned])])
        odds[held] = others[0] + features[held] @ others[1:]
    odds[~is_weighed] = np.inf
    kinds = sorted({each.kind for each in asked} - {"never"})
    rows: list[tuple[str, ...]] = []
    for part in PARTS:
        never = np.sort(odds[is_answered == 0])
        bound = never[int(part * len(never))]
        lost = [np.mean([odd < bound for odd, each in zip(odds, asked, strict=True) if each.kind == k]) for k in kinds]
        rows.append((f"{bound:.1f}", f"{100 * part:.0f}", *(f"{100 * share:.0f}" for share in lost)))
    print_table("answers lost where so many are silenced (%)", ["bound", "never", *kinds], rows, [])


def _asked(folder: Path, models: Any) -> list[Asked]:
    """Return the questions that nothing answers and those whose answer was found, with what was found for each."""
    noted: list[tuple[Features, bool]] = []

    def note(ranks: Sequence[MemoryRank], asked_words: int, *, lacks_name: bool, is_semantic: bool) -> bool:
        noted.append((features_of(ranks, asked_words, lacks_name=lacks_name), is_certain(ranks, asked_words)))
        return True

    find.answers = note
    asked: list[Asked] = []
    for path in sorted(folder.glob("*/questions.jsonl")):
        for question, found, _ in ask_all(path.parent, models):
            what = noted.pop() if noted else None
            noted.clear()
            kind, gold = question["kind"], set(question.get("gold", ()))
            five = gold & set(found[:5])
            is_right = kind == "never" or (five == gold if kind in WHOLE_GOLD else bool(five))
            if what and is_right:
                asked.append(Asked(path.parent.name, kind, *what))
    return asked


if __name__ == "__main__":
    main()
