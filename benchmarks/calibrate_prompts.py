"""Calibrate which memories a prompt is given (`search.prompt_need`), and print what that gives in stores of all sizes.

    python benchmarks/calibrate_prompts.py [FOLDER] [--semantic] [--foreign FOLDER] [--sizes 20,200,2000]

FOLDER holds projects as benchmarks/truth does, which is read when it is omitted; beside them stands the project's own
set of `prompts.py`, by another author. Prints

* the weights of a logistic regression that tells the prompts that are given what they need from those that need
  nothing: of what the best memory bears on it, and of whether the prompt only reads, and how many do; then bounds, on
  the scale of `prompt_need.Weights`, with what each gives (*right* of those that need one, *nothing* of those that need
  nothing) with every project weighed by the others;
* what is lost without each part of the weights, at the same bound of the others;
* with --foreign (the folder of sets that `retrieval.py` takes): all projects as one, made smaller or grown by texts of
  these sets to each of the sizes. A store of 20 has the memories that a handful of prompts need, those that they
  replaced, and others of the project.

`--vectors FILE` keeps the vectors of foreign texts for the next time: 100,000 take ten minutes.
"""

import argparse
import pickle
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from judgement import KINDS, TRUTH, SavedProject, milliseconds, saved_project
from measuring import print_table, progress
from moments import Told, score_prompts
from prompts import MEMORIES, SPACE, in_sessions, prompts_of
from replacement import Pairs, fitted
from retrieval import (
    NOW_MS,
    MeaningOf,
    Models,
    caller_of,
    embed_all,
    loaded_models,
    number_of,
    of_prompts,
    read_lines,
    save_all,
    without_meaning,
)

from palimp_daemon.embedding.kinds import kinds_of
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions import prompt_context
from palimp_daemon.features.sessions.prompt_context import known_for_prompt, weigh_memories
from palimp_daemon.search.prompt_need import GIVEN_MAX, LEXICAL_WEIGHTS, SEMANTIC_WEIGHTS, Weights
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.text.reading_prompts import reading_part
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

BOUNDS: Final = (-0.45, -0.3, -0.15, 0.0, 0.15, 0.3, 0.45)
"""Beside the bound that is used."""

SMALL: Final = 20
"""Memories of the smallest stores, and NEEDED of them at most that their prompts need or must not be given."""

NEEDED: Final = 12

TEXT_CHARACTERS: Final = range(40, 201)
"""Of a foreign text: as long as memories mostly are."""

SETS: Final = ("cosqa", "devbench", "minilme", "locomo", "scifact")

PROJECT: Final = "all"
"""The project that is grown."""

Array = np.ndarray[Any, Any]


class Weighed(NamedTuple):
    """A prompt, what the best memory bears on it, and whether it is right to give what would be given."""

    project: str
    best: float
    reading: float
    is_needing: bool
    is_right: bool


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=TRUTH, help="projects; benchmarks/truth when omitted")
    parser.add_argument("--semantic", action="store_true")
    parser.add_argument("--foreign", type=Path, help="sets by whose texts a project is grown")
    parser.add_argument("--sizes", default="20,200,2000", help="how many memories, with commas between them")
    parser.add_argument("--vectors", type=Path, help="a file for the vectors of foreign texts")
    options = parser.parse_args()
    models = loaded_models() if options.semantic else None
    folders = [path.parent for path in sorted(options.folder.glob("*/prompts.jsonl"))]
    if options.foreign:
        sizes = [int(size) for size in options.sizes.split(",")]
        _print_sizes(folders, models, options.foreign, sizes, options.vectors)
        return
    name, used = ("SEMANTIC_WEIGHTS", SEMANTIC_WEIGHTS) if models else ("LEXICAL_WEIGHTS", LEXICAL_WEIGHTS)
    found = _all_weighed(folders, models)
    weights = _fitted(found)
    print(f"odds = {weights[0]:.2f} {weights[1]:+.2f} best {weights[2]:+.2f} reading; prompts that only read need")
    print(f"{-weights[2] / weights[1]:.2f} more. {name} has {used.bound} and {used.reading}.")
    for is_needing, need in ((True, "need a memory"), (False, "need none")):
        reading = [each.reading > 0 for each in found if each.project != SPACE and each.is_needing == is_needing]
        print(f"Of {len(reading)} prompts of the projects that {need}, {sum(reading)} only read, tidy or ask.")
    rows = [(f"{used.bound + more:.2f}", *_counted(found, weights, used.bound + more)) for more in BOUNDS]
    columns = ["bound", "projects: right", "nothing", "own set: right", "nothing"]
    print_table("A project that was not seen, and the own set (%)", columns, rows, [])
    print_table("Without a part", columns, [*_ablated(folders, models, used, name)], [])


