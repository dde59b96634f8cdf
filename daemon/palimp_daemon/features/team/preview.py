"""Tell beforehand which memories of a project would be shared."""

from typing import Final

from palimp_daemon.features.team.deciding import may_leave
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.marks import marked_among
from palimp_daemon.store.tables.memories import rows_by_seq, shown_id
from palimp_daemon.store.tables.team_links import memory_kinds
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memories import Similar

EXAMPLES_MAX: Final = 10
"""Memories that are named: a screen has room for them."""


def would_share(store: Store, caller: Caller) -> tuple[int, list[Similar], int]:
    """Return the number of memories to be shared, the newest, and the number that stay."""
    project = project_row(store, caller)
    living = memory_kinds(store, project) if project is not None else []
    proposed = marked_among(store, "proposal", [seq for seq, _, _ in living])
    leaving = [seq for seq, kind, tags in living if may_leave(kind, tags.split(), is_proposal=seq in proposed)]
    examples = [Similar(shown_id(row), row.title) for row in rows_by_seq(store, leaving[:EXAMPLES_MAX])]
    return len(leaving), examples, len(living) - len(leaving)
