"""Which of two versions of palimp is the newer one."""

import re

_RELEASE = re.compile(r"\d+(?:\.\d+)*")


def is_newer(one: str, other: str) -> bool:
    """Tell whether version *one* is newer than *other*; what is no version is neither newer nor older.

    Only the numbers of the release count: a development version is as new as what it leads to.
    """
    mine, theirs = _release(one), _release(other)
    return bool(mine and theirs) and mine > theirs


def _release(version: str) -> list[int]:
    match = _RELEASE.match(version)
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers
