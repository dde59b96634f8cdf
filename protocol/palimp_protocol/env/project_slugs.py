"""What Claude Code, and Qwen Code after it, call the folder of a project among their own: its slug.

What is no letter or digit of ASCII in the project's path becomes a hyphen, as JavaScript counts: two for what UTF-16
has two units for. So several paths share a slug. Claude Code 2.1 cuts a long one, with a hash behind it.
"""

import re
import unicodedata
from typing import Final

SLUG_CHARACTERS_MAX: Final = 200
"""A longer slug is cut by Claude Code, and has a number behind it."""

_SEPARATING: Final = re.compile("[^a-zA-Z0-9]")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug_of(path: str) -> str:
    """Return what Claude Code calls its folder for the project at *path*."""
    slug = _SEPARATING.sub(lambda found: "--" if found[0] > "\uffff" else "-", path)  # JavaScript counts in UTF-16
    if len(slug) <= SLUG_CHARACTERS_MAX:
        return slug
    return f"{slug[:SLUG_CHARACTERS_MAX]}-{_number_of(path)}"


def slugs_of(path: str) -> list[str]:
    """Return the slugs that *path* may have: some versions compose its letters first."""
    return list(dict.fromkeys(slug_of(each) for each in (path, unicodedata.normalize("NFC", path))))


def _number_of(path: str) -> str:
    """Return the number behind a slug that is cut: the path's hash, as JavaScript programs often make it."""
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
