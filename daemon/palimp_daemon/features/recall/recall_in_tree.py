"""Answer `recall` with remarks on places that memories name."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.handler import Handler, Invocation
from palimp_daemon.features.memories.staleness import Staleness, Written
from palimp_daemon.store.store import GLOBAL_PROJECT
from palimp_daemon.store.tables.memory_rows import Row, shown_id
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled

ELSEWHERE: Final = ("doc", "removed-code", "conversation", "commit", "claude-memory")
"""Kinds of rows without remarks on staleness: documents are current, and the others state their time or last change."""


class RecallInTree:
    """Adds remarks by *staleness* to the answers of *recall*."""

    def __init__(self, recall: Handler, staleness: Staleness) -> None:
        self._recall = recall
        self._staleness = staleness

    def job(self, call: Invocation) -> Job | None:
        """Return the single job that answers *call*; None if the tree must be read."""
        return None if is_of_tree(call) else self._recall.job(call)

    async def __call__(self, call: Invocation) -> Recalled:
        """Return the memories requested.

        Raises:
            PalimpError: its parameters contradict each other, or the store cannot be used.
        """
        if not is_of_tree(call):
            return await self._recall(call)
        shown: list[Written] = []

        def note(row: Row) -> None:
            shown.extend(texts_of_tree([row]))

        reply: Recalled = await self._recall(call._replace(on_row=note))
        remarks = await self._staleness.remarks(call.caller, shown)
        return with_remarks(reply, remarks) if remarks else reply


def texts_of_tree(rows: Sequence[Row]) -> list[Written]:
    """Return the *rows* about the project's tree, not global ones."""
    return [
        Written(shown_id(row), f"{row.title}\n{row.content}", row.created_at)
        for row in rows
        if row.project_id != GLOBAL_PROJECT and row.deleted_at is None
    ]


def with_remarks(reply: Recalled, remarks: Mapping[str, str]) -> Recalled:
    """Return *reply* with *remarks*, by memory id."""

    def with_remark(memory: Memory) -> Memory:
        return replace(memory, stale=remarks[memory.id]) if memory.id in remarks else memory

    return replace(
        reply,
        memories=[with_remark(memory) for memory in reply.memories],
        unrelated=[with_remark(memory) for memory in reply.unrelated],
        timeline=[replace(moment, memory=with_remark(moment.memory)) for moment in reply.timeline],
    )


def is_of_tree(call: Invocation) -> bool:
    """Tell whether *call* is for a project with a tree."""
    request: Recall = call.request
    return request.action == "view" and request.kind not in ELSEWHERE and bool(call.caller.tree)