# --- the bound -----------------------------------------------------------------------------------


def _all_weighed(folders: Sequence[Path], models: Models | None) -> list[Weighed]:
    found: list[Weighed] = []
    for folder in progress(folders, "projects"):
        with saved_project(folder, models) as saved:
            found += [
                _weighed(folder.name, saved, prompt["text"], prompt["wanted"], milliseconds(prompt["at"]))
                for prompt in read_lines(folder / "prompts.jsonl")
            ]
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        known = save_all(store, in_sessions(read_lines(MEMORIES / "corpus.jsonl")), is_isolated=False)
        meaning_of = embed_all(store, models) if models else without_meaning
        names = {shown: known[seq][0] for seq, shown in store.connection.execute("SELECT seq, id FROM memories")}
        saved = SavedProject(store, names, meaning_of, of_prompts(store, models, meaning_of))
        found += [
            _weighed(SPACE, saved, prompt.text, prompt.wanted, NOW_MS)
            for half in ("seen", "unseen")
            for prompt in prompts_of(half)
        ]
        store.connection.close()
    return found


def _weighed(project: str, saved: SavedProject, text: str, wanted: Sequence[str], now_ms: int) -> Weighed:
    meaning = saved.meaning_of_prompt(text)
    found = weigh_memories(caller_of(project), text, meaning, now_ms, saved.store)
    bearings = found.bearings[:GIVEN_MAX] if found else []
    best = bearings[0].score if bearings else 0.0
    given = [each.seq for each in bearings if found and each.score >= best - found.weights.near_best]
    names = {
        name for seq in given for shown, name in saved.names.items() if found and found.rows[seq].id.startswith(shown)
    }
    return Weighed(project, best, reading_part(text), bool(wanted), bool(names & set(wanted)))


def _fitted(found: Sequence[Weighed]) -> Array:
    """Return the weights that tell those that are given what they need from those that need nothing."""
    told = [each for each in found if each.is_right or not each.is_needing]
    features = np.array([(each.best, each.reading) for each in told])
    return fitted([Pairs(features, np.array([each.is_right for each in told], float))])


def _counted(found: Sequence[Weighed], weights: Array, bound: float) -> tuple[str, ...]:
    """Return what a *bound* gives with what reading counts by the other projects: of projects, and of the own set."""
    parts: dict[bool, list[tuple[Weighed, bool]]] = {True: [], False: []}
    for project in {each.project for each in found}:
        others = _fitted([each for each in found if each.project != project])
        # The bound is where the same odds are as with the weights of all.
        odds = weights[0] + weights[1] * bound
        for each in found:
            if each.project == project:
                is_given = others[0] + others[1] * each.best + others[2] * each.reading >= odds
                parts[project == SPACE].append((each, is_given))
    return tuple(figure for is_own in (False, True) for figure in _shares(parts[is_own]))


def _shares(given: Sequence[tuple[Weighed, bool]]) -> tuple[str, str]:
    right = [is_given and each.is_right for each, is_given in given if each.is_needing]
    nothing = [not is_given for each, is_given in given if not each.is_needing]
    return f"{100 * np.mean(right):.1f}", f"{100 * np.mean(nothing):.1f}"


def _ablated(folders: Sequence[Path], models: Models | None, used: Weights, name: str) -> Iterator[tuple[str, ...]]:
    """Yield what is left without each part, at the bound that gives nothing to as many that need nothing."""
    for part in ("all parts", "meaning", "subject", "reading", "everyday words", "a second model", "what was replaced"):
        if part in ("meaning", "a second model") and not models:
            continue
        lacking = used._replace(**{part: 0.0}) if part in ("meaning", "subject") else used
        lacking = lacking._replace(odds=99.0) if part == "what was replaced" else lacking
        setattr(prompt_context, name, lacking)
        kept_part, kept_mean = prompt_context.EVERYDAY_PART, vector_rows.mean_cosines
        if part == "everyday words":
            prompt_context.EVERYDAY_PART = 1.0  # pyright: ignore[reportConstantRedefinition, reportAttributeAccessIssue]
        if part == "a second model":
            vector_rows.mean_cosines = vector_rows.plain_cosines
        found = _all_weighed(folders, models)
        if part == "reading":
            found = [each._replace(reading=0.0) for each in found]
        prompt_context.EVERYDAY_PART, vector_rows.mean_cosines = kept_part, kept_mean
        setattr(prompt_context, name, used)
        weights = _fitted(found)
        bounds = [each.best for each in found if not each.is_needing and each.project != SPACE]
        at = next((bound for bound in sorted(bounds) if float(_counted(found, weights, bound)[1]) >= 95.0), max(bounds))
        yield (part if part == "all parts" else f"without {part}", *_counted(found, weights, at))


