"""Derive checks of order: the tests before a push."""

import re
from collections.abc import Iterator, Sequence

from palimp_daemon.text.rules.derived_commands import ACTS
from palimp_daemon.text.rules.mentions import (
    Sentence,
    Words,
)
from palimp_protocol.messages.rule_messages import Check


def of_order(sentence: Sentence, words: Words) -> Iterator[Check]:
    """Yield checks of acts that *sentence* puts before another."""
    plain = sentence.plain
    acts = [
        (*found.span(), ACTS.get(name, f"={name}"))
        for name, pattern in words.acts.items()
        if name not in ("force", "dependency")
        for found in pattern.finditer(plain)
        if not (
            name == "commit"
            and (message := words.message.match(plain, found.start()))
            and message.end() > found.end() + 2
        )
    ]
    acts += [
        (each.start, each.end, each.text)
        for each in sentence.mentions
        if each.sort == "command" and each.text.startswith(("git push", "git commit"))
    ]
    checks = [
        (*found.span(), f"={name}") for name, pattern in words.checks.items() for found in pattern.finditer(plain)
    ]
    checks += [
        (each.start, each.end, each.text)
        for each in sentence.mentions
        if each.sort == "command" and not each.text.startswith(("git push", "git commit"))
    ]
    acts.sort()
    checks.sort()
    if not acts or not checks:
        return
    if found := words.before.search(plain):
        yield from _before(sentence, words, found, acts, checks)
        return
    found = words.without.search(plain) if words.without else None
    behind = [each for each in checks if found and each[0] >= found.end()]
    if behind and behind[-1][1] <= acts[-1][0]:
        yield _order(acts[-1], behind)  # without tests, no push
        return
    for place in (found, words.behind.search(plain) if words.behind else None):
        if place and (ordered := _of_sides(acts, checks, place, words)):
            yield from ordered
            return
    if found := words.signs["then"].search(plain):
        yield from _of_two_sides(acts, checks, found, is_act_first=False)


_Place = tuple[int, int, str]


def _before(
    sentence: Sentence, words: Words, found: re.Match[str], acts: Sequence[_Place], checks: Sequence[_Place]
) -> Iterator[Check]:
    if not words.is_spaced:
        target = next((each for each in reversed(acts) if each[1] <= found.start()), None)
        firsts = [each for each in checks if target and each[0] != target[0]]
        if target and not any(target[1] <= each[0] < found.start() for each in checks):
            yield _order(target, firsts)
        return
    behind = sorted([each for each in (*acts, *checks) if each[0] >= found.end()])
    if not behind:
        return
    if behind[0] in acts:
        yield _order(behind[0], [each for each in checks if each[0] != behind[0][0]])
    elif words.never.search(sentence.plain, 0, found.start()):
        targets = [each for each in acts if each[1] <= found.start()]
        if targets:
            yield _order(targets[-1], [each for each in checks if each[0] >= found.end()])


def _of_sides(acts: Sequence[_Place], checks: Sequence[_Place], found: re.Match[str], words: Words) -> Sequence[Check]:
    one = [*_of_two_sides(acts, checks, found, is_act_first=words.is_spaced)]
    return one or [*_of_two_sides(acts, checks, found, is_act_first=not words.is_spaced)]


def _of_two_sides(
    acts: Sequence[_Place], checks: Sequence[_Place], found: re.Match[str], *, is_act_first: bool
) -> Iterator[Check]:
    one, other = (acts, checks) if is_act_first else (checks, acts)
    before = [each for each in one if each[1] <= found.start()]
    behind = [each for each in other if each[0] >= found.end()]
    if before and behind:
        target, firsts = (before[-1], behind) if is_act_first else (behind[0], before)
        yield _order(target, firsts)


def _order(target: _Place, firsts: Sequence[_Place]) -> Check:
    written = [each[2] for each in firsts if not each[2].startswith("=")]
    return Check(sort="before", commands=(target[2],), first=tuple(written or [each[2] for each in firsts]))
