"""Text without what terminals act on, and text that can be encoded, for everything that is shown and was stored."""

import re
from typing import Final

_CONTROL: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def without_control(text: str) -> str:
    """Return *text* without terminal escapes and control characters; line feeds and tabs stay."""
    # Nearly every text is printable, which is seen much sooner than that none of this stands in it.
    return text if text.replace("\n", "").isprintable() else _CONTROL.sub("", text)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    r"""Return *text* with its lone surrogates written out, so that UTF-8 can encode it.

    A byte of a file name that is no UTF-8, which Python keeps as U+DC80 to U+DCFF, becomes `\xff`; half a character of
    UTF-16 becomes `\ud83d`.
    """
    return text if text.isascii() else _SURROGATE.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