# --- stores of all sizes ---------------------------------------------------------------------------


def _print_sizes(
    folders: Sequence[Path], models: Models | None, sets: Path, sizes: Sequence[int], kept: Path | None
) -> None:
    rows: list[tuple[str, ...]] = []
    grown = [size for size in sorted(sizes) if size > SMALL]
    if SMALL in sizes:
        rows.append(_row("20", [told for folder in folders for told in _in_small_stores(folder, models)]))
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        store = open_store(Path(temporary) / "palimp.db", "auto")
        names: dict[str, str] = {}
        for folder in folders:
            names |= _save(store, folder, read_lines(folder / "memories.jsonl"))
        meaning_of = of_prompts(store, models, embed_all(store, models)) if models else without_meaning
        texts, known = _foreign(sets, kept)
        for size in grown:
            count = _grow(store, models, texts, known, size)
            if models:
                _embed_found(store, folders, models, meaning_of)
            rows.append(_row(count, _told(store, folders, names, meaning_of)))
            if kept:
                kept.write_bytes(pickle.dumps(known))
        store.connection.close()
    columns = ["memories", "needing", "right", "needing none", "given nothing", "no stale one", "given", "wanted"]
    print_table("What prompts are given in stores of all sizes (%)", columns, rows, [])


def _embed_found(store: Store, folders: Sequence[Path], models: Models, meaning_of: MeaningOf) -> None:
    """Give those foreign memories a second vector that are compared with any prompt: to do it for all takes hours."""
    beside = vector_rows.kinds(store)[kinds_of(models.plan, has_others=True)[2].name]
    have = {seq for (seq,) in store.connection.execute("SELECT seq FROM other_vectors")}
    for folder in folders:
        for prompt in progress(read_lines(folder / "prompts.jsonl"), f"second vectors, {folder.name}"):
            text = prompt["text"]
            found = weigh_memories(caller_of(PROJECT), text, meaning_of(text), milliseconds(prompt["at"]), store)
            for seq, row in found.rows.items() if found else ():
                if seq not in have:
                    have.add(seq)
                    vector_rows.insert_other(store, [(seq, models.others.embed([row.content])[0])], beside)


def _row(size: str, told: Sequence[Told]) -> tuple[str, ...]:
    totals: dict[str, list[float]] = {name: [] for name in MEASURES}
    for each in told:
        score_prompts(each, totals)
    needing, nothing, stale, wanted = (totals[name] for name in MEASURES)
    shares = [f"{100 * sum(each) / len(each):.1f}" if each else "-" for each in (needing, nothing, stale)]
    counts = (f"{len(wanted)}", f"{sum(wanted):.0f}")
    return (size, f"{len(needing)}", shares[0], f"{len(nothing)}", shares[1], shares[2], *counts)


MEASURES: Final = (
    "prompt: needed one, given it",
    "prompt: needed none, given none",
    "prompt: no stale one given",
    "prompt: of those given, wanted",
)


def _told(store: Store, folders: Sequence[Path], names: dict[str, str], meaning_of: MeaningOf) -> list[Told]:
    return [
        _told_with(store, _of(folder, prompt), names, meaning_of)
        for folder in folders
        for prompt in progress(read_lines(folder / "prompts.jsonl"), folder.name)
    ]


def _told_with(store: Store, prompt: dict[str, Any], names: dict[str, str], meaning_of: MeaningOf) -> Told:
    text, now_ms = prompt["text"], milliseconds(prompt["at"])
    rows = known_for_prompt(caller_of(PROJECT), text, meaning_of(text), now_ms, store)
    # One that is foreign is none that is wanted.
    given = [next((name for shown, name in names.items() if row.id.startswith(shown)), "foreign") for row in rows]
    return Told(prompt, given)


