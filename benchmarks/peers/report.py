"""The figures of all peers as one markdown table, and the aims as ratios."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from statistics import median
from typing import NamedTuple

from measuring import percentile
from peers import PEERS, Peer
from work import SESSIONS, Figures, Size

MB = 1_000_000
SYNCS = "fsyncs per save"

ANSWERING = 0.9
"""Share of the questions that palimp answers, from which a program counts as one that answers questions."""
FINDING = 0.95
"""Share of its own saves from which one counts as finding them."""
DURABLE = 0.95
"""Fsyncs per save from which one counts as storing durably: what others were told was saved may
be gone after a power cut."""


class _Row(NamedTuple):
    """One line of the table: what it says of a peer, and which is the best, if any is."""

    name: str
    value: Callable[[Figures], float]
    form: str
    best: Callable[[Sequence[float]], float] | None = min


def _rows(size: Size) -> list[_Row]:
    """Return the lines of the table. Every figure is one of a round; the table shows the median of the rounds."""
    asked = min(size.recalls, size.saves)
    return [
        _Row("exec to initialize", lambda each: median(each.starts) * 1000, "{:,.0f} ms"),
        _Row("memory, 1 session (PSS)", lambda each: each.memory_one[0] / MB, "{:,.0f} MB"),
        _Row(f"memory, {SESSIONS} sessions (PSS)", lambda each: each.memory_all[0] / MB, "{:,.0f} MB"),
        _Row(f"memory, {SESSIONS} sessions (RSS)", lambda each: each.memory_all[1] / MB, "{:,.0f} MB"),
        _Row("tools", lambda each: each.tools, "{:.0f}", None),
        _Row("characters of tools/list", lambda each: each.tool_characters, "{:,.0f}"),
        _Row("save p50", lambda each: percentile(each.saves, 0.5) * 1000, "{:.1f} ms"),
        _Row("save p95", lambda each: percentile(each.saves, 0.95) * 1000, "{:.1f} ms"),
        _Row(SYNCS, lambda each: each.syncs, "{:.1f}", None),
        _Row("recall p50", lambda each: percentile(each.recalls, 0.5) * 1000, "{:.1f} ms"),
        _Row("recall p95", lambda each: percentile(each.recalls, 0.95) * 1000, "{:.1f} ms"),
        _Row("characters per answer", lambda each: median(each.characters), "{:,.0f}", None),
        _Row(f"questions answered, of {asked}", lambda each: each.questions_found, "{:.0f}", max),
        _Row("bare codes found, of 30", lambda each: each.codes_found, "{:.0f}", max),
        _Row(f"{SESSIONS} sessions at once", _operations_per_s, "{:,.0f}/s", max),
        _Row("errors in it", lambda each: each.errors, "{:.0f}"),
        _Row(f"own saves found in it, of {SESSIONS * size.each}", lambda each: each.own_found, "{:.0f}", max),
        _Row("acknowledged and lost in it", lambda each: each.lost, "{:.0f}"),
        _Row("acknowledged and lost by kill -9", lambda each: each.killed_lost, "{:.0f}"),
    ]


def _operations_per_s(figures: Figures) -> float:
    return figures.operations / figures.operations_s


def print_report(
    peers: Sequence[Peer], rounds: Mapping[str, Sequence[Figures]], size: Size, floor: Sequence[float]
) -> None:
    """Print the table, what must be said beside it, and the aims."""
    rows = _rows(size)
    medians = {row.name: [median(row.value(each) for each in rounds[peer.name]) for peer in peers] for row in rows}
    print(f"| {time.strftime('%Y-%m-%d')} | " + " | ".join(peer.name for peer in peers) + " |")
    print("|---" * (len(peers) + 1) + "|")
    print("| version | " + " | ".join(peer.version or "this" for peer in peers) + " |")
    for row in rows:
        values = medians[row.name]
        best = row.best(values) if row.best else None
        cells = ["not counted" if isnan(value) else row.form.format(value) for value in values]
        cells = [f"**{cell}**" if value == best else cell for cell, value in zip(cells, values, strict=True)]
        print(f"| {row.name} | " + " | ".join(cells) + " |")
    print()
    print(f"Medians of {len(rounds[peers[0].name])} rounds; a minimal server on the SDK starts in", end=" ")
    print(f"{median(floor) * 1000:,.0f} ms. PSS counts what processes share once, RSS once for each.")
    for peer in peers:
        if peer.note:
            print(f"{peer.name}: {peer.note}.")
    if len(peers) == len(PEERS):
        _print_aims(peers, medians, median(floor) * 1000, SESSIONS * size.each)


def _print_aims(
    peers: Sequence[Peer], medians: Mapping[str, Sequence[float]], floor_ms: float, saved_at_once: int
) -> None:
    """Print palimp's ratios to the best peer that keeps memories in a database and lost none.

    Times of those only that call fsync for each save, or of which that is not known.
    """
    lost = [sum(each) for each in zip(*(medians[name] for name in medians if "lost" in name), strict=True)]
    safe = [number for number, peer in enumerate(peers) if number and peer.has_database and not lost[number]]
    durable = [number for number in safe if not medians[SYNCS][number] < DURABLE]
    questions = next(name for name in medians if name.startswith("questions"))
    answering = [number for number in durable if medians[questions][number] >= ANSWERING * medians[questions][0]]
    found = next(medians[name] for name in medians if name.startswith("own saves"))
    finding = [number for number in durable if found[number] >= FINDING * saved_at_once]

    def ratio(name: str, among: Sequence[int], best: Callable[[Iterable[float]], float] = min) -> tuple[float, str]:
        of_best = best(medians[name][number] for number in among)
        return medians[name][0] / of_best, next(peers[each].name for each in among if medians[name][each] == of_best)

    start, who = ratio("exec to initialize", safe)
    print("\npalimp beside the best that keeps memories in a database and lost none:")
    print(f"  start: {1 / start:.2f} times sooner than {who} (aim 2)")
    print(f"  start: {floor_ms / medians['exec to initialize'][0]:.1f} times sooner than the SDK's (aim 8)")
    for name, among, best, aim in (
        (f"memory, {SESSIONS} sessions (PSS)", safe, min, "aim at most 0.45"),
        (f"memory, {SESSIONS} sessions (RSS)", safe, min, "the same"),
        ("save p50", safe, min, "durable or not"),
        ("save p50", durable, min, "of those that store durably; aim at most 1"),
        ("recall p50", safe, min, "durable or not"),
        ("recall p50", durable, min, "of those that store durably; aim at most 1"),
        ("recall p50", answering, min, "of those of them that answer the questions"),
        (f"{SESSIONS} sessions at once", finding, max, "of those that find their own saves; aim at least 1.3"),
    ):
        if among:
            times, who = ratio(name, among, best)
            print(f"  {name}: {times:.2f} times that of {who} ({aim})")
