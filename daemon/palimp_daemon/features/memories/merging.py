"""`compact`: mark superseded memories, and tidy the store.

A newer memory supersedes one of its kind, or a `note`, that it contains, or any that its text claims to replace. The
work is split into jobs, so merges are checked again when made.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeVar

from palimp_daemon.features.handler import Report
from palimp_daemon.features.memories.claims import CLAIMING, claims_in
from palimp_daemon.features.memories.recording import Doing, record_more
from palimp_daemon.runtime.keyed_locks import KeyedLocks
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.search.differences import says_as_much
from palimp_daemon.search.duplicates import PAIRS_MAX, Signatures
from palimp_daemon.search.engine import merge_index
from palimp_daemon.search.minhash import similarity, words_of
from palimp_daemon.store.ids import normalize
from palimp_daemon.store.sqlite_connection import checkpoint
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.memory_merge import (
    Pair,
    Text,
    alive_after,
    claims_between,
    mark_merged,
    signatures_after,
    texts_of,
)
from palimp_daemon.store.tables.memory_rows import in_scope, rows_by_prefix, rows_by_seq, shown_id
from palimp_daemon.store.tables.requests import forget_old_replies
from palimp_daemon.store.tables.steps import noting
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.limits import MERGES_MAX, MERGES_SHOWN_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.merge_messages import Compact, Compacted, Merge, ProgressMade
from palimp_protocol.text import verb

MEMORIES_AT_ONCE: Final = 500
"""Memories examined in one job: a few milliseconds."""

SIGNATURES_AT_ONCE: Final = 3_000
"""Entries of MinHash signatures read in one job."""

PAIRS_AT_ONCE: Final = 25
"""Pairs compared in one job."""

MERGES_AT_ONCE: Final = 50
"""Memories marked in one job."""

PAGES_AT_ONCE: Final = 64
"""Pages of the full-text index merged in one job."""

MERGE_ROUNDS_MAX: Final = 2_000
"""Such jobs per compaction: an index of half a gigabyte."""

T = TypeVar("T")


class _Planned(NamedTuple):
    older: Text
    newer: Text
    why: str
    similarity: float


class MergeService:
    """Answers `compact` and `compact_progress`."""

    def __init__(self, actor: Actor, now_ms: Callable[[], int], prune_hunks: Callable[[int], Awaitable[None]]) -> None:
        self._actor = actor
        self._now_ms = now_ms
        self._prune_hunks = prune_hunks
        self._locks = KeyedLocks()
        self._progress: dict[int, ProgressMade] = {}

    async def compact(self, request: Compact, caller: Caller, report: Report) -> Compacted:
        """Find memories to merge; with `apply`, merge them and tidy the store.

        Raises:
            PalimpError: the store cannot be used.
        """
        project = await self._actor.read(partial(project_row, caller=caller))
        if project is None:
            return Compacted(merges=[], total=0, notes=["Nothing is stored here yet."])
        async with self._locks.lock(str(project)):
            try:
                return await self._compact(request, caller, project, report)
            finally:
                self._progress.pop(project, None)

    async def progress(self, caller: Caller) -> ProgressMade:
        """Return the progress of the compaction of *caller*'s project."""
        project = await self._actor.read(partial(project_row, caller=caller))
        return self._progress.get(project, ProgressMade()) if project is not None else ProgressMade()

    async def _compact(self, request: Compact, caller: Caller, project: int, report: Report) -> Compacted:
        async def say(step: str, done: int, total: int) -> None:
            self._progress[project] = ProgressMade(step=step, done=done, total=total)
            await report(self._progress[project])

        alive, claims = await self._alive(project, say)
        signatures, place = Signatures(set(alive)), (-1, -1)
        while entries := await self._actor.read(partial(signatures_after, place=place, limit=SIGNATURES_AT_ONCE)):
            signatures.add(entries)
            place = entries[-1]
            await say("comparing MinHash signatures", place[0], 2**32)
        pairs = await in_thread(signatures.alike)
        plan: list[_Planned] = []
        for first in range(0, len(pairs), PAIRS_AT_ONCE):
            plan += await self._actor.read(partial(_plan_pairs, project, pairs[first : first + PAIRS_AT_ONCE]))
            await say("comparing texts", first, len(pairs))
        plan = _one_each([*await self._replace_claims(project, claims), *plan])
        notes = (
            ["There is more to compare than fits at once; run it again after this."] if len(pairs) >= PAIRS_MAX else []
        )
        if len(plan) > MERGES_MAX:
            plan, notes = plan[:MERGES_MAX], [*notes, f"Only the first {MERGES_MAX:,} are merged; run it again."]
        tidied: list[str] = []
        if request.apply:
            plan = await self._apply(caller, project, plan, say)
            tidied = await self._tidy(project, say)
        shown = await self._actor.read(partial(_merges_of, plan[:MERGES_SHOWN_MAX]))
        if len(plan) > len(shown):
            more = len(plan) - len(shown)
            notes.append(f"{more:,} more {verb(more)} not named here.")
        return Compacted(
            merges=shown,
            total=len(plan),
            is_applied=request.apply,
            compared=len(pairs),
            tidied=tidied,
            notes=notes,
        )

    async def _alive(
        self, project: int, say: Callable[..., Awaitable[None]]
    ) -> tuple[list[int], list[tuple[int, str]]]:
        alive: list[int] = []
        claims: list[tuple[int, str]] = []
        while True:
            after = alive[-1] if alive else 0
            part = await self._actor.read(partial(alive_after, project=project, seq=after, limit=MEMORIES_AT_ONCE))
            if not part:
                return alive, claims
            claims += await self._actor.read(
                partial(claims_between, project=project, first=part[0], last=part[-1], words=CLAIMING)
            )
            alive += part
            await say("looking through memories", len(alive), 0)

    async def _replace_claims(self, project: int, claims: Sequence[tuple[int, str]]) -> list[_Planned]:
        plan: list[_Planned] = []
        for first in range(0, len(claims), PAIRS_AT_ONCE):
            plan += await self._actor.read(partial(_plan_claims, project, claims[first : first + PAIRS_AT_ONCE]))
        return plan

    async def _apply(
        self, caller: Caller, project: int, plan: Sequence[_Planned], say: Callable[..., Awaitable[None]]
    ) -> list[_Planned]:
        doing = Doing("compact", caller, self._now_ms())
        act: int | None = None
        done: list[_Planned] = []
        for first in range(0, len(plan), MERGES_AT_ONCE):
            part = plan[first : first + MERGES_AT_ONCE]
            pairs = [Pair(each.older.seq, each.newer.seq, each.why) for each in part]
            marked, act = await self._write(partial(_merge_pairs, project, pairs, doing, act))
            done += [each for each in part if each.older.seq in marked]
            await say("merging", first, len(plan))
        return done

    async def _tidy(self, project: int, say: Callable[..., Awaitable[None]]) -> list[str]:
        rounds = 0
        while rounds < MERGE_ROUNDS_MAX and await self._write(partial(_merged_pages, is_first=rounds == 0)):
            rounds += 1
            await say("merging the index", rounds, 0)
        now_ms = self._now_ms()
        await self._write(lambda store: forget_old_replies(store, now_ms))
        await self._prune_hunks(project)
        await self._actor.read(lambda store: checkpoint(store.connection))
        return [
            "The search index is in one piece."
            if rounds < MERGE_ROUNDS_MAX
            else "The search index was merged in part.",
            "Old request ids and removed code beyond its limits are forgotten, the write-ahead log is short.",
        ]

    async def _write(self, work: Callable[[Store], T]) -> T:
        return await self._actor.ask(Job(work, is_write=True, now_ms=self._now_ms()))


