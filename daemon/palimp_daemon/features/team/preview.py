"""Show the memories that sharing would send, and leave some out."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.marks import marked_among
from palimp_daemon.store.tables.memory_rows import rows_by_seq, set_wording, shown_id
from palimp_daemon.store.tables.steps import Wording
from palimp_daemon.store.tables.team_links import edited_among, memory_kinds, memory_with_id, versions_before
from palimp_daemon.store.tables.team_registers import sent_memories
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Similar
from palimp_protocol.messages.team_messages import CHOICES_MAX, PRIVATE_TAG, may_leave

EXAMPLES_MAX: Final = 10
"""Memories named: a screen has room for them."""

NEVER_BEFORE: Final = 0
"""Any time counts."""


def would_share(store: Store, caller: Caller, *, names_all: bool) -> tuple[int, list[Similar], int]:
    """Return the number to be sent, examples or all of them, and the number of others."""
    project = project_row(store, caller)
    living = memory_kinds(store, project) if project is not None else []
    sent = sent_memories(store, project) if project is not None else set[int]()
    proposed = marked_among(store, "proposal", [seq for seq, _, _ in living])
    leaving = [
        seq
        for seq, kind, tags in living
        if seq not in sent and may_leave(kind, tags.split(), is_proposal=seq in proposed)
    ]
    named = leaving
    if names_all:
        former = edited_among(store, leaving, NEVER_BEFORE)
        named = [seq for seq in leaving if seq not in former]
    examples = rows_by_seq(store, named[: CHOICES_MAX if names_all else EXAMPLES_MAX])
    told = [Similar(shown_id(row), row.title) for row in examples]
    return len(leaving), told, len(living) - len(leaving) - len(sent)


def leave_out(context: RequestContext, names: Sequence[str]) -> None:
    """Tag *names* and their former versions as local, in one act.

    Raises:
        PalimpError: a name is unknown.
    """
    store = context.store
    with recording(context, "edit"):
        for row in [one_named(context, name) for name in names]:
            former = [memory_with_id(store, memory) for _, memory in versions_before(store, row.seq)]
            for each in rows_by_seq(store, [row.seq, *(found.seq for found in former if found)]):
                if PRIVATE_TAG not in each.tags.split():
                    before = Wording(each.title, each.tags, each.updated_at)
                    tags = f"{each.tags} {PRIVATE_TAG}".strip()
                    set_wording(store, each.seq, before, Wording(each.title, tags, context.now_ms))
