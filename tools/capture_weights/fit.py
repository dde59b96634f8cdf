"""Fit the weights of the signs by which capture knows what is worth keeping, and say how well they do elsewhere.

    python tools/capture_weights/fit.py CHATS_FOLDER [--write] [--misses]

Logistic regression on labelled messages: `seen.jsonl` and half of `other_languages.jsonl` and `recaps.jsonl` in
`benchmarks/capture`, the fragments of each author of `benchmarks/truth`, and the chats of CHATS_FOLDER (tasks.json,
decoys.json). What stands in `unseen.jsonl`, `later.jsonl` and the other halves is not fitted on. A cost of each weight
chooses the signs, the rest are dropped; the weights of those chosen are fitted again without it. Printed is what comes
out when each author, language and fifth of the chats is judged by signs and weights chosen on all others. With --write
the table is written that is part of the package (`rules/weights.tsv`). Takes a minute and needs numpy
(palimp[semantic]).
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from palimp_daemon.features.capture.extract import (
    FIX_ODDS_MIN,
    RECAP_ODDS_MIN,
    USER_ODDS_MIN,
    messages_in_context,
    signs_of_fix,
    signs_of_recap,
    signs_of_user,
)
from palimp_daemon.features.capture.rules.weights import MODELS
from palimp_daemon.features.capture.session_reading import said_in
from palimp_daemon.text.messages import Message
from palimp_daemon.text.redact import Redactor

ROOT = Path(__file__).parents[2]
OWN = ROOT / "benchmarks" / "capture"
TRUTH = ROOT / "benchmarks" / "truth"
TABLE = ROOT / "daemon" / "palimp_daemon" / "features" / "capture" / "rules" / "weights.tsv"

COSTS = {"user": 8.0, "correction": 3.5, "preference": 3.5, "fix": 2.0, "recap": 3.0}
"""What a weight costs by its size while signs are chosen: the dearer, the fewer are left."""

PENALTY = 1.0
"""What the square of a weight costs: the larger, the less a rare sign is worth."""

CHOOSING_STEPS = 1_000
STEPS = 60
"""Steps of Newton's method, which takes ten."""

BOUNDS = {"user": USER_ODDS_MIN, "fix": FIX_ODDS_MIN, "recap": RECAP_ODDS_MIN}
"""From which odds on capture keeps a message."""

KINDS = ("decision", "preference", "correction")
FOLDS = 5
"""Parts of the chats that are put aside in turn."""


Matrix = npt.NDArray[np.float64]


class Case(NamedTuple):
    """A message: of which group, its signs, and what it is: a kind, nothing ("") or not known (None)."""

    group: str
    model: str
    signs: frozenset[str]
    label: str | None
    weight: float = 1.0
    text: str = ""


def main() -> None:
    """Print how well the weights do on groups that they were not fitted on; write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chats", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    cases = labelled(options.chats)
    for model in ("user", "fix", "recap"):
        own = [each for each in cases if each.model == model and each.label is not None]
        _tell(model, own, misses=options.misses)
    _tell_kinds([each for each in cases if each.model == "user" and each.label in KINDS], misses=options.misses)
    tables = fitted_tables(cases)
    if options.write:
        TABLE.write_text(_table(tables), encoding="utf-8")
        print("written:", TABLE.relative_to(ROOT), {name: len(table) for name, table in tables.items()})


def labelled(chats: Path) -> list[Case]:
    """Return all labelled messages; *chats* is a folder with tasks.json and decoys.json."""
    return [*_own(), *_languages(), *_recaps(), *_truth(TRUTH), *_chats(chats), *_decoys(chats)]


def fitted_tables(cases: Sequence[Case], without: str = "") -> dict[str, dict[str, float]]:
    """Return the tables of all models, fitted on *cases* that are not of the group *without*."""
    own = [each for each in cases if each.group != without and each.label is not None]
    tables = {model: fitted(model, [e for e in own if e.model == model]) for model in ("user", "fix", "recap")}
    return tables | fitted_kinds([each for each in own if each.model == "user" and each.label in KINDS])


def fitted(model: str, cases: Sequence[Case], label: str = "") -> dict[str, float]:
    """Return what each chosen sign is worth for a case to have *label*, any if it is empty; "": the constant term."""
    names = sorted({name for each in cases for name in each.signs})
    place = {name: number for number, name in enumerate(names, 1)}
    given = np.zeros((len(cases), len(names) + 1))
    given[:, 0] = 1
    for row, each in enumerate(cases):
        given[row, [place[name] for name in each.signs]] = 1
    truth = np.array([each.label == label if label else bool(each.label) for each in cases], float)
    counted = np.array([each.weight for each in cases])
    chosen = _chosen(given, truth, counted, COSTS[model])
    weights = _weights(given[:, chosen], truth, counted)
    return {names[number - 1] if number else "": float(weight) for number, weight in zip(chosen, weights, strict=True)}


def fitted_kinds(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Return the tables that tell corrections from other *cases*, and among these preferences from decisions."""
    others = [each for each in cases if each.label != "correction"]
    return {
        "correction": fitted("correction", cases, "correction"),
        "preference": fitted("preference", others, "preference"),
    }


