"""Promise: a word that is spelled wrong finds what the right one finds, and one that nobody used finds nothing else.

    python benchmarks/typos.py FOLDER [FOLDER ...] [--engine fts4] [--queries 200] [--misses]

Each FOLDER holds memories.jsonl or corpus.jsonl, one text a line, and becomes a database of its own. A query is
QUERY_WORDS words of one memory, of which the first *kinds* of slip spoil one, or all. *right* is the query as the
memory says it, *off* the spoiled one without neighbours, *on* with them: how often that memory comes first, and among
the first five. *tried*: of the spoiled words, how many were tried with the right one.

False neighbours: of the ordinary words in `benchmarks/typos/ordinary_words.txt` that no memory holds, how many are
tried with something else; each is asked in a sentence of its language. Where a folder has questions.jsonl, of its
questions, by kind: how many are said to hold an unknown word. The time is that of the words alone, in this process.
"""

import argparse
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from measuring import percentile, print_table, progress
from retrieval import NOW_MS, read_lines

from palimp_daemon.features.memories.recall_answer import NOT_PURGED
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import value
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.words import stem_counts
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

ORDINARY: dict[str, str] = {
    "english": "what did we decide about the {} and when was that",
    "german": "was haben wir über {} entschieden und wann war das",
    "french": "qu'est-ce que nous avons décidé pour {} et quand",
}
"""What ordinary words are asked in."""

WORDS_FILE = Path(__file__).parent / "typos" / "ordinary_words.txt"
QUERY_WORDS = 3
LETTERS_MIN = 5
LIMIT = 5
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def transposed(word: str, chance: random.Random) -> str:
    """Return *word* with two letters behind the first in the wrong order."""
    places = [at for at in range(1, len(word) - 1) if word[at] != word[at + 1]]
    at = chance.choice(places) if places else 0
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def dropped(word: str, chance: random.Random) -> str:
    """Return *word* without one of the letters behind the first."""
    at = chance.randrange(1, len(word))
    return word[:at] + word[at + 1 :]


def doubled(word: str, chance: random.Random) -> str:
    """Return *word* with one letter typed twice."""
    at = chance.randrange(len(word))
    return word[:at] + word[at] + word[at:]


def beside(word: str, chance: random.Random) -> str:
    """Return *word* with the key beside the right one, behind the first letter."""
    at = chance.randrange(1, len(word))
    row = next(row for row in _KEYS if word[at] in row)
    place = row.index(word[at])
    return (
        word[:at]
        + chance.choice([row[each] for each in (place - 1, place + 1) if 0 <= each < len(row)])
        + word[at + 1 :]
    )


def any_letter(word: str, chance: random.Random) -> str:
    """Return *word* with any other letter in the place of one behind the first."""
    at = chance.randrange(1, len(word))
    return word[:at] + chance.choice(_LETTERS.replace(word[at], "")) + word[at + 1 :]


def first_letter(word: str, chance: random.Random) -> str:
    """Return *word* with its first letter missing, behind the second, or another one."""
    ways = (word[1:], word[1] + word[0] + word[2:], chance.choice(_LETTERS.replace(word[0], "")) + word[1:])
    return chance.choice(ways)


def twice(word: str, chance: random.Random) -> str:
    """Return *word* with two slips."""
    return dropped(transposed(word, chance), chance)


