"""Find the commits that had added lines now gone, with their messages.

The lines are looked up in the removing commit's first parent or, if an agent removed them, in the last commit before:
by `git blame`, then `blame -C`, slow in large commits; before a mere revert they are looked up again. textconv is off,
and a revision always named: `blame` would run the repository's filters.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.codediff.normalize import is_significant, line_key
from palimp_daemon.codediff.skip_list import FILE_BYTES_MAX
from palimp_daemon.git.git_log import plain_message, without_trailers
from palimp_daemon.git.git_repository import answer_of, ask, is_shallow
from palimp_protocol.env.git_command import is_repository

LINES_MAX: Final = 60
"""Lines whose origin is looked up, the first to come back; they suffice to identify the commit."""

RANGES_MAX: Final = 20
"""Runs of lines in one query of git, an option each."""

NEAR_LINES: Final = 40
"""Greatest distance in a file between neighbouring lines of a hunk; beyond it is other code."""

REVERTS_FOLLOWED: Final = 3
"""Reverts followed: with more, any of the commits will do."""

TOLD_AMONG: Final = 8
"""Commits with the most lines; the newest of them is shown beside the first."""

_REVERTS: Final = re.compile(r"(?i)\bthis reverts commit ([0-9a-f]{7,64})\b[^\n]*")
_SAYS_ONLY_THAT: Final = re.compile(r"(?i)^\s*(?:revert|reapply)\b[^\n]*|\(cherry picked from commit [0-9a-f]+\)")
_OF_LINE: Final = re.compile(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_MESSAGES: Final = ("log", "--no-walk=unsorted", "--no-patch", "--no-color", "--no-show-signature", "--no-notes")
_FORMAT: Final = "--format=%x00%H%x00%ct%x00%B"
_BLAME: Final = ("blame", "--porcelain", "--no-textconv", "--encoding=UTF-8", "-w")


class Gone(NamedTuple):
    """Lines gone from a file, by *commit* or by an edit at *at* (Unix milliseconds)."""

    path: str
    line: int
    """Approximate line number of the first."""
    lines: tuple[str, ...]
    commit: str
    at: int
    reason: str
    """Message of the removal."""


class Origin(NamedTuple):
    """A commit that had added lines."""

    commit: str
    at: int
    """Unix milliseconds."""
    message: str
    """From `plain_message`; redact and shorten before showing."""
    lines: int
    """Lines that it had added, out of *of*."""
    of: int
    is_elsewhere: bool = False
    """Whether it had added them to another file before a move."""


class _Place(NamedTuple):
    revision: str
    path: str
    numbers: tuple[int, ...]
    telling: str
    """The longest of the significant lines."""


def origins_of(tree: Path, gone: Gone, found: Callable[[tuple[Origin, ...]], None]) -> None:
    """Call *found* with the commits that had added the lines: at most two, most lines first.

    Again if a longer search finds more; never if git cannot tell.

    Raises:
        GitError: git cannot be asked, or not in time.
    """
    if not is_repository(str(tree)):
        return
    place = _place_before(tree, gone)
    commits = _blame(tree, place, "-M") if place else Counter[str]()
    if not commits:
        if taken_back := reverted_by(gone.reason):
            found(_read_origins(tree, Counter({taken_back: len(gone.lines)})))
        return
    first = _read_origins(tree, commits)
    for _ in range(REVERTS_FOLLOWED):
        taken_back = _only_reverts(first[0].message) if first else ""
        there = _place_in(tree, f"{taken_back}^", (place.path,), gone) if taken_back and place else None
        if there is None or not (earlier := _read_origins(tree, _blame(tree, there, "-M"))):
            break
        place, first = there, earlier
    found(first)
    elsewhere = _blame(tree, place, "-C") if place and first else Counter[str]()
    told = {each.commit for each in first}
    if elsewhere and elsewhere.most_common(1)[0][0] not in told and (came_from := _read_origins(tree, elsewhere, 1)):
        found((first[0], came_from[0]._replace(is_elsewhere=True)))


def reverted_by(message: str) -> str:
    """Return the commit that *message* says it reverts, if any."""
    match = _REVERTS.search(message)
    return match[1] if match else ""


def _only_reverts(message: str) -> str:
    # In this order: trailers may stand before the line that says where it was picked from.
    said = without_trailers([_SAYS_ONLY_THAT.sub("", _REVERTS.sub("", line)) for line in message.splitlines()])
    return "" if any(re.search(r"\w", line) for line in said) else reverted_by(message)


def find_lines(wanted: Sequence[str], lines: Sequence[str], near: int) -> list[int]:
    """Find *wanted* in *lines* near number *near*; return ascending numbers from 1."""
    keys = [line_key(line) for line in wanted]
    places: dict[str, list[int]] = {key: [] for key in keys if key}
    for number, line in enumerate(lines, 1):
        if (key := line_key(line)) in places:
            places[key].append(number)
    there = [i for i, key in enumerate(keys) if places.get(key)]
    if not there:
        return []
    # From the line that stands there least often, since it says most surely where they are.
    anchor = min(there, key=lambda i: (len(places[keys[i]]), -len(keys[i])))
    middle = min(places[keys[anchor]], key=lambda number: abs(number - near - anchor))
    found = [middle]
    for i in range(anchor + 1, len(keys)):
        after = [number for number in places.get(keys[i], ()) if 0 < number - found[-1] <= NEAR_LINES]
        found += after[:1]
    for i in range(anchor - 1, -1, -1):
        before = [number for number in places.get(keys[i], ()) if 0 < found[0] - number <= NEAR_LINES]
        found[:0] = before[-1:]
    return found


def count_blamed(output: bytes, telling: frozenset[int]) -> tuple[Counter[str], set[str]]:
    """Parse `git blame --porcelain`: count the lines *telling* by commit.

    Also return boundary commits, where git's history ends.
    """
    counts: Counter[str] = Counter()
    ends: set[str] = set()
    commit = ""
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            continue  # of the file
        if match := _OF_LINE.fullmatch(line.decode("utf-8", "replace")):
            commit = match[1]
            counts[commit] += int(match[2]) in telling
        elif line == b"boundary":
            ends.add(commit)
    return +counts, ends


# --- what git is asked ---------------------------------------------------------------------------


def _place_before(tree: Path, gone: Gone) -> _Place | None:
    if not gone.commit:
        # The commit that the agent found, whether what it did was committed since or not.
        listing = ("rev-list", "--max-count=1", "--first-parent", f"--before={gone.at // 1000}", "HEAD", "--")
        last = answer_of(tree, *listing)
        # The edit may have been committed within the same second.
        tried = (_place_in(tree, each, (gone.path,), gone) for each in (last, f"{last}^") if last)
        return next((place for place in tried if place), None)
    parent = f"{gone.commit}^"
    if place := _place_in(tree, parent, (gone.path,), gone):
        return place
    renamed = ("diff-tree", "-r", "-z", "--find-renames", "-l400", "--diff-filter=R", "--name-status", "--no-ext-diff")
    answer = ask(tree, *renamed, "--no-textconv", parent, gone.commit, "--", bytes_max=FILE_BYTES_MAX)
    fields = answer.output.split(b"\0")
    pairs = zip(fields[1::3], fields[2::3], strict=False)
    former = [before for before, after in pairs if after == gone.path.encode()]
    return _place_in(tree, parent, [os.fsdecode(path) for path in former], gone)


def _place_in(tree: Path, revision: str, paths: Sequence[str], gone: Gone) -> _Place | None:
    for path in paths:
        answer = ask(tree, "cat-file", "blob", f"{revision}:{path}", bytes_max=FILE_BYTES_MAX)
        if answer.status:
            continue
        lines = answer.output.decode("utf-8", "replace").split("\n")
        numbers = find_lines(gone.lines[:LINES_MAX], lines, gone.line)
        # Those that say something tell more than a bracket, which may have stood there before.
        telling = [number for number in numbers if is_significant(lines[number - 1])] or numbers
        if telling:
            longest = max((lines[number - 1] for number in telling), key=len)
            return _Place(revision, path, tuple(telling), longest)
    return None


def _blame(tree: Path, place: _Place, depth: str) -> Counter[str]:
    ranges: list[list[int]] = []
    for number in place.numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        elif len(ranges) < RANGES_MAX:
            ranges.append([number, number])
    spans = [f"-L{first},{last}" for first, last in ranges]
    answer = ask(tree, *_BLAME, depth, *spans, place.revision, "--", place.path, bytes_max=FILE_BYTES_MAX)
    if answer.status:
        # It refuses where `blame.ignoreRevsFile` names a file that is not there.
        return _last_to_add(tree, place)
    counts, ends = count_blamed(answer.output, frozenset(place.numbers))
    if ends and is_shallow(tree):
        for commit in ends:
            del counts[commit]  # it only seems to have added them
    return counts


def _last_to_add(tree: Path, place: _Place) -> Counter[str]:
    search = ("log", "--max-count=1", f"-S{place.telling}", "--no-ext-diff", "--no-textconv", "--no-patch")
    commit = answer_of(tree, *search, "--no-show-signature", "--format=%H", place.revision, "--", place.path)
    return Counter({commit: len(place.numbers)}) if commit and not is_shallow(tree) else Counter[str]()


def _read_origins(tree: Path, commits: Counter[str], most: int = TOLD_AMONG) -> tuple[Origin, ...]:
    chosen = [commit for commit, _ in commits.most_common(most)]
    if not chosen:
        return ()
    answer = ask(tree, *_MESSAGES, "--encoding=UTF-8", _FORMAT, *chosen, "--", bytes_max=FILE_BYTES_MAX)
    said: list[Origin] = []
    fields = answer.output.split(b"\0")
    for name, seconds, message in zip(fields[1::3], fields[2::3], fields[3::3], strict=False):
        commit = name.decode("ascii", "replace")
        text = plain_message(message.decode("utf-8", "replace"))
        at = int(seconds) * 1000 if seconds.isdigit() else 0
        lines = next((count for each, count in commits.items() if commit.startswith(each)), 0)
        said.append(Origin(commit, at, text, lines, commits.total()))
    return (*said[:1], *sorted(said[1:], key=lambda each: -each.at)[:1])
