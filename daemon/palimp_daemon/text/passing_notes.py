"""Recognise notes of passing interest by their form: a log line, an event, a reminder.

A starting session does not get them; a search does.
"""

import re
from functools import cache
from typing import Final

from palimp_daemon.languages.language import either, sections
from palimp_daemon.text.memory_kinds import DECISION_KINDS, RULE_KINDS

PASSING_CHARACTERS_MAX: Final = 200
"""Characters of a note of passing interest."""

EVENT_CHARACTERS_MAX: Final = 100
"""Characters of such a note on an event; a longer one has a reason or lesson."""

LASTING_KINDS: Final = frozenset((*DECISION_KINDS, *RULE_KINDS, "fix", "summary"))
"""Kinds of lasting interest, whatever the words."""

_LOG_LINE: Final = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d "
    r"|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b *(?:[:|]|\[|\d)"
    r"|\[(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\]"
    r"|Traceback \(|npm (?:ERR!|WARN)|=+ .* in \d[\d.]*s\b|\d+ (?:passed|failed)(?:,| in )"
)

_REMINDER: Final = re.compile(
    r"(?:todo|fixme|reminder|remember to|note to self|don'?t forget)\b.*"
    r"\b(?:again|later|soon|morgen|next week|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE | re.DOTALL,
)

_STATE: Final = re.compile(
    r"\b(?:ci|builds?|pipeline|deploy(?:ment)?|tests?|suite|server|staging|prod(?:uction)?|jobs?|network|vpn|runners?)"
    r"\b.{0,30}\b(?:"
    r"(?:(?:is|was|are|were|went|came)\b.{0,12}\b(?:red|green|down|back|offline|unreachable|running)"
    r"|finished|failed|passed)(?: again| now| today| at \d.{1,20}| for .{1,20})?[.!]*$"
    r"|(?:slow|flaky|stuck|failing|broken) (?:again|today|at the moment|for .{1,12} (?:minutes|hours))\b)",
    re.IGNORECASE,
)
"""Something that runs, and its state at the moment."""
_CONDITION: Final = re.compile(r"\b(?:if|when|while|unless|until|because|must|should|never|always)\b", re.IGNORECASE)
_DONE: Final = re.compile(
    r"(?:i |we )?(?:just )?(?:pushed|merged|restarted|rebooted|rebased|deployed|re-?ran|ran|committed|pulled)\b",
    re.IGNORECASE,
)


def is_passing(kind: str, text: str) -> bool:
    """Tell whether the memory *text* of *kind* matters for two days at most."""
    text = text.strip()
    if kind in LASTING_KINDS or len(text) > PASSING_CHARACTERS_MAX:
        return False
    if _LOG_LINE.match(text) or _soon().search(text) or _REMINDER.match(text):
        return True
    is_event = len(text) <= EVENT_CHARACTERS_MAX and not _CONDITION.search(text)
    return is_event and bool(_STATE.search(text) or _DONE.match(text))


@cache
def _soon() -> re.Pattern[str]:
    spaced = sections(lambda language: language.soon).values()
    unspaced = sections(lambda language: language.soon, has_whole_words=False).values()
    return re.compile(rf"(?i)\b(?:{either(*spaced)})\b|{either(*unspaced)}")
