"""What a session is told at its start and with its prompts, on the sets of `judgement.py`: for its table."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from retrieval import MeaningOf, caller_of, read_lines

from palimp_daemon.features.sessions.prompt_context import known_for_prompt
from palimp_daemon.features.sessions.start_context import known_at_start, standing_knowledge
from palimp_daemon.git.recent_work import RecentWork
from palimp_daemon.render.budget import tokens_in
from palimp_daemon.render.context_text import context_text
from palimp_daemon.store.store import Store
from palimp_protocol.limits import CONTEXT_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, SessionRef

PAST: tuple[str, ...] = ("history", "when")
"""Kinds of questions whose answer need not hold."""

Totals = dict[str, list[float]]


class Told(NamedTuple):
    """A prompt of the set, and the names of the memories that were given with it."""

    prompt: dict[str, Any]
    given: list[str]


def score_start(store: Store, folder: Path, names: dict[str, str], now_ms: int, totals: Totals) -> int:
    """Add to *totals* what a session is told at its start of the project in *folder*, saved under *names*.

    Returns:
        The tokens of what it is told, by the daemon's own estimate.
    """
    holding, stale = holding_and_stale(folder)
    memories = read_lines(folder / "memories.jsonl")
    preferences = {each["id"] for each in memories if each["kind"] == "preference"} - stale
    text = told_at_start(store, caller_of(folder.name), now_ms)
    listed = {name for shown, name in names.items() if shown in text}
    totals["start: what holds, listed"] += [each in listed for each in sorted(holding)]
    totals["start: preferences, listed"] += [each in listed for each in sorted(preferences)]
    totals["start: replaced ones, left out"] += [each not in listed for each in sorted(stale)]
    return tokens_in(text)


def holding_and_stale(folder: Path) -> tuple[set[str], set[str]]:
    """Return which memories of the project in *folder* hold, as its questions say, and which were replaced wholly."""
    questions = read_lines(folder / "questions.jsonl")
    current = [each for each in questions if each["kind"] == "current"]
    living = {gold for each in questions if each["kind"] not in PAST for gold in each.get("gold", ())}
    holding = {gold for each in current for gold in each["gold"]}
    return holding, {old for each in current for old in each["stale"]} - living


def told_at_start(store: Store, caller: Caller, now_ms: int) -> str:
    """Return what a session of *caller* is told at its start, in a tree without commits."""
    standing = standing_knowledge(caller, store)
    known = known_at_start(caller, standing, RecentWork("", [], []), now_ms, store)
    return context_text(known, [], CONTEXT_CHARACTERS_MAX, "toon").text


def told_with_prompts(
    store: Store, folder: Path, names: dict[str, str], meaning_of: MeaningOf, time_of: Callable[[str], int]
) -> Iterator[Told]:
    """Yield each prompt of the project in *folder* with what is given, in a session that was told nothing before."""
    for number, prompt in enumerate(read_lines(folder / "prompts.jsonl")):
        caller = caller_of(folder.name, SessionRef(f"prompt-{number}", "benchmark"))
        text = prompt["text"]
        rows = known_for_prompt(caller, text, meaning_of(text), time_of(prompt["at"]), store)
        given = [name for row in rows for shown, name in names.items() if row.id.startswith(shown)]
        yield Told(prompt, given)


def score_prompts(told: Told, totals: Totals) -> bool:
    """Add to *totals* what was *told* with a prompt; return whether that was right."""
    prompt, given = told
    if not prompt["wanted"]:
        totals["prompt: needed none, given none"].append(not given)
        return not given
    is_right = bool(set(prompt["wanted"]) & set(given))
    totals["prompt: needed one, given it"].append(is_right)
    totals["prompt: of those given, wanted"] += [each in prompt["wanted"] for each in given]
    if prompt.get("stale"):
        totals["prompt: no stale one given"].append(not set(prompt["stale"]) & set(given))
    return is_right
