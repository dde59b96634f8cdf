"""Promise: of conversations of others, what is worth keeping is kept, and of those that hold nothing, nothing.

    python benchmarks/capture_judgement.py [FOLDER] [--chats FILE] [--leave-author-out FOLDER] [--misses]

FOLDER (benchmarks/truth when omitted) holds a folder for each project with fragments.jsonl: conversations, and what of
them should be kept; authors.json says who wrote which. The FILE of `--chats` holds chats without any decision
(`topic`, `turns`). With `--leave-author-out` each author's fragments are judged by weights fitted on all others; the
folder has tasks.json and decoys.json, as for `tools/capture_weights/fit.py`. Besides, `other_languages.jsonl` and
`recaps.jsonl` in `benchmarks/capture` are read.

A fragment counts as kept if anything of it is; its kind is right if one of those kept has a kind of its label. Of the
authors' shares the worst stands in front, then who wrote it.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

from judgement import TRUTH
from measuring import print_table

from palimp_daemon.features.capture.extract import Extract, extracts_of
from palimp_daemon.features.capture.rules import weights
from palimp_daemon.text.messages import Message

sys.path.insert(0, str(Path(__file__).parents[1] / "tools" / "capture_weights"))
import fit

SHIPPED = weights.tables

OWN = {"other languages": "other_languages.jsonl", "recaps": "recaps.jsonl"}
"""Own fragments of which one half is fitted on, and the other is not."""

Totals = dict[str, list[int]]


def main() -> None:
    """Print one table, and with --misses what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    parser.add_argument("--chats", type=Path, help="a file of chats that hold no decision, as decoys.json")
    parser.add_argument("--leave-author-out", type=Path, help="weights without the author; tasks.json and decoys.json")
    parser.add_argument("--misses", action="store_true", help="also what went wrong")
    arguments = parser.parse_args()
    totals: Totals = defaultdict(lambda: [0, 0])
    misses: list[str] = []
    _truth(arguments.folder, arguments.leave_author_out, totals, misses)
    for name, file in OWN.items():
        _fragments(Path(__file__).parent / "capture" / file, name, totals, misses)
    if arguments.chats:
        _decoys(arguments.chats, totals, misses)
    rows = [(name, str(right), str(of), f"{100 * right / max(1, of):.1f} %") for name, (right, of) in totals.items()]
    print_table("Captured of conversations of others", ["what", "right", "of", "share"], rows, ())
    if arguments.misses:
        print(*misses, sep="\n")


def _truth(folder: Path, chats: Path | None, totals: Totals, misses: list[str]) -> None:
    """Count the fragments of each author and of all, the worst author first; with *chats* by weights of the others."""
    of_project: dict[str, str] = json.loads((folder / "authors.json").read_text(encoding="utf-8"))
    cases = fit.labelled(chats) if chats else []
    by_author: dict[str, Totals] = {}
    for author in sorted({*of_project.values()}):
        found = by_author[author] = defaultdict(lambda: [0, 0])
        fitted = fit.fitted_tables(cases, f"author {author}") if chats else SHIPPED()
        weights.tables = lambda fitted=fitted: fitted  # what the rules call
        for project in sorted(project for project, writer in of_project.items() if writer == author):
            _fragments(folder / project / "fragments.jsonl", "truth", found, misses)
    weights.tables = SHIPPED
    for name in sorted({name for found in by_author.values() for name in found}):
        shares = sorted((found[name][0] / max(1, found[name][1]), author) for author, found in by_author.items())
        for _, author in shares:
            totals[f"{name} (author {author})"] = by_author[author][name]
        totals[f"{name}"] = [sum(counts) for counts in zip(*(found[name] for found in by_author.values()), strict=True)]


def _fragments(path: Path, name: str, totals: Totals, misses: list[str]) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        fragment = json.loads(line)
        found = extracts_of(_messages(fragment["messages"]))
        total = f"{name}, {fragment['half']}" if "half" in fragment else name
        kinds = {each["kind"] for each in fragment["keep"]}
        told = f"{path.parent.name} {fragment['id']} {sorted(kinds)} captured {_told(found)}"
        if kinds:
            _count(totals, f"{total}: worth keeping, kept", bool(found))
            if found:
                _count(totals, f"{total}: kept with the right kind", any(each.kind in kinds for each in found))
        else:
            _count(totals, f"{total}: worth nothing, nothing kept", not found)
        if bool(found) != bool(kinds) or (kinds and all(each.kind not in kinds for each in found)):
            misses.append(f"{told} of: {' | '.join(each['text'] for each in fragment['messages'])[:300]}")


def _decoys(file: Path, totals: Totals, misses: list[str]) -> None:
    """Count the memories of the chats in *file*, of which none holds a decision."""
    for chat in json.loads(file.read_text(encoding="utf-8")):
        found = extracts_of(_messages(chat["turns"]))
        totals["decoys: memories of as many chats"][0] += len(found)
        totals["decoys: memories of as many chats"][1] += 1
        misses += [f"decoy {chat['topic']} captured {each.kind}: {each.text}" for each in found]


def _messages(given: list[dict[str, str]]) -> list[Message]:
    return [Message(each["role"], each["text"]) for each in given]


def _told(found: list[Extract]) -> list[tuple[str, str]]:
    return [(each.kind, each.quote) for each in found]


def _count(totals: Totals, name: str, is_right: bool) -> None:  # noqa: FBT001  what is counted
    totals[name][0] += is_right
    totals[name][1] += 1


if __name__ == "__main__":
    main()
