"""Find the commit or session that had added removed code.

The search goes on for its cache: a denied edit is often sent again.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.codediff.normalize import is_significant, key_of
from palimp_daemon.codediff.packing import unpack
from palimp_daemon.git import GitError
from palimp_daemon.git.git_log import reason_of
from palimp_daemon.git.line_origin import Gone, Origin, origins_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.hunks import Known, edits_before
from palimp_daemon.store.tables.removed_code.reintroduced import Reintroduction
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.removed_code import Addition

ASKED_MAX: Final = 2
"""Matches per edit with their origin looked up: the best is shown, or, if already shown, the next."""

KEPT_MAX: Final = 512
"""Origins kept in memory; each is a message or two."""

SEARCHES_MAX: Final = 2
"""Searches at once, including abandoned ones: each git may take a processor."""

FIRST_CHARACTERS: Final = 600
"""Characters shown of the origin's commit message: 150 tokens."""

SECOND_CHARACTERS: Final = 200
"""Characters shown of a second commit's message."""

EARLIER_EDITS: Final = 200
"""Earlier edits of a file searched for a removal's origin."""

SHARE: Final = 0.6
"""Share of the remaining time for git's search."""

ANSWER_S: Final = 0.05
"""Seconds reserved for the answer: the warning matters more than its second reason."""

BEGUN_S: Final = 0.005
"""Minimum seconds for git's search: once begun, its result serves the next time."""

Key = tuple[str, int, tuple[str, ...]]
"""A working tree, a hunk, and its lines that come back."""


class Origins:
    """Finds and caches origins of removed code."""

    def __init__(self, redact: Redactor) -> None:
        self._redact = redact
        self._known: OrderedDict[Key, list[Addition]] = OrderedDict()
        self._searched: set[Key] = set()
        self._limiter = trio.CapacityLimiter(SEARCHES_MAX)

    async def of(self, tree: str, found: Sequence[Reintroduction], within_s: float) -> dict[int, list[Addition]]:
        """Return origins by hunk, as far as known in *within_s*."""
        keys = {each.hunk.id: (tree, each.hunk.id, _returning_lines(each)) for each in found[:ASKED_MAX]}
        with trio.move_on_after(within_s):
            async with trio.open_nursery() as nursery:
                for each in found[:ASKED_MAX]:
                    if (key := keys[each.hunk.id]) not in self._known and key not in self._searched:
                        nursery.start_soon(self._wait_for, partial(self._search, key, each.hunk))
        while len(self._known) > KEPT_MAX:
            self._known.popitem(last=False)
        return {number: list(self._known.get(key, ())) for number, key in keys.items()}

    async def _wait_for(self, search: Callable[[], None]) -> None:
        await trio.to_thread.run_sync(search, abandon_on_cancel=True, limiter=self._limiter)

    def _search(self, key: Key, hunk: Known) -> None:
        self._searched.add(key)
        tree, _, lines = key

        def keep(origins: tuple[Origin, ...]) -> None:
            self._known[key] = [self._as_addition(origin, number) for number, origin in enumerate(origins)]

        try:
            origins_of(Path(tree), Gone(hunk.path, hunk.line, lines, hunk.commit, hunk.at, hunk.reason), keep)
        except (GitError, OSError):
            return  # it may be able to the next time
        finally:
            self._searched.discard(key)
        self._known.setdefault(key, [])

    def _as_addition(self, origin: Origin, number: int) -> Addition:
        characters = SECOND_CHARACTERS if number else FIRST_CHARACTERS
        message = self._redact(origin.message)
        return Addition(
            at=origin.at,
            reason=first_sentences(reason_of(message, len(message) + 1), characters),
            commit=origin.commit,
            lines=origin.lines,
            of=origin.of,
            is_elsewhere=origin.is_elsewhere,
        )


def share_of(left_s: float) -> float:
    """Return the seconds for git, if *left_s* remain."""
    return max(BEGUN_S, min(left_s * SHARE, left_s - ANSWER_S))


def first_sentences(text: str, characters: int) -> str:
    """Cut *text* after a sentence, with a mark."""
    if len(text) <= characters:
        return text
    beginning = text[: characters - 2]
    end = max(beginning.rfind(f"{mark} ") for mark in ".!?;")
    if end >= characters // 2:
        return f"{beginning[: end + 1]} …"
    return f"{beginning.rpartition(' ')[0] or beginning}…"


def added_in_session(store: Store, project: int, found: Reintroduction) -> list[Addition]:
    """Return a session's edit, unknown to git, that added the code."""
    hunk = found.hunk
    wanted = {key_of(line) for line in _returning_lines(found) if is_significant(line)}
    for each in edits_before(store, project, hunk.path, hunk.id, EARLIER_EDITS):
        added = {key_of(line) for line in unpack(each.packed).added}
        if wanted and len(wanted & added) * 2 > len(wanted):
            return [Addition(at=each.at, reason=first_sentences(each.reason, FIRST_CHARACTERS))] if each.reason else []
    return []


def _returning_lines(found: Reintroduction) -> tuple[str, ...]:
    return tuple(found.old[j] for j in sorted(j for _, j in found.evidence.pairs))