def _chosen(given: Matrix, truth: Matrix, counted: Matrix, cost: float) -> list[int]:
    """Return the columns of *given* that earn *cost*, the constant first: proximal gradient steps, accelerated."""
    slowest = 0.25 * np.linalg.eigvalsh((given * counted[:, None]).T @ given)[-1]
    costs = np.full(given.shape[1], cost / slowest)
    costs[0] = 0.0
    weights, ahead, pace = np.zeros(given.shape[1]), np.zeros(given.shape[1]), 1.0
    for _ in range(CHOOSING_STEPS):
        slope = given.T @ (counted * (_odds(given @ ahead) - truth))
        new = ahead - slope / slowest
        new = np.sign(new) * np.maximum(np.abs(new) - costs, 0.0)
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead = new + (pace - 1) / faster * (new - weights)
        weights, pace = new, faster
    return [0, *(int(number) for number in np.flatnonzero(weights) if number)]


def _weights(given: Matrix, truth: Matrix, counted: Matrix) -> Matrix:
    """Return the weights of the columns of *given* by Newton's method."""
    penalty = np.full(given.shape[1], PENALTY)
    penalty[0] = 0.01
    weights = np.zeros(given.shape[1])
    for _ in range(STEPS):
        odds = _odds(given @ weights)
        slope = given.T @ (counted * (odds - truth)) + penalty * weights
        curve = (given * (counted * odds * (1 - odds))[:, None]).T @ given + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def _odds(sums: Matrix) -> Matrix:
    return 1 / (1 + np.exp(-np.clip(sums, -30, 30)))


def odds(table: dict[str, float], signs: frozenset[str]) -> float:
    """Return the sum of the weights of *signs*."""
    return table.get("", 0.0) + sum(table.get(name, 0.0) for name in signs)


def _tell(model: str, cases: list[Case], *, misses: bool) -> None:
    """Print, for some bounds, what of each group is kept by weights that were fitted on the others."""
    scores: dict[str, list[tuple[float, bool, str]]] = {}
    for group in sorted({each.group for each in cases}):
        others = [each for each in cases if each.group != group]
        table = fitted(model, others)
        name = _shown(group)
        scores.setdefault(name, []).extend(
            (odds(table, e.signs), bool(e.label), e.text) for e in cases if e.group == group
        )
    print(
        f"\n{model}: {len(cases)} messages, {sum(bool(e.label) for e in cases)} worth keeping;"
        " kept of what is worth it, and of what is not, by bound"
    )
    for name, found in scores.items():
        told = [
            f"{bound:+.1f}: {sum(s >= bound for s, t, _ in found if t)}/{sum(t for _, t, _ in found)}"
            f" {sum(s >= bound for s, t, _ in found if not t)}/{sum(not t for _, t, _ in found)}"
            for bound in sorted({-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, BOUNDS[model]})
        ]
        print(f"  {name:14s} {'   '.join(told)}")
    if misses:
        for name, found in scores.items():
            for score, is_worth, text in sorted(found):
                if (score >= BOUNDS[model]) != is_worth:
                    print(f"    {name} {'missed' if is_worth else 'kept'} {score:+.2f} {text[:180]}")


def _tell_kinds(cases: list[Case], *, misses: bool) -> None:
    right: dict[str, list[int]] = {}
    for group in sorted({each.group for each in cases}):
        tables = fitted_kinds([each for each in cases if each.group != group])
        for each in (each for each in cases if each.group == group):
            guess = _kind(tables, each.signs)
            count = right.setdefault(_shown(group), [0, 0])
            count[0] += guess == each.label
            count[1] += 1
            if misses and guess != each.label:
                print(f"    kind {group} {guess} for {each.label}: {each.text[:160]}")
    print("\nkinds right:", {name: f"{one}/{of}" for name, (one, of) in right.items()})


def _kind(tables: dict[str, dict[str, float]], signs: frozenset[str]) -> str:
    if odds(tables["correction"], signs) > 0:
        return "correction"
    return "preference" if odds(tables["preference"], signs) > 0 else "decision"


