"""Promise: a prompt brings the memories that it needs, and an everyday task brings nothing.

    python benchmarks/prompts.py [DATA_FOLDER] [--misses]

The prompts in `benchmarks/prompts/` are about the 60 memories of `benchmarks/retrieval_sets/in_other_words`: half of
them tasks in which one of those should be known (`wanted` names it), half of them tasks of which nothing is known.
The thresholds were chosen on *seen*; *unseen* was written at the same time and decided nothing. The set's own questions
are given as prompts, too. *other languages* are 80 prompts in ten others, about 40 memories in those languages
(`retrieval_sets/other_languages`), which are saved beside the English ones. With DATA_FOLDER (as for `retrieval.py`)
the English prompts are also given in LoCoMo's conversations, where nothing is known of any of them.

*right*: of the prompts that need a memory, how many are given it. *unneeded*: of those that need none, how many are
given something. *given*: memories in all, and how many of them are wanted. `--misses` shows what went wrong in *seen*.
"""

import argparse
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from measuring import print_table, progress
from retrieval import NOW_MS, Models, caller_of, embed_all, loaded_models, of_prompts, read_lines, save_all

from palimp_daemon.features.sessions.prompt_context import known_for_prompt
from palimp_daemon.store.opening import open_store

HERE = Path(__file__).parent
MEMORIES = HERE / "retrieval_sets" / "in_other_words"
FOREIGN = HERE / "retrieval_sets" / "other_languages"
MEMORIES_OF_SESSION = 5
SPACE = "words"


class Prompt(NamedTuple):
    """A prompt, where it is given, and the ids of the memories one of which it needs."""

    space: str
    text: str
    wanted: Sequence[str] = ()


class Given(NamedTuple):
    """A prompt, and the ids of the memories that it was given."""

    prompt: Prompt
    memories: Sequence[str]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--misses", action="store_true", help="show what went wrong with those that were seen")
    options = parser.parse_args()
    models = loaded_models()
    halves = {half: prompts_of(half) for half in ("seen", "unseen")}
    halves["questions"] = _questions(MEMORIES)
    english = in_sessions(read_lines(MEMORIES / "corpus.jsonl"))
    found = _given(english, halves, models)
    foreign = {"other languages": prompts_of("other_languages")}
    found |= _given(english + in_sessions(read_lines(FOREIGN / "corpus.jsonl")), foreign, models)
    if options.misses:
        _print_misses([*found["seen", "meaning"], *found["other languages", "words"]])
    if options.folder:
        entries = read_lines(options.folder / "locomo" / "corpus.jsonl")
        spaces = sorted({entry["space"] for entry in entries})
        elsewhere = [Prompt(space, each.text) for space in spaces for half in halves.values() for each in half]
        found |= _given(entries, {f"all, in LoCoMo's {len(spaces)}": elsewhere}, models)
    columns = ["prompts", "by", "of which one is known", "right", "of which nothing is", "unneeded", "given"]
    print_table("What prompts bring", columns, [(*names, *_counted(given)) for names, given in found.items()], [])


def _given(
    entries: list[dict[str, Any]], groups: dict[str, list[Prompt]], models: Models
) -> dict[tuple[str, str], list[Given]]:
    """Return what each group of prompts is given where *entries* are known, lexical and semantic."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        names = save_all(store, entries, is_isolated=False)
        meaning_of = of_prompts(store, models, embed_all(store, models))
        found: dict[tuple[str, str], list[Given]] = {}
        for (group, prompts), by in product(groups.items(), ("words", "meaning")):
            for prompt in progress(prompts, f"{group}, by {by}"):
                meaning = meaning_of(prompt.text) if by == "meaning" else ()
                rows = known_for_prompt(caller_of(prompt.space), prompt.text, meaning, NOW_MS, store)
                found.setdefault((group, by), []).append(
                    Given(prompt, [name for row in rows for name in names[row.seq]])
                )
        store.connection.close()
    return found


def _hits(given: Given) -> int:
    return sum(each in given.prompt.wanted for each in given.memories)


def _counted(found: Sequence[Given]) -> tuple[str, ...]:
    needing = [each for each in found if each.prompt.wanted]
    right = sum(_hits(each) > 0 for each in needing)
    in_vain = sum(bool(each.memories) for each in found if not each.prompt.wanted)
    memories, wanted = sum(len(each.memories) for each in found), sum(map(_hits, found))
    return (f"{len(needing)}", f"{right}", f"{len(found) - len(needing)}", f"{in_vain}", f"{memories} ({wanted})")


def _print_misses(found: Sequence[Given]) -> None:
    for prompt, memories in found:
        if not _hits(Given(prompt, memories)) if prompt.wanted else memories:
            print(f"{prompt.text!r} needs {[*prompt.wanted]}, is given {memories}")


def in_sessions(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *entries* as if each session had saved MEMORIES_OF_SESSION: what is saved together is indexed together."""
    return [{**entry, "session": f"s{place // MEMORIES_OF_SESSION}"} for place, entry in enumerate(entries)]


def prompts_of(half: str) -> list[Prompt]:
    """Return the prompts of the file *half*."""
    lines = read_lines(HERE / "prompts" / f"{half}.jsonl")
    return [Prompt(SPACE, line["prompt"], line["wanted"]) for line in lines]


def _questions(folder: Path) -> list[Prompt]:
    gold = {line["id"]: line["gold"] for line in read_lines(folder / "gold.jsonl")}
    return [Prompt(SPACE, line["text"], gold[line["id"]]) for line in read_lines(folder / "queries.jsonl")]


if __name__ == "__main__":
    main()
