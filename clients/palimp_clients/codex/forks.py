"""Find and date the part of a forked session that Codex copied.

It gets the older file's dates, and so is stored once; without that file, lines written at once are the copy.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from palimp_clients.transcripts.turn import Piece

FORKS_MAX: Final = 8
"""Sessions in a chain of forks that are read for times."""

PIECES_MAX: Final = 100_000
"""Messages of a session that are compared: a year of work."""

DAYS_MAX: Final = 2_000
"""Day folders searched for a session."""

AT_ONCE_MS: Final = 1_000
"""Milliseconds between two lines of a copy; a person's requests take longer."""

_OVER: Final = "own"
"""Memo once all copies are read."""

_COPIES: Final = "c"
"""Prefix of the memo until then; the number of messages seen of the older session follows."""

_UUID_7: Final = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-")


def without_new_times(
    pieces: Sequence[Piece], said_before: Callable[[], Sequence[Piece]], began_ms: int, memo: str
) -> tuple[list[Piece], str]:
    """Return *pieces* with copies marked and dated as in *said_before*, and the new memo.

    *began_ms*: the fork's time.
    """
    if memo == _OVER:
        return list(pieces), _OVER
    before = said_before()
    seen = int(memo.removeprefix(_COPIES)) if memo.removeprefix(_COPIES).isdecimal() else 0
    matches = _matches(pieces, before, seen) if before else []
    count = matches[-1][0] + 1 if matches else (0 if before else _written_at_once(pieces, began_ms))
    times = dict(matches)
    at_ms = before[seen - 1].at_ms if before and seen else 0
    copies: list[Piece] = []
    for place, piece in enumerate(pieces[:count]):
        at_ms = before[times[place]].at_ms if place in times else at_ms
        copies.append(piece._replace(at_ms=at_ms or piece.at_ms, is_copy=True))
    is_over = count < len(pieces)
    return [*copies, *pieces[count:]], _OVER if is_over else f"{_COPIES}{matches[-1][1] + 1 if matches else seen}"


def _matches(pieces: Sequence[Piece], before: Sequence[Piece], seen: int) -> list[tuple[int, int]]:
    places: dict[bytes, list[int]] = {}
    for place in range(len(before) - 1, seen - 1, -1):
        places.setdefault(_known_by(before[place]), []).append(place)
    found: list[tuple[int, int]] = []
    for place, piece in enumerate(pieces):
        waiting = places.get(_known_by(piece), [])
        while waiting and waiting[-1] < seen:
            waiting.pop()
        if waiting:
            found.append((place, waiting[-1]))
            seen = waiting.pop() + 1
    return found


def _known_by(piece: Piece) -> bytes:
    return hashlib.blake2b(f"{piece.role} {piece.text}".encode(errors="replace"), digest_size=16).digest()


def _written_at_once(pieces: Sequence[Piece], began_ms: int) -> int:
    for place, piece in enumerate(pieces):
        if piece.at_ms > began_ms + AT_ONCE_MS:
            return place
        began_ms = max(began_ms, piece.at_ms)
    return len(pieces)


def rollouts_near(path: Path, key: str) -> Iterator[Path]:
    """Yield session *key*'s files in days' folders around *path*."""
    name = f"rollout-*-{key}.jsonl"
    if not re.fullmatch(r"[0-9A-Za-z-]{1,100}", key):
        return
    yield from path.parent.glob(name)
    days = path.parent.parent.parent.parent
    made = _UUID_7.match(key)
    if made:
        at = datetime.fromtimestamp(int(made[1] + made[2], 16) / 1000, UTC)
        for day in (at, at - timedelta(days=1), at + timedelta(days=1)):
            yield from (days / f"{day:%Y/%m/%d}").glob(name)
    for folder in islice(days.glob("*/*/*/"), DAYS_MAX):
        yield from folder.glob(name)
    yield from (days.parent / "archived_sessions").glob(name)
