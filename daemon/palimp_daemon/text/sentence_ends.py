"""Cut texts between sentences."""

import re
from typing import Final

SENTENCE_MAX: Final = 1_000
"""Characters of a sentence; more are cut at a word."""

_END: Final = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\bapprox)(?<!\b\w)[.!?][\"')\]}*`»”’]*(?=\s+[^\sa-z\d]|\s*$)"
    r"|[。！？][」』”’）]*"
    r"|\n(?=[ \t]*(?:\n|[-*•][ \t]|\d+[.)][ \t]))"
)
"""End of a sentence with closing marks, an empty line, or a new list item."""


def whole_sentences(text: str, characters: int) -> str:
    """Return the first sentences of *text* that fit in *characters*, at least one.

    Empty if that is longer than SENTENCE_MAX.
    """
    if len(text) <= characters:
        return text
    end = 0
    for found in _END.finditer(text):
        if found.end() > (characters if end else SENTENCE_MAX):
            break
        end = found.end()
    return f"{text[:end].rstrip()} …" if text[end:].strip() and end else text[:end]
