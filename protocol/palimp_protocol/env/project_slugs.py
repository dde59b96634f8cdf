"""Slugs: names of projects' folders in Claude Code and Qwen Code.

All but ASCII letters and digits become hyphens, one per UTF-16 unit; Claude Code 2.1 cuts long ones, with a hash.
"""

import re
import unicodedata
from typing import Final

SLUG_CHARACTERS_MAX: Final = 200
"""Claude Code cuts a longer slug and appends a number."""

_SEPARATING: Final = re.compile("[^a-zA-Z0-9]")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug_of(path: str) -> str:
    """Return Claude Code's folder name for *path*."""
    slug = _SEPARATING.sub(lambda found: "--" if found[0] > "\uffff" else "-", path)  # JavaScript counts in UTF-16
    if len(slug) <= SLUG_CHARACTERS_MAX:
        return slug
    return f"{slug[:SLUG_CHARACTERS_MAX]}-{_number_of(path)}"


def slugs_of(path: str) -> list[str]:
    """Return *path*'s possible slugs: some versions compose its letters first."""
    return list(dict.fromkeys(slug_of(each) for each in (path, unicodedata.normalize("NFC", path))))


def _number_of(path: str) -> str:
    """Hash *path* as JavaScript programs often do."""
    units = path.encode("utf-16-le", "surrogatepass")
    number = 0
    for place in range(0, len(units), 2):
        number = (31 * number + int.from_bytes(units[place : place + 2], "little")) % 2**32
    number = min(number, 2**32 - number)
    digits = ""
    while number or not digits:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
