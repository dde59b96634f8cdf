"""Diff two texts, or parse git's patch of a commit, into hunks.

A line that the same change adds elsewhere is moved, not removed; a hunk that only changes layout is dropped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from palimp_daemon.codediff.normalize import is_significant, key_of

HUNK_GAP_LINES: Final = 4
"""Changed lines up to this far apart form one hunk."""

HUNK_LINES_MAX: Final = 200
"""Lines of each side of a hunk; a longer hunk is split."""

DIFF_CELLS_MAX: Final = 4_000_000
"""Product of two texts' lines up to which they are aligned: a second at most. Beyond, all lines that the other text
lacks form one hunk.
"""

_LAYOUT: Final = str.maketrans("", "", ",;()[]{}\\")


class Hunk(NamedTuple):
    """Lines replaced by others. *line* is the first in the former text, from 1."""

    path: str
    line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    is_moved: tuple[bool, ...] = ()
    """For each removed line, whether the change adds it elsewhere; () for none."""

    @property
    def gone(self) -> list[str]:
        """The removed lines that were not moved."""
        moved = self.is_moved or (False,) * len(self.removed)
        return [line for line, is_moved in zip(self.removed, moved, strict=True) if not is_moved and key_of(line)]


def hunks_between(path: str, old: str, new: str) -> list[Hunk]:
    """Diff *old* and *new*, ignoring layout."""
    before, after = old.splitlines(), new.splitlines()
    keys_before, keys_after = [key_of(line) for line in before], [key_of(line) for line in after]
    start, end = common_ends(keys_before, keys_after)
    middle_before, middle_after = keys_before[start : len(before) - end], keys_after[start : len(after) - end]
    if len(middle_before) * len(middle_after) > DIFF_CELLS_MAX:
        spans = [_multiset_difference(middle_before, middle_after)]
    else:
        matcher = SequenceMatcher(None, middle_before, middle_after, autojunk=False)
        spans = [(list(range(a, b)), list(range(c, d))) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    hunks: list[Hunk] = []
    for gone, come in _merge_near(spans):
        line = start + (min(gone) if gone else 0) + 1
        removed, added = tuple(before[start + i] for i in gone), tuple(after[start + i] for i in come)
        hunks += split(Hunk(path, line, removed, added))
    return hunks


def without_moves(hunks: Iterable[Hunk]) -> list[Hunk]:
    """Mark lines that the change adds elsewhere as moved; drop reformatted hunks.

    Each added line accounts for one removed line.
    """
    hunks = [hunk for hunk in hunks if not _is_reformatted(hunk)]
    spare = Counter(key_of(line) for hunk in hunks for line in hunk.added)
    marked: list[Hunk] = []
    for hunk in hunks:
        moved: list[bool] = []
        for line in hunk.removed:
            key = key_of(line)
            is_moved = spare[key] > 0
            spare[key] -= is_moved
            moved.append(is_moved or not key)
        marked.append(hunk._replace(is_moved=tuple(moved)))
    return marked


def clean_hunk(hunk: Hunk, clean: Callable[[str], str]) -> Hunk:
    """Apply *clean* to both sides; a changed number of lines loses the moves."""
    removed, added = (
        tuple(clean("\n".join(lines)).split("\n")) if lines else () for lines in (hunk.removed, hunk.added)
    )
    is_moved = hunk.is_moved if len(removed) == len(hunk.is_moved) else (False,) * len(removed)
    return hunk._replace(removed=removed, added=added, is_moved=is_moved)


def only_gone(hunk: Hunk) -> Hunk:
    """Return *hunk* with removed lines only, as stored for a commit."""
    return Hunk(hunk.path, hunk.line, tuple(hunk.gone), (), (False,) * len(hunk.gone))


def takes_out(hunk: Hunk) -> bool:
    """Tell whether a significant line is gone."""
    return any(is_significant(line) for line in hunk.gone)


def _is_reformatted(hunk: Hunk) -> bool:
    if not hunk.removed or not hunk.added:
        return False
    before = "".join(map(key_of, hunk.removed)).translate(_LAYOUT)
    return before == "".join(map(key_of, hunk.added)).translate(_LAYOUT)


def common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Count the equal items at the start and at the end."""
    start = _common(before, after)
    return start, _common(before[start:][::-1], after[start:][::-1])


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(first, second, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


Span = tuple[list[int], list[int]]
"""Indexes of removed lines and of the lines that replace them."""


def _multiset_difference(before: Sequence[str], after: Sequence[str]) -> Span:
    spare, missing = Counter(after), Counter(before)
    gone = [i for i, key in enumerate(before) if not _take(spare, key)]
    come = [i for i, key in enumerate(after) if not _take(missing, key)]
    return gone, come


def _take(counter: Counter[str], key: str) -> bool:
    if counter[key] <= 0:
        return False
    counter[key] -= 1
    return True


def _merge_near(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for gone, come in spans:
        if merged and _is_near(merged[-1], (gone, come)):
            merged[-1][0].extend(gone)
            merged[-1][1].extend(come)
        else:
            merged.append((list(gone), list(come)))
    return merged


def _is_near(last: Span, span: Span) -> bool:
    for before, now in zip(last, span, strict=True):
        if before and now:
            return now[0] - before[-1] <= HUNK_GAP_LINES
    return False


def split(hunk: Hunk) -> list[Hunk]:
    """Split *hunk* into parts of HUNK_LINES_MAX lines a side."""
    length = max(len(hunk.removed), len(hunk.added))
    return [
        Hunk(
            hunk.path,
            hunk.line + first,
            hunk.removed[first : first + HUNK_LINES_MAX],
            hunk.added[first : first + HUNK_LINES_MAX],
        )
        for first in range(0, length, HUNK_LINES_MAX)
    ]