SLIPS: dict[str, Callable[[str, random.Random], str]] = {
    "transposed": transposed,
    "dropped": dropped,
    "doubled": doubled,
    "key beside": beside,
    "any letter": any_letter,
    "first letter": first_letter,
    "two slips": twice,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--engine", default="auto", choices=("auto", "fts5", "fts4"))
    parser.add_argument("--queries", type=int, default=200, help="of each kind and folder")
    parser.add_argument("--misses", action="store_true", help="print false neighbours, and what was not tried")
    options = parser.parse_args()
    found, false, asked = [], [], []
    for folder in options.folders:
        with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
            store = open_store(Path(temporary) / "palimp.db", options.engine)
            texts = _saved(store, folder)
            found += [(folder.name, *row) for row in _slips(store, texts, options)]
            false += [(folder.name, *row) for row in _false(store, misses=options.misses)]
            if (folder / "questions.jsonl").exists():
                asked += [(folder.name, *row) for row in _questions(store, read_lines(folder / "questions.jsonl"))]
            store.connection.close()
    columns = ["memories", "slip", "queries", "right 1/5", "off 1/5", "on 1/5", "tried", "off p50", "on p50", "on p95"]
    print_table(f"one or all of {QUERY_WORDS} words spelled wrong (%, ms)", columns, found, [])
    print_table("ordinary words that no memory holds", ["memories", "language", "unknown", "tried"], false, [])
    if asked:
        print_table("questions with a word that was tried", ["memories", "kind", "questions", "tried"], asked, [])


def _saved(store: Store, folder: Path) -> dict[int, str]:
    """Save what *folder* holds; return each text by its memory's number."""
    name = next(name for name in ("memories.jsonl", "corpus.jsonl") if (folder / name).exists())
    chance, texts = random.Random(1), dict[int, str]()
    store.connection.execute("BEGIN")
    for entry in progress(read_lines(folder / name), f"saving {folder.name}"):
        caller = Caller(ProjectRef("/bench", "bench"), SessionRef(str(entry.get("session", "one")), "benchmark"))
        context = RequestContext(store, caller, NOW_MS, lambda: chance.getrandbits(25))
        text = entry["text"][:TEXT_CHARACTERS_MAX]
        saved = save_memory(context, SaveMemory(text=text)).id
        texts[value(store.connection, "SELECT seq FROM memories WHERE id >= ? ORDER BY id LIMIT 1", (saved,))] = text
    store.connection.execute("COMMIT")
    return texts


def _ask(store: Store, query: str, *, is_spelled: bool) -> tuple[list[int], float, list[str]]:
    """Return the memories that *query* finds, the milliseconds that took, and what was said of it."""
    started = time.perf_counter()
    found = matching(store, SearchRequest(query, NOT_PURGED, LIMIT, is_spelled=is_spelled), NOW_MS)
    took = (time.perf_counter() - started) * 1000
    return [each.seq for each in found.ranked], took, found.notes


def _slips(store: Store, texts: dict[int, str], options: argparse.Namespace) -> Iterable[tuple[str, ...]]:
    """Yield a row for each kind of slip."""
    words_of = {seq: _telling(text) for seq, text in texts.items()}
    askable = [seq for seq, words in words_of.items() if len(words) >= QUERY_WORDS]
    for name, slip in SLIPS.items():
        for count in (1, QUERY_WORDS):
            chance = random.Random(7)
            places: dict[str, list[int]] = defaultdict(list)
            took: dict[str, list[float]] = defaultdict(list)
            tried = spoiled_words = 0
            for _ in progress(range(options.queries), f"{name} {count}"):
                seq = chance.choice(askable)
                words = chance.sample(words_of[seq], QUERY_WORDS)
                spoiled = [slip(word, chance) if at < count else word for at, word in enumerate(words)]
                asked = {"right": words, "off": spoiled, "on": spoiled}
                for way, query in asked.items():
                    found, milliseconds, notes = _ask(store, " ".join(query), is_spelled=way == "on")
                    places[way].append(found.index(seq) if seq in found else LIMIT)
                    took[way].append(milliseconds)
                was_tried = [_is_tried(store, word, notes) for word in words[:count]]
                tried += sum(was_tried)
                spoiled_words += count
                if options.misses and not all(was_tried):
                    print("not tried:", words[:count], spoiled[:count], notes)
            yield (
                f"{name}, {'one' if count == 1 else 'all'}",
                f"{options.queries}",
                *(_first_and_five(places[way]) for way in ("right", "off", "on")),
                f"{100 * tried / spoiled_words:.0f}",
                f"{percentile(took['off'], 0.5):.1f}",
                f"{percentile(took['on'], 0.5):.1f}",
                f"{percentile(took['on'], 0.95):.1f}",
            )


def _is_tried(store: Store, word: str, notes: Sequence[str]) -> bool:
    """Tell whether *notes* name *word*, or one with its stem."""
    named = re.findall(r'"([^" ]+)"', " ".join(notes))
    return store.stems.of_term(word) in [store.stems.of_term(each) for each in named]


def _telling(text: str) -> list[str]:
    """Return the words of *text* that a query may be made of."""
    words = re.findall(rf"(?<![\w-])[a-z]{{{LETTERS_MIN},}}(?![\w-])", text)
    return sorted({*words} - STOP_WORDS - QUESTION_WORDS)


def _first_and_five(places: Sequence[int]) -> str:
    first, five = sum(place == 0 for place in places), sum(place < LIMIT for place in places)
    return f"{100 * first / len(places):.0f}/{100 * five / len(places):.0f}"


def _false(store: Store, *, misses: bool) -> Iterable[tuple[str, ...]]:
    """Yield a row for each language of ordinary words."""
    for line in WORDS_FILE.read_text(encoding="utf-8").splitlines():
        language, *words = line.split()
        unknown = [word for word in words if not _frequency(store, word)]
        tried = {
            word: notes
            for word in unknown
            if (
                notes := [
                    each
                    for each in _ask(store, ORDINARY[language].format(word), is_spelled=True)[2]
                    if f'"{word}"' in each
                ]
            )
        }
        if misses:
            print(language, *(f"{word}: {notes}" for word, notes in tried.items()), sep="\n  ")
        yield language, f"{len(unknown)}", f"{len(tried)} ({100 * len(tried) / max(1, len(unknown)):.1f} %)"


def _frequency(store: Store, word: str) -> int:
    counts = stem_counts.frequencies(store, {*store.stems.of_term(word)}, len(word))
    return sum(counts.values())


def _questions(store: Store, questions: Sequence[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    """Yield a row for each kind of question."""
    kinds = Counter(question["kind"] for question in questions)
    tried = Counter(question["kind"] for question in questions if _has_tried(store, question["text"]))
    for kind, count in sorted(kinds.items()):
        yield kind, f"{count}", f"{tried[kind]}"


def _has_tried(store: Store, text: str) -> bool:
    return any(" is not known here" in note for note in _ask(store, text, is_spelled=True)[2])


if __name__ == "__main__":
    main()
