"""Read on in a text so that no character is read twice: names in rows (`a=b=c=…`) would make that quadratic."""

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
        """Return the end of the run that goes on at *start*; *start* itself where none does."""
        if not self._begin <= start < self._end:
            found = self._run.match(self._text, start)
            self._begin, self._end = start, found.end() if found else start
        return self._end


class NextPlaces:
    """Tells where a pattern fits next."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern: Final = pattern
        self._text: Final = text
        self._asked = 0
        self._found = 0
        self._end = 0

    def after(self, start: int, end: int) -> int:
        """Return the first place from *start* on where the pattern fits before *end*; else *end*."""
        is_known = self._asked <= start <= self._found and end == self._end
        if not is_known:
            found = self._pattern.search(self._text, start, end)
            self._asked, self._found, self._end = start, found.start() if found else end, end
        return self._found
