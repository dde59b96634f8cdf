"""Remarks of about ten tokens on gone or changed places."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from palimp_daemon.git.cited_places import Finding, State
from palimp_daemon.runtime.caller_zone import answered_zone
from palimp_protocol.text import shown_name

NAME_CHARACTERS: Final = 32
"""Characters of a name in a remark; the row has it whole, and a path's end tells most."""

WITHOUT_YEAR_MS: Final = 300 * 86_400_000
"""Milliseconds; more recent days need no year."""

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def remark(finding: Finding, now_ms: int) -> str:
    """Return the remark on *finding*, such as "`cart/ttl.py` is gone since 3 Nov"."""
    return _SENTENCES[finding.state](finding, day(finding.at, now_ms) if finding.at else "")


def day(at: int, now_ms: int) -> str:
    """Return the caller's day of *at*, milliseconds, with the year if long ago; empty if out of range."""
    try:
        local = datetime.fromtimestamp(at / 1000, answered_zone())
    except (OverflowError, ValueError, OSError):
        return ""
    text = f"{local.day} {_MONTHS[local.month - 1]}"
    return text if abs(now_ms - at) < WITHOUT_YEAR_MS else f"{text} {local.year}"


def _gone(finding: Finding, when: str) -> str:
    return f"{_name_text(finding.subject)} is gone" + (f" since {when}" if when else "")


def _missing(finding: Finding, _: str) -> str:
    return f"{_name_text(finding.subject)} is not there"


def _move_text(finding: Finding, _: str) -> str:
    if "/" not in finding.subject and "." not in finding.subject:
        return f"{_name_text(finding.subject)} is now in {_name_text(finding.to)}"
    return f"{_name_text(finding.subject.rsplit('/', 1)[-1])} is now {_name_text(finding.to)}"


def _change_text(finding: Finding, when: str) -> str:
    verb = "was mostly rewritten" if finding.state == "rewritten" else "was changed since"
    if not when:
        return f"{_name_text(finding.subject)} {verb} (not committed)"
    commits = f"{finding.commits} commits, last " if finding.commits > 1 else ""
    return f"{_name_text(finding.subject)} {verb} ({commits}{when})"


def _revert_text(finding: Finding, when: str) -> str:
    return f"{_name_text(finding.subject[:10])} was reverted" + (f" on {when}" if when else "")


def _unreachable(finding: Finding, _: str) -> str:
    return f"{_name_text(finding.subject[:10])} is in no branch any more"


_SENTENCES: Final[Mapping[State, Callable[[Finding, str], str]]] = {
    "gone": _gone,
    "missing": _missing,
    "moved": _move_text,
    "changed": _change_text,
    "rewritten": _change_text,
    "reverted": _revert_text,
    "unreachable": _unreachable,
}


def _name_text(name: str) -> str:
    shown = shown_name(name).replace("`", "'")
    if len(shown) > NAME_CHARACTERS:
        tail = shown[-NAME_CHARACTERS + 1 :]
        # From a folder on, where that leaves the file's name.
        shown = f"…{tail[tail.index('/') :] if '/' in tail[:-1] else tail}"
    return f"`{shown}`"
