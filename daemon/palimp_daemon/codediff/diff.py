"""What a change took out and put in: hunks of lines, from two texts or from git's patch of a commit.

A line that the same change adds elsewhere was moved, not removed; a hunk whose two sides differ in layout only was
reformatted. Lines are compared by their keys, so a line that was only indented is in no hunk at all.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from palimp_daemon.codediff.normalize import is_significant, key_of

HUNK_GAP_LINES: Final = 4
"""Changed lines that are less apart belong to one hunk."""

HUNK_LINES_MAX: Final = 200
"""Lines kept of each side of one hunk; a longer one continues in the next."""

DIFF_CELLS_MAX: Final = 4_000_000
"""Lines of one text times lines of the other, up to which they are aligned: a second at most. Beyond, what is in
one text and not in the other is taken as one hunk."""

_LAYOUT: Final = str.maketrans("", "", ",;()[]{}\\")


class Hunk(NamedTuple):
    """Lines that were replaced by others. *line* is the number of the first in the former text, from 1."""

    path: str
    line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    is_moved: tuple[bool, ...] = ()
    """Of each removed line: whether it is still there, somewhere else."""

    @property
    def gone(self) -> list[str]:
        """The removed lines that are nowhere else."""
        moved = self.is_moved or (False,) * len(self.removed)
        return [line for line, is_moved in zip(self.removed, moved, strict=True) if not is_moved and key_of(line)]


def hunks_between(path: str, old: str, new: str) -> list[Hunk]:
    """Return what turns *old* into *new*; layout aside."""
    before, after = old.splitlines(), new.splitlines()
    keys_before, keys_after = [key_of(line) for line in before], [key_of(line) for line in after]
    start, end = common_ends(keys_before, keys_after)
    middle_before, middle_after = keys_before[start : len(before) - end], keys_after[start : len(after) - end]
    if len(middle_before) * len(middle_after) > DIFF_CELLS_MAX:
        spans = [_unaligned(middle_before, middle_after)]
    else:
        spans = _aligned(middle_before, middle_after)
    hunks: list[Hunk] = []
    for gone, come in _merged(spans):
        line = start + (min(gone) if gone else 0) + 1
        removed, added = tuple(before[start + i] for i in gone), tuple(after[start + i] for i in come)
        hunks += _split(Hunk(path, line, removed, added))
    return hunks


def without_moves(hunks: Iterable[Hunk]) -> list[Hunk]:
    """Return the hunks of one change with the lines that it adds elsewhere marked as moved, reformatted ones left out.

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


def cleaned(hunk: Hunk, clean: Callable[[str], str]) -> Hunk:
    """Return *hunk* with each side's text put through *clean*, which may make fewer lines of it.

    Where it does, what was moved is not told apart any more.
    """
    removed, added = (
        tuple(clean("\n".join(lines)).split("\n")) if lines else () for lines in (hunk.removed, hunk.added)
    )
    is_moved = hunk.is_moved if len(removed) == len(hunk.is_moved) else (False,) * len(removed)
    return hunk._replace(removed=removed, added=added, is_moved=is_moved)


def only_gone(hunk: Hunk) -> Hunk:
    """Return what a commit's *hunk* is kept as: the lines that are gone. The others are in git, and a third of it."""
    return Hunk(hunk.path, hunk.line, tuple(hunk.gone), (), (False,) * len(hunk.gone))


def takes_out(hunk: Hunk) -> bool:
    """Tell whether something that says something of its own is gone."""
    return any(is_significant(line) for line in hunk.gone)


def _is_reformatted(hunk: Hunk) -> bool:
    """Tell whether both sides are the same but for lines, white space, brackets and commas."""
    if not hunk.removed or not hunk.added:
        return False
    before = "".join(map(key_of, hunk.removed)).translate(_LAYOUT)
    return before == "".join(map(key_of, hunk.added)).translate(_LAYOUT)


def common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return with how many items both begin, and with how many behind these both end."""
    start = _common(before, after)
    return start, _common(before[start:][::-1], after[start:][::-1])


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many items the two begin with in common."""
    count = 0
    for mine, theirs in zip(first, second, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


Span = tuple[list[int], list[int]]
"""Numbers of lines that go, and of those that come in their place."""


def _aligned(before: Sequence[str], after: Sequence[str]) -> list[Span]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(list(range(a, b)), list(range(c, d))) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _unaligned(before: Sequence[str], after: Sequence[str]) -> Span:
    spare, missing = Counter(after), Counter(before)
    gone = [i for i, key in enumerate(before) if not _take(spare, key)]
    come = [i for i, key in enumerate(after) if not _take(missing, key)]
    return gone, come


def _take(counter: Counter[str], key: str) -> bool:
    if counter[key] <= 0:
        return False
    counter[key] -= 1
    return True


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return *spans* with those joined between which less than HUNK_GAP_LINES stayed."""
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


def _split(hunk: Hunk) -> list[Hunk]:
    """Return *hunk* in parts of HUNK_LINES_MAX lines a side."""
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
