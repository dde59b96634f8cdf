"""Promise: of conversations of others, what is worth keeping is kept, and of those that hold nothing, nothing.

    python benchmarks/capture_judgement.py [FOLDER] [--chats FOLDER] [--misses]

FOLDER (benchmarks/truth when omitted) holds a folder for each project with fragments.jsonl: conversations, and what of
them should be kept. The folder of `--chats` holds decisive.json, decoys.json and sde-bench/: chats on which a task
turns, the words of them that decide it, and chats without any decision. Besides, `other_languages.jsonl` and
`recaps.jsonl` in `benchmarks/capture` are read.

A fragment counts as kept if anything of it is; its kind is right if one of those kept has a kind of its label. Words
that decide are kept if one memory holds half of their runs of five words. A *recap* is what the agent says last in a
chat; what it says before that is a *confirmation*.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgement import TRUTH
from measuring import print_table

from palimp_daemon.features.capture.extract import Extract, extracts_of
from palimp_daemon.text.messages import Message

OWN = {"other languages": "other_languages.jsonl", "recaps": "recaps.jsonl"}
"""Own fragments of which one half is fitted on, and the other is not."""

RUN_WORDS = 5
"""Words in a row by which a quote is found in a memory."""

Totals = dict[str, list[int]]


def main() -> None:
    """Print one table, and with --misses what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    parser.add_argument("--chats", type=Path, help="a folder with decisive.json, decoys.json and sde-bench/")
    parser.add_argument("--misses", action="store_true", help="also what went wrong")
    arguments = parser.parse_args()
    totals: Totals = defaultdict(lambda: [0, 0])
    misses: list[str] = []
    for path in sorted(arguments.folder.glob("*/fragments.jsonl")):
        _fragments(path, "truth", totals, misses)
    for name, file in OWN.items():
        _fragments(Path(__file__).parent / "capture" / file, name, totals, misses)
    if arguments.chats:
        _chats(arguments.chats, totals, misses)
        _decoys(arguments.chats, totals, misses)
    rows = [(name, str(right), str(of), f"{100 * right / max(1, of):.1f} %") for name, (right, of) in totals.items()]
    print_table("Captured of conversations of others", ["what", "right", "of", "share"], rows, ())
    if arguments.misses:
        print(*misses, sep="\n")


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


def _chats(folder: Path, totals: Totals, misses: list[str]) -> None:
    decisive: dict[str, Any] = json.loads((folder / "decisive.json").read_text(encoding="utf-8"))
    for task, chats in _tasks(folder):
        found = [extracts_of(_messages(chat)) for chat in chats]
        quotes = {
            (each["chat"], each["message"], each["text"])
            for part in decisive[task].get("parts", ())
            for each in part["any_of"]
        }
        last = {
            number: max(place for place, each in enumerate(chat) if each["role"] == "assistant")
            for number, chat in enumerate(chats)
        }
        recaps: dict[tuple[int, int], bool] = {}
        for chat, place, text in sorted(quotes):
            is_kept = any(_holds(each, text) for each in found[chat])
            if chats[chat][place]["role"] == "user":
                _count(totals, "chats: what the user decided, kept", is_kept)
            elif place != last[chat]:
                _count(totals, "chats: what the agent confirmed, kept", is_kept)
            else:
                recaps[chat, place] = recaps.get((chat, place), False) or is_kept
            if not is_kept:
                misses.append(f"{task} {chat}/{place} {chats[chat][place]['role']} not kept: {text[:250]}")
        for is_kept in recaps.values():
            _count(totals, "chats: closing recaps, kept", is_kept)
        totals["chats: memories of them all"][0] += sum(map(len, found))
        totals["chats: memories of them all"][1] += len(found)


def _decoys(folder: Path, totals: Totals, misses: list[str]) -> None:
    """Count the memories of the chats that hold no decision."""
    for chat in json.loads((folder / "decoys.json").read_text(encoding="utf-8")):
        found = extracts_of(_messages(chat["turns"]))
        totals["decoys: memories of them all"][0] += len(found)
        totals["decoys: memories of them all"][1] += 1
        misses += [f"decoy {chat['topic']} captured {_told([each])}" for each in found]


def _tasks(folder: Path) -> Iterator[tuple[str, list[list[dict[str, str]]]]]:
    """Yield the name of each task that has chats, and its chats."""
    for path in sorted((folder / "sde-bench").glob("boltons-*/tasks/main/task.json")):
        chats: list[Any] = json.loads(path.read_text(encoding="utf-8")).get("conversations") or []
        if chats:
            yield path.parts[-4].removeprefix("boltons-"), [chats] if isinstance(chats[0], dict) else chats


def _messages(given: list[dict[str, str]]) -> list[Message]:
    return [Message(each["role"], each["text"]) for each in given]


def _holds(extract: Extract, quote: str) -> bool:
    """Tell whether a memory holds half of the runs of words of *quote*."""
    said, words = f" {' '.join(_words(extract.text))} ", _words(quote)
    size = min(RUN_WORDS, len(words))
    runs = [f" {' '.join(words[first : first + size])} " for first in range(len(words) - size + 1)]
    return sum(run in said for run in runs) * 2 >= len(runs)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_]+", text.lower())


def _told(found: list[Extract]) -> list[tuple[str, str]]:
    return [(each.kind, each.quote) for each in found]


def _count(totals: Totals, name: str, is_right: bool) -> None:  # noqa: FBT001  what is counted
    totals[name][0] += is_right
    totals[name][1] += 1


if __name__ == "__main__":
    main()