def _plan_pairs(project: int, pairs: Sequence[tuple[int, int]], store: Store) -> list[_Planned]:
    texts = texts_of(store, project, sorted({seq for pair in pairs for seq in pair}))
    plan: list[_Planned] = []
    for older, newer in ((texts.get(one), texts.get(other)) for one, other in pairs):
        if older is None or newer is None or older.kind not in (newer.kind, "note"):
            continue
        if says_as_much(newer.content, older.content, store.stems.of_words):
            alike = similarity(words_of(older.content), words_of(newer.content))
            plan.append(_Planned(older, newer, "says the same", round(alike, 2)))
    return plan


def _plan_claims(project: int, claims: Sequence[tuple[int, str]], store: Store) -> list[_Planned]:
    plan: list[_Planned] = []
    for seq, content in claims:
        for claim in claims_in(content):
            found = rows_by_prefix(store, normalize(claim.id), in_scope([project]))
            texts = texts_of(store, project, (found[0].seq, seq)) if len(found) == 1 and found[0].seq < seq else {}
            if len(texts) == 2:
                plan.append(_Planned(texts[found[0].seq], texts[seq], "replaced by it", 0.0))
    return plan


def _one_each(plan: Sequence[_Planned]) -> list[_Planned]:
    chosen: dict[int, _Planned] = {}
    for each in plan:
        known = chosen.get(each.older.seq)
        if known is None or (known.why == each.why and known.newer.seq < each.newer.seq):
            chosen[each.older.seq] = each
    return [chosen[seq] for seq in sorted(chosen)]


def _merge_pairs(
    project: int, pairs: Sequence[Pair], doing: Doing, act: int | None, store: Store
) -> tuple[set[int], int | None]:
    with noting(store) as steps:
        marked = mark_merged(store, project, pairs, doing.now_ms)
    return marked, record_more(store, act, doing, steps)


def _merged_pages(store: Store, *, is_first: bool) -> bool:
    return merge_index(store.connection, store.engine, PAGES_AT_ONCE, is_first=is_first)


def _merges_of(plan: Sequence[_Planned], store: Store) -> list[Merge]:
    seqs = sorted({seq for each in plan for seq in (each.older.seq, each.newer.seq)})
    ids = {row.seq: shown_id(row) for row in rows_by_seq(store, seqs)}
    return [
        Merge(
            id=ids[each.older.seq],
            title=each.older.title,
            into=ids[each.newer.seq],
            into_title=each.newer.title,
            why=each.why,
            similarity=each.similarity,
        )
        for each in plan
    ]
