"""Look ahead once per character: rows of names (`a=b=c=…`) would take quadratic time."""

import re
from typing import Final


class RunEnds:
    """Tells where runs of a class of characters end."""

    def __init__(self, run: re.Pattern[str], text: str) -> None:
        self._run: Final = run
        self._text: Final = text
        self._begin = 0
        self._end = 0

    def after(self, start: int) -> int:
        """Return the end of the run at *start*; *start* if there is none."""
        if not self._begin <= start < self._end:
            found = self._run.match(self._text, start)
            self._begin, self._end = start, found.end() if found else start
        return self._end


class NextPlaces:
    """Tells where a pattern matches next."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern: Final = pattern
        self._text: Final = text
        self._asked = 0
        self._found = 0
        self._end = 0

    def after(self, start: int, end: int) -> int:
        """Return the first match from *start* on and before *end*; else *end*."""
        is_known = self._asked <= start <= self._found and end == self._end
        if not is_known:
            found = self._pattern.search(self._text, start, end)
            self._asked, self._found, self._end = start, found.start() if found else end, end
        return self._found
