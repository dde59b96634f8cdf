"""Remind a session after compaction of its saves, context and failures."""

from typing import Final

from palimp_daemon.features.sessions.start_context import READ_CHARACTERS
from palimp_daemon.render.context_text import Entry
from palimp_daemon.store.store import Store, project_row, session_row
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.sessions.failed_commands import failures_of
from palimp_daemon.store.tables.sessions.given import given_to
from palimp_daemon.store.tables.sessions.session_rows import saved_by
from palimp_daemon.store.tables.unasked import withheld_among
from palimp_protocol.messages.caller import Caller
from palimp_protocol.text import one_line

ENTRIES_MAX: Final = 20
"""Memories shown again, the newest; older ones were compacted before."""

FAILURES_MAX: Final = 5
"""Commands shown again."""

LINE_CHARACTERS: Final = 120

_WHY: Final = {"prompt": "told with a prompt", "action": "told before an act"}


def known_before_compaction(caller: Caller, store: Store) -> list[Entry]:
    """Return these entries of *caller*'s session."""
    project = project_row(store, caller)
    session = None if project is None else session_row(store, caller, project)
    if session is None:
        return []
    why = {each.seq: _WHY[each.occasion] for each in given_to(store, session) if each.occasion in _WHY}
    why |= dict.fromkeys(saved_by(store, [session], 0), "saved in this session")
    withheld = withheld_among(store, sorted(why))
    newest = sorted((seq for seq in why if seq not in withheld), reverse=True)[:ENTRIES_MAX]
    found = sorted(rows_by_seq(store, newest), key=lambda row: -row.seq)
    failures = [
        Entry("", f"`{_line(each.command)}` failed; what worked: `{_line(each.worked)}`", "failed", each.at, "")
        for each in failures_of(store, session, FAILURES_MAX)
    ]
    return [*(_entry(row, why[row.seq]) for row in found), *failures]


def _entry(row: Row, why: str) -> Entry:
    text = row.content[:READ_CHARACTERS]
    return Entry(shown_id(row), row.title, why, row.created_at, text, row.content, seq=row.seq, reason=why)


def _line(command: str) -> str:
    return one_line(command, LINE_CHARACTERS)
