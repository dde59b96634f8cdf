"""Explain the place of a found memory in sentences, for `--explain`."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from palimp_daemon.search.match_positions import SearchStems, mentions
from palimp_daemon.search.memory_ranking import MemoryRank
from palimp_daemon.search.silence import NEAR_MEANING
from palimp_daemon.search.stems import Stems
from palimp_protocol.text import one_line

VERY_NEAR_MEANING: Final = 2 * NEAR_MEANING
"""Weight from which a meaning is very near: a cosine of two thirds."""

WORDS_TOLD: Final = 6
"""Words named; long questions have more."""

IN_TIME: Final = {
    "inside": "Saved in the time asked for.",
    "before": "Saved before the time asked for, so that it may have held then.",
    "after": "Saved after the time asked for, so that it stands behind.",
    "newest": "Of what answers well, the newest stands first.",
    "oldest": "Of what answers well, the oldest stands first.",
    "first": "Of what says as much of what is asked for, the oldest stands first.",
    "past": "The question is about the past, so that nothing newer passes it.",
}
"""Effect of a question's time on a row."""

InTime = Literal["", "inside", "before", "after", "newest", "oldest", "first", "past"]


class Circumstances(NamedTuple):
    """Facts about a row besides its rank."""

    words: Sequence[str] = ()
    """Its matching words, verbatim."""
    replaces: Sequence[str] = ()
    """Ids of the memories that it precedes as their likely replacement."""
    stands_for: str = ""
    """The id of the memory found, which it replaced."""
    in_time: InTime = ""


def explanation(rank: MemoryRank, around: Circumstances) -> str:
    """Return the reasons for a memory's place, most wanted first, the score last."""
    parts = f": {rank.words:.2f} for words, {rank.meaning:.2f} for meaning" if rank.meaning else ""
    reasons = [
        f"In place of {around.stands_for}, which it replaced and which was found." if around.stands_for else "",
        matching_words(around.words, rank.covered),
        _meaning(rank),
        f"Before {_list_ids(around.replaces)}, which it likely replaces." if around.replaces else "",
        IN_TIME.get(around.in_time, ""),
        f"Score {rank.score:.2f}{parts}.",
    ]
    return " ".join(filter(None, reasons))


def words_in(text: str, wanted: SearchStems, stems: Stems) -> list[str]:
    """Return the distinct words of *text* that match *wanted*, as written."""
    words = (one_line(text[each.start : each.end]) for each in mentions(text, wanted, stems))
    return list({word.lower(): word for word in words}.values())


def matching_words(words: Sequence[str], covered: float | None = None) -> str:
    """Return a sentence on the matching *words*, their part *covered* (0 to 1) of the query included."""
    if not words:
        return "No word matches."
    named = ", ".join(words[:WORDS_TOLD]) + (" …" if len(words) > WORDS_TOLD else "")
    if covered is None:
        return f"Words that match: {named}."
    if round(covered, 2) >= 1:
        return f"All words match: {named}."
    if round(covered, 2) <= 0:
        return f"Related words match: {named}."
    return f"Words that match: {named} ({covered:.0%} of what was asked)."


def _meaning(rank: MemoryRank) -> str:
    if not rank.meaning:
        return ""
    if rank.is_expected:
        return "Its meaning is not known yet, and taken as its words let expect."
    near = "very near" if rank.meaning >= VERY_NEAR_MEANING else "near" if rank.meaning >= NEAR_MEANING else "far"
    return f"Its meaning is {near}."


def _list_ids(ids: Sequence[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{', '.join(ids[:-1])} and {ids[-1]}"
