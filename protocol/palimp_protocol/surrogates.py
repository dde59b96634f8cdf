r"""Lone surrogates: halves of characters, which no UTF-8 text can hold, become U+FFFD wherever text comes in.

JavaScript counts UTF-16 units. Who cuts a text there may cut an emoji in two; JSON passes the half on as `\ud83d`, some
programs as the three bytes that UTF-8 would have for it. Python reads both without a word and fails when the text is
stored or sent, long after. Two halves that belong together are the character that they make.

Only the standard library is used: hooks import this.
"""

import re
from typing import Final

_ESCAPED_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape of JSON: a whole pair; half of one (the group); or any other, an escaped backslash among them."""

_ENCODED: Final = re.compile(rb"(?:\xed[\xa0-\xbf][\x80-\xbf])+")
"""Surrogates as bytes. No UTF-8 text has these: after 0xED there, 0x80 to 0x9F must follow."""


def mended(text: str) -> str:
    """Return *text* with pairs of surrogates joined, and U+FFFD for each lone one (for undecodable bytes, too).

    Python keeps bytes that are no UTF-8 in names and arguments as lone surrogates (PEP 383).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def mended_argument(text: str) -> str:
    """Return *text*, which may have come from a command line, with surrogates mended as by `mended`.

    Raises:
        UnicodeDecodeError: it holds other bytes that are no UTF-8: a text in another encoding.
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no bytes that Python kept: halves, from JSON
        return mended(text)
    return mended_bytes(data).decode()


def mended_json(data: bytes) -> bytes:
    r"""Return JSON *data* with `\ufffd` for each escape of a lone surrogate, encoded surrogates mended as by `mended`.

    Nothing else is changed: what was no JSON is none afterwards.
    """
    data = mended_bytes(data)
    if _ESCAPED_HALF.search(data):
        data = _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)
    return data


def mended_bytes(data: bytes) -> bytes:
    """Return UTF-8 *data* with surrogates in it, which UTF-8 has none of, mended as by `mended`."""
    if b"\xed" not in data:
        return data
    return _ENCODED.sub(lambda found: mended(found[0].decode("utf-8", "surrogatepass")).encode(), data)
