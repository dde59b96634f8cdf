"""Check the style of a commit message."""

import re
from collections.abc import Sequence
from typing import Final

from palimp_daemon.text.rules.commit_messages import CONVENTIONAL
from palimp_daemon.text.rules.message_language import is_in_another
from palimp_protocol.messages.rule_messages import Check, Style

_TICKET: Final = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d+|#\d+")
_OF_GIT: Final = ("Merge ", "Revert ", "fixup!", "squash!")
"""Beginnings of messages that git writes itself."""


def is_wrong(check: Check, message: str) -> bool:
    """Tell whether *message* violates *check*."""
    subject = message.strip().split("\n", 1)[0].strip()
    if not subject or subject.startswith(_OF_GIT):
        return False
    small = message.lower()
    return (
        any(text.lower() in small for text in check.lacks)
        or (bool(check.begins) and not _begins(subject, check.begins))
        or (0 < check.subject_max < len(subject))
        or (check.style != "" and _is_against(check.style, subject, message))
    )


def _is_against(style: Style, subject: str, message: str) -> bool:
    match style:
        case "imperative":
            return not _is_imperative(subject)
        case "no-emoji":
            return any(_is_emoji(character) for character in message)
        case "no-period":
            return subject.endswith((".", "。")) and not subject.endswith("..")
        case "ticket":
            return _TICKET.search(message) is None
        case "lowercase":
            return _PREFIXED.sub("", subject, count=1)[:1].isupper()
        case _:
            return is_in_another(message, style)


def _begins(subject: str, wanted: Sequence[str]) -> bool:
    for each in wanted:
        if each in CONVENTIONAL:
            if re.match(rf"{re.escape(each)}(?:\([^()]*\))?!?: ", subject):
                return True
        elif subject.startswith(each):
            return True
    return False


_PREFIXED: Final = re.compile(r"[\w./()-]{1,40}!?:\s+|\[[^\]]{1,40}\]\s*|[A-Z]{2,8}-\d+:?\s+|[^\w\s]+\s+")
_NOT_IMPERATIVE: Final = re.compile(r"[A-Za-z]+(?:ed|ing)")
_IMPERATIVE_SO: Final = frozenset(
    """
    embed feed need seed speed shed bleed breed exceed proceed succeed heed weed wed shred bring ping ring sing string
    spring swing cling sling sting wing fling king thing
    """.split()  # noqa: SIM905
)
_THIRD: Final = frozenset(
    """
    adds fixes removes updates changes makes uses moves renames creates deletes improves implements introduces allows
    handles refactors replaces drops bumps reverts cleans corrects enables disables supports stops prevents returns
    shows hides sets gets runs tests writes reads merges splits adjusts ensures keeps lets takes gives puts turns
    """.split()  # noqa: SIM905
)
_PAST: Final = frozenset({"made", "wrote", "built", "ran", "took", "gave", "kept", "found", "did", "went", "rewrote"})


def _is_imperative(subject: str) -> bool:
    """English only: how other languages say it is not known."""
    rest = _PREFIXED.sub("", subject, count=1) if _PREFIXED.match(subject) else subject
    first = re.match(r"[A-Za-z]+", rest)
    if first is None:
        return True
    word = first[0].lower()
    if word in _IMPERATIVE_SO:
        return True
    return not (_NOT_IMPERATIVE.fullmatch(word) or word in _THIRD or word in _PAST)


def _is_emoji(character: str) -> bool:
    code = ord(character)
    return 0x1F300 <= code <= 0x1FAFF or 0x2600 <= code <= 0x27BF or code == 0x2B50
