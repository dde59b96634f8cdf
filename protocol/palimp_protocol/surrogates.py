"""Turn lone surrogates (halves of characters, cut by JavaScript) into U+FFFD in all input.

Python reads them silently and fails long after, when storing or sending. Standard library only.
"""

import re
from typing import Final

_ESCAPED_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""A JSON escape: a whole pair; half of one (the group); or any other, an escaped backslash included."""

_PAIRS: Final = re.compile(rb"(?:\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf])+")
_HALF: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
"""Surrogates as bytes. No UTF-8 text has these: after 0xED only 0x80 to 0x9F may follow."""

_REPLACEMENT: Final = "\ufffd".encode()


def mend_surrogates(text: str) -> str:
    """Return *text* with surrogate pairs joined; each lone one, or undecodable byte (PEP 383), is U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def mended_argument(text: str) -> str:
    """Return *text* from a command line, mended.

    Raises:
        UnicodeDecodeError: it holds bytes of another encoding.
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no bytes that Python kept: halves, from JSON
        return mend_surrogates(text)
    return mended_bytes(data).decode()


def mended_json(data: bytes) -> bytes:
    r"""Return JSON *data* with `\ufffd` for lone surrogates; other bytes stay invalid JSON."""
    data = mended_bytes(data)
    if _ESCAPED_HALF.search(data):
        data = _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)
    return data


def mended_bytes(data: bytes) -> bytes:
    """Return UTF-8 *data* with its encoded surrogates mended."""
    if b"\xed" not in data:
        return data
    joined = _PAIRS.sub(lambda found: mend_surrogates(found[0].decode("utf-8", "surrogatepass")).encode(), data)
    return _HALF.sub(_REPLACEMENT, joined)
