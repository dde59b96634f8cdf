"""`<private>…</private>`: what the user marks as not to be stored is dropped.

The rule:

* A closed pair drops what stands between its marks, and the marks.
* `<private>` at the beginning of a line that is never closed drops all that follows: somebody began a private part and
  forgot to end it, or its end was cut off, and what was meant as private is not stored.
* `<private>` anywhere else in a line that is never closed is text *about* the mark: everything stays.
* A mark that stands between quotes or backticks by itself (`` `<private>` ``, `"<private>"`) is text about it, too.

Whoever saves such a text is told that something was not stored.
"""

import re
from typing import Final

_MARK: Final = re.compile(r"(?i)<(?P<slash>/?)private>")
_QUOTES: Final = {"`": "`", '"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’", "«": "»", "「": "」", "‹": "›", "*": "*"}


def without_private(text: str) -> str:
    """Return *text* without what is marked as private."""
    if "<" not in text:
        return text
    kept: list[str] = []
    reached = 0
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if _is_mentioned(text, mark):
            continue
        if mark["slash"]:
            if opened:
                kept.append(text[reached : opened.start()])
                reached, opened = mark.end(), None
        elif opened is None or not _begins_line(text, opened):
            # Of several that are open, the last one is closed; but one that begins a line holds the others.
            opened = mark
    if opened and _begins_line(text, opened):
        return "".join([*kept, text[reached : opened.start()]])
    return "".join([*kept, text[reached:]]) if kept else text


def _is_mentioned(text: str, mark: re.Match[str]) -> bool:
    """Tell whether *mark* stands between quotes by itself."""
    before, after = text[mark.start() - 1 : mark.start()] if mark.start() else "", text[mark.end() : mark.end() + 1]
    return bool(before and after) and after in _QUOTES.get(before, "")


def _begins_line(text: str, mark: re.Match[str]) -> bool:
    """Tell whether nothing but white space stands before *mark* in its line."""
    return not text[text.rfind("\n", 0, mark.start()) + 1 : mark.start()].strip()
