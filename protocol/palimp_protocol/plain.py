"""Text without what terminals act on, for everything that is shown and was stored."""

import re
from typing import Final

_CONTROL: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def without_control(text: str) -> str:
    """Return *text* without terminal escapes and control characters; line feeds and tabs stay."""
    # Nearly every text is printable, which is seen much sooner than that none of this stands in it.
    return text if text.replace("\n", "").isprintable() else _CONTROL.sub("", text)
