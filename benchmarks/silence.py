"""Calibrate the bound below which nothing that was found answers (`search.silence`).

    python benchmarks/silence.py DATA_FOLDER [--semantic]

DATA_FOLDER holds projects as in the set `truth`. For bounds on the best score, each the one that silences a tenth more
of the questions that nothing answers: how many of these are silenced, and of every other kind of question how many of
those whose answer is among the first five are lost. A bound is good where the first is much and the others are little;
*of others* leaves out one project at a time, and takes the bound that silences as much of the other ones.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from judgement import WHOLE_GOLD, ask_all
from measuring import print_table
from retrieval import loaded_models

from palimp_daemon.search import silence
from palimp_protocol.messages.memories import Recalled

PARTS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
"""Of the questions that nothing answers, which are to be silenced."""


class Asked(NamedTuple):
    """A question: its project and kind, the best score, and whether what is right is among the first five."""

    project: str
    kind: str
    best: float
    is_right: bool


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--semantic", action="store_true")
    arguments = parser.parse_args()
    models = loaded_models() if arguments.semantic else None
    silence.SCORE_MIN = silence.WORDS_MIN = 0.0  # pyright: ignore[reportConstantRedefinition, reportAttributeAccessIssue]
    asked = [
        _asked(path.parent.name, question, found, answer)
        for path in sorted(arguments.folder.glob("*/questions.jsonl"))
        for question, found, answer in ask_all(path.parent, models)
    ]
    searched = [each for each in asked if each.best > 0]
    kinds = sorted({each.kind for each in searched} - {"never"})
    rows = []
    for part in PARTS:
        bound = _bound(searched, part)
        lost = {kind: _lost(searched, kind, bound) for kind in kinds}
        others = [_silenced(searched, project, part) for project in sorted({each.project for each in searched})]
        shown = [f"{100 * value:.0f}" for value in lost.values()]
        rows.append((f"{bound:.2f}", f"{100 * part:.0f}", f"{100 * sum(others) / len(others):.0f}", *shown))
    print_table("lost where so many are silenced (%)", ["bound", "never", "of others", *kinds], rows, [])


def _asked(project: str, question: dict[str, Any], found: list[str], answer: Recalled) -> Asked:
    kind, gold = question["kind"], set(question.get("gold", ()))
    five = gold & set(found[:5])
    best = max((memory.score or 0.0 for memory in answer.memories), default=0.0)
    return Asked(project, kind, best, five == gold if kind in WHOLE_GOLD else bool(five))


def _bound(asked: Sequence[Asked], part: float) -> float:
    scores = sorted(each.best for each in asked if each.kind == "never")
    return scores[min(len(scores) - 1, int(part * len(scores)))]


def _lost(asked: Sequence[Asked], kind: str, bound: float) -> float:
    right = [each for each in asked if each.kind == kind and each.is_right]
    return sum(each.best < bound for each in right) / len(right) if right else 0.0


def _silenced(asked: Sequence[Asked], project: str, part: float) -> float:
    bound = _bound([each for each in asked if each.project != project], part)
    never = [each for each in asked if each.project == project and each.kind == "never"]
    return sum(each.best < bound for each in never) / len(never)


if __name__ == "__main__":
    main()
