"""Tell a subagent in one line of the memory and its rules: a context would be in its way."""

from typing import Final

from palimp_daemon.features.sessions.start_context import count_rules
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.unasked import count_holding
from palimp_protocol.messages.caller import Caller
from palimp_protocol.text import count_of

POINTER: Final = "palimp remembers earlier sessions of this project"
"""Begins the line; some clients put it before a subagent's task and report it as a prompt."""


def pointer_line(caller: Caller, store: Store) -> str:
    """Return the line, or an empty text if nothing is known."""
    project = project_row(store, caller)
    memories = 0 if project is None else count_holding(store, project)
    rules = count_rules(store, project)
    if not memories and not rules:
        return ""
    verb = "holds" if rules == 1 else "hold"
    told = f' {count_of(rules, "standing rule")} {verb} here: recall(kind="preference") lists them.' if rules else ""
    return f"{POINTER} ({count_of(memories, 'memory')}): `recall` searches them.{told}"
