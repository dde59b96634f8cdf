"""Restrict enforcement to the folder where a person enforced a rule, so that a copied database refuses nothing.

A number is stored beside the database and in its `counters`: the same in a restored backup, not in one of another
folder.
"""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from palimp_daemon.runtime.sql import transaction
from palimp_daemon.store.store import Store
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.messages.rule_messages import AT_BREACH

FILE: Final = "rules-enforced-here"
"""Beside the database; holds the number."""

_NAME: Final = "rules_enforced_here"
_BITS: Final = 62
_NUMBER_BYTES: Final = 20
"""Bits of a random number that identifies a folder and fits SQLite's integers."""

_HOLDING: Final = (AT_BREACH.index("refuse"), AT_BREACH.index("ask"))


def note_enforced(store: Store) -> None:
    """Note, in the running transaction, that a rule was enforced here."""
    if store.path.exists():
        number = _number_here(store.path) or _make_number(store.path)
        store.execute("INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)", (_NAME, number))


def remind_of_foreign(store: Store, *, is_put_there: bool) -> int:
    """Downgrade rules enforced elsewhere to reminders; return their number.

    A database that *is_put_there* without a number counts as foreign.
    """
    enforced = store.value("SELECT count(*) FROM rule_checks WHERE at_breach IN (?, ?)", _HOLDING)
    if not enforced:
        return 0
    known = store.value("SELECT value FROM counters WHERE name = ?", (_NAME,))
    if known is None and not is_put_there:
        with transaction(store.connection):
            note_enforced(store)  # by a version that noted nothing
        return 0
    if known is not None and known == _number_here(store.path):
        return 0
    with transaction(store.connection):
        reminding = AT_BREACH.index("remind")
        store.execute("UPDATE rule_checks SET at_breach = ? WHERE at_breach IN (?, ?)", (reminding, *_HOLDING))
    return int(enforced)


def _number_here(database: Path) -> int:
    with suppress(OSError, ValueError):
        return int(read_bounded(database.with_name(FILE), _NUMBER_BYTES))
    return 0


def _make_number(database: Path) -> int:
    number = secrets.randbits(_BITS) | 1
    file = database.with_name(FILE)
    file.touch(mode=0o600)
    file.write_text(f"{number}\n", encoding="ascii")
    return number
