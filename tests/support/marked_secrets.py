"""Lines in which a secret is marked: `password=‹password:hunter2x›`, and those that must stay have no mark."""

import re
from typing import Final

from palimp_daemon.text.redact import Redactor

_MARKED: Final = re.compile("‹([a-z-]+):(.+?)›", re.DOTALL)
_redacted: Final = Redactor()


def wrongly_redacted(lines: str) -> list[tuple[str, str]]:
    r"""Return what is left of each of *lines*, and what should be, where they differ; `\n` in one is a break."""
    marked = [line.strip().replace("\\n", "\n") for line in lines.splitlines() if line.strip()]
    assert marked
    found = [(_redacted(_MARKED.sub(r"\2", each)), _MARKED.sub(r"<redacted:\1>", each)) for each in marked]
    return [(left, right) for left, right in found if left != right]
