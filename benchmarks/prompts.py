"""Promise: a prompt brings the memories that it needs, and an everyday task brings nothing.

    python benchmarks/prompts.py [DATA_FOLDER] [--misses]

The prompts in `benchmarks/prompts/` are about the 60 memories of `benchmarks/retrieval_sets/in_other_words`: half of
them tasks in which one of those should be known (`wanted` names it), half of them tasks of which nothing is known.
The thresholds were chosen on *seen*; *unseen* was written at the same time and decided nothing. The set's own questions
are given as prompts, too. With DATA_FOLDER (as for `retrieval.py`) all of these prompts are also given in LoCoMo's
conversations, where nothing is known of any of them.

*right*: of the prompts that need a memory, how many are given it. *in vain*: of those that need none, how many are
given something. *given*: memories in all, and how many of them are wanted. `--misses` shows what went wrong in *seen*.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measuring import print_table, progress
from retrieval import NOW_MS, caller_of, embed_all, loaded_model, read_lines, save_all

from palimp_daemon.operations.known_for_prompt import known_for_prompt
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store

HERE = Path(__file__).parent
MEMORIES = HERE / "retrieval_sets" / "in_other_words"
MEMORIES_OF_SESSION = 5

Embed = Callable[[str], bytes | None]


class Prompt(NamedTuple):
    """A prompt, and the ids of the memories one of which it needs."""

    text: str
    wanted: Sequence[str]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--misses", action="store_true", help="show what went wrong with those that were seen")
    options = parser.parse_args()
    halves = {half: _prompts(HERE / "prompts" / f"{half}.jsonl") for half in ("seen", "unseen")}
    halves["questions"] = _questions(MEMORIES)
    model = loaded_model()
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store, given = _given(Path(temporary) / "words.db", _in_sessions(read_lines(MEMORIES / "corpus.jsonl")), model)
        for half, prompts in halves.items():
            for label, embed in (("words", lambda _: None), ("meaning", lambda text: model.embed([text])[0])):
                shows = options.misses and (half, label) == ("seen", "meaning")
                rows.append(
                    (
                        half,
                        label,
                        *_scored(prompts, lambda text, by=embed: given("words", text, by), shows_misses=shows),
                    )
                )
        store.connection.close()
        if options.folder:
            rows += _elsewhere(Path(temporary) / "locomo.db", options.folder / "locomo", halves, model)
    columns = ["prompts", "by", "of which one is known", "right", "of which nothing is", "in vain", "given"]
    print_table("What prompts bring", columns, rows, [])


def _scored(prompts: Sequence[Prompt], given: Callable[[str], list[str]], *, shows_misses: bool) -> tuple[str, ...]:
    right = in_vain = memories = wanted = 0
    for prompt in prompts:
        found = given(prompt.text)
        hits = sum(each in prompt.wanted for each in found)
        is_right = hits > 0
        right += is_right
        memories += len(found)
        wanted += hits
        in_vain += bool(found) and not prompt.wanted
        if shows_misses and (found if not prompt.wanted else not is_right):
            print(f"{prompt.text!r} needs {[*prompt.wanted]}, is given {found}")
    needing = sum(bool(prompt.wanted) for prompt in prompts)
    return (str(needing), str(right), str(len(prompts) - needing), str(in_vain), f"{memories} ({wanted})")


def _given(
    database: Path, entries: list[dict[str, Any]], model: Any
) -> tuple[Store, Callable[[str, str, Embed], list[str]]]:
    """Return a store that holds *entries*, and what a prompt is given in a space of it: the ids of entries."""
    store = open_store(database, "auto")
    names = save_all(store, entries, is_isolated=False)
    embed_all(store, model)

    def given(space: str, text: str, embed: Embed) -> list[str]:
        rows = known_for_prompt(caller_of(space), text, embed(text), NOW_MS, store)
        return [names[row.seq - 1] for row in rows]

    return store, given


def _elsewhere(database: Path, folder: Path, halves: dict[str, list[Prompt]], model: Any) -> list[tuple[str, ...]]:
    """Return the rows of all prompts in conversations that know nothing of them."""
    entries = read_lines(folder / "corpus.jsonl")
    store, given = _given(database, entries, model)
    spaces = sorted({entry["space"] for entry in entries})
    prompts = [(space, prompt.text) for space in spaces for half in halves.values() for prompt in half]
    rows: list[tuple[str, ...]] = []
    for label, embed in (("words", lambda _: None), ("meaning", lambda text: model.embed([text])[0])):
        found = [len(given(space, text, embed)) for space, text in progress(prompts, f"in LoCoMo, by {label}")]
        in_vain = sum(count > 0 for count in found)
        rows.append(
            (f"all, in LoCoMo's {len(spaces)}", label, "0", "", str(len(prompts)), str(in_vain), f"{sum(found)} (0)")
        )
    store.connection.close()
    return rows


def _in_sessions(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *entries* as if each session had saved MEMORIES_OF_SESSION: what is saved together is indexed together."""
    return [{**entry, "session": f"s{place // MEMORIES_OF_SESSION}"} for place, entry in enumerate(entries)]


def _prompts(path: Path) -> list[Prompt]:
    return [Prompt(line["prompt"], line["wanted"]) for line in read_lines(path)]


def _questions(folder: Path) -> list[Prompt]:
    gold = {line["id"]: line["gold"] for line in read_lines(folder / "gold.jsonl")}
    return [Prompt(line["text"], gold[line["id"]]) for line in read_lines(folder / "queries.jsonl")]


if __name__ == "__main__":
    main()