def _of(folder: Path, prompt: dict[str, Any]) -> dict[str, Any]:
    """Return *prompt* with the names that its project's memories have among those of all."""
    return prompt | {key: [f"{folder.name}/{each}" for each in prompt.get(key, ())] for key in ("wanted", "stale")}


def _in_small_stores(folder: Path, models: Models | None) -> Iterator[Told]:
    """Yield what the prompts of *folder* are given in stores of SMALL memories."""
    memories, prompts = read_lines(folder / "memories.jsonl"), read_lines(folder / "prompts.jsonl")
    chance = random.Random(1)
    while prompts:
        needed: set[str] = set()
        some: list[dict[str, Any]] = []
        while prompts and len(needed | {*prompts[0]["wanted"], *prompts[0].get("stale", ())}) <= NEEDED:
            some.append(prompts.pop(0))
            needed |= {*some[-1]["wanted"], *some[-1].get("stale", ())}
        others = [each for each in memories if each["id"] not in needed]
        chosen = needed | {each["id"] for each in chance.sample(others, SMALL - len(needed))}
        with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
            store = open_store(Path(temporary) / "palimp.db", "auto")
            names = _save(store, folder, [each for each in memories if each["id"] in chosen])
            meaning_of = of_prompts(store, models, embed_all(store, models)) if models else without_meaning
            yield from [_told_with(store, _of(folder, each), names, meaning_of) for each in some]
            store.connection.close()


def _save(store: Store, folder: Path, memories: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Save *memories* of the project in *folder* into the one that is grown; return their names by shown id."""
    chance = random.Random(f"{folder.name}")
    names: dict[str, str] = {}
    for memory in memories:
        caller = caller_of(PROJECT, SessionRef(f"{folder.name}-{memory['session']}", "benchmark"))
        context = RequestContext(store, caller, milliseconds(memory["at"]), lambda: chance.getrandbits(25))
        kind = KINDS.get(memory["kind"], memory["kind"])
        names[save_memory(context, SaveMemory(text=memory["text"], kind=kind)).id] = f"{folder.name}/{memory['id']}"
    return names


def _foreign(sets: Path, kept: Path | None) -> tuple[list[str], dict[str, bytes]]:
    """Return foreign texts in a random order, and the vectors that are known of them."""
    texts: dict[str, None] = {}
    for name in SETS:
        for entry in read_lines(sets / name / "corpus.jsonl") if (sets / name).exists() else []:
            for part in re.split(r"(?<=[.!?])\s+|\n\n", f"{entry.get('title') or ''} {entry['text']}".strip()):
                if len(text := part.strip()[: TEXT_CHARACTERS.stop - 1]) in TEXT_CHARACTERS:
                    texts[text] = None
    in_order = list(texts)
    random.Random(1).shuffle(in_order)
    known: dict[str, bytes] = pickle.loads(kept.read_bytes()) if kept and kept.exists() else {}  # noqa: S301  our own file
    return sorted(in_order, key=lambda text: text not in known), known


def _grow(store: Store, models: Models | None, texts: list[str], known: dict[str, bytes], size: int) -> str:
    """Save foreign *texts* until there are *size* memories; return how many there are."""
    chance = random.Random(size)
    first: int = store.connection.execute("SELECT count(*) FROM memories").fetchall()[0][0]
    begin, end = store.connection.execute("SELECT min(created_at), max(created_at) FROM memories").fetchall()[0]
    english = vector_rows.kinds(store)[kinds_of(models.plan, has_others=True)[0].name] if models else 0
    store.connection.execute("BEGIN")
    for number in progress(range(max(0, size - first)), f"{size:,}"):
        if not texts:
            break
        text = texts.pop(0)
        at = chance.randrange(begin, end)
        context = RequestContext(store, caller_of(PROJECT), at, lambda: chance.getrandbits(25))
        seq = number_of(store, save_memory(context, SaveMemory(text=text, kind="finding")).id)
        if models:
            if text not in known:
                known[text] = models.english.embed([text])[0]
            vector_rows.insert(store, [(seq, known[text])], english)
        if number % 1_000 == 999:
            store.connection.execute("COMMIT")
            store.connection.execute("BEGIN")
    store.connection.execute("COMMIT")
    return f"{store.connection.execute('SELECT count(*) FROM memories').fetchall()[0][0]:,}"


if __name__ == "__main__":
    main()