def _shown(group: str) -> str:
    """Return the name by which *group* is counted: an author, or all of what else is put aside in parts."""
    return group if group.startswith("author") else group.split("/", maxsplit=1)[0]


# --- the labelled messages -----------------------------------------------------------------------


def _cases(
    group: str, messages: Sequence[Message], labels: dict[int, str | None], others: str | None, weight: float
) -> Iterator[Case]:
    """Yield what the messages of a conversation are; those that have no label are *others*."""
    texts = [message.text for message in messages]
    at = 0
    for heard in messages_in_context(messages):
        place = texts.index(heard.message.text, at)
        at = place
        label = labels.get(place, others)
        text = heard.message.text
        if heard.message.role == "user":
            yield Case(group, "user", signs_of_user(heard), label, weight, text)
        else:
            fix = label if label in ("fix", "", None) else None
            yield Case(group, "fix", signs_of_fix(heard), fix, weight, text)
            if recap := signs_of_recap(heard):
                yield Case(group, "recap", recap[1], label if label in ("decision", "", None) else None, weight, text)


def _own() -> Iterator[Case]:
    for line in (OWN / "seen.jsonl").read_text(encoding="utf-8").splitlines():
        fragment = json.loads(line)
        messages = said_in("\n".join(map(json.dumps, fragment["entries"])), Redactor()).messages
        labels: dict[int, str | None] = {}
        for label in fragment["expected"]:
            labels |= {
                n: label["kind"] for n, each in enumerate(messages) if label["quote"].strip() == each.text.strip()
            }
        yield from _cases("own", messages, labels, "", 1.0)


def _recaps() -> Iterator[Case]:
    for line in (OWN / "recaps.jsonl").read_text(encoding="utf-8").splitlines():
        fragment = json.loads(line)
        if fragment["half"] == "seen":
            labels: dict[int, str | None] = {0: None} | {each["from"]: each["kind"] for each in fragment["keep"]}
            yield from _cases("recaps", _messages(fragment["messages"]), labels, "", 1.0)


def _languages() -> Iterator[Case]:
    for line in (OWN / "other_languages.jsonl").read_text(encoding="utf-8").splitlines():
        fragment = json.loads(line)
        if fragment["half"] == "seen":
            kinds = {each["kind"] for each in fragment["keep"]}
            labels: dict[int, str | None] = {
                each["from"]: each["kind"] if len(kinds) == 1 else "worth it" for each in fragment["keep"]
            }
            yield from _cases(f"languages/{fragment['id'][:2]}", _messages(fragment["messages"]), labels, "", 1.0)


def _truth(folder: Path) -> Iterator[Case]:
    authors: dict[str, str] = json.loads((folder / "authors.json").read_text(encoding="utf-8"))
    for path in sorted(folder.glob("*/fragments.jsonl")):
        group = f"author {authors[path.parent.name]}"
        for line in path.read_text(encoding="utf-8").splitlines():
            fragment = json.loads(line)
            labels: dict[int, str | None] = {each["from"]: each["kind"] for each in fragment["keep"]}
            others = None if labels else ""
            yield from _cases(group, _messages(fragment["messages"]), labels, others, 2.0)


def _chats(folder: Path) -> Iterator[Case]:
    for task in json.loads((folder / "tasks.json").read_text(encoding="utf-8")):
        family = task["id"].split("-")[0]
        quotes = [each for part in task.get("parts", ()) for each in part["any_of"]]
        for chat, messages in enumerate(task.get("chats", ())):
            labels: dict[int, str | None] = {
                each["message"]: "decision" if messages[each["message"]]["role"] == "assistant" else "worth it"
                for each in quotes
                if each["chat"] == chat
            }
            yield from _cases(f"chats/{sum(map(ord, family)) % FOLDS}", _messages(messages), labels, None, 1.0)


def _decoys(folder: Path) -> Iterator[Case]:
    for number, chat in enumerate(json.loads((folder / "decoys.json").read_text(encoding="utf-8"))):
        yield from _cases(f"decoys/{number % FOLDS}", _messages(chat["turns"]), {}, "", 1.0)


def _messages(given: list[dict[str, str]]) -> list[Message]:
    return [Message(each["role"], each["text"]) for each in given]


def _table(tables: dict[str, dict[str, float]]) -> str:
    return "".join(
        f"{model}\t{sign}\t{weight:.2f}\n" for model in MODELS for sign, weight in sorted(tables[model].items())
    )


if __name__ == "__main__":
    main()
