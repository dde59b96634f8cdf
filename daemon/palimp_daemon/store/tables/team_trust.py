"""SQL of `team_trusted` and `team_untold`: trusted members, and withheld memories of others.

They are withheld until the author is trusted, or somebody here keeps them.
"""

import json
from collections.abc import Sequence
from typing import Final

from palimp_daemon.store.store import Store

_AUTHORED: Final = "SELECT a.seq FROM team_authors a JOIN team_replicas r ON r.replica = a.replica WHERE r.login = ?"


_PINNED_HERE: Final = (
    "SELECT p.seq FROM pins p JOIN memories m ON m.seq = p.seq WHERE NOT EXISTS (SELECT 1 FROM team_registers t"
    " JOIN team_replicas r ON r.replica = substr(t.stamp, -16) WHERE t.project_id = m.project_id AND t.entity = m.id"
    " AND t.field = 'pin' AND t.value != '' AND r.login = ?)"
)
"""Pinned memories, except those pinned by a login's replica: a stamp ends with its replica."""


def untrusted_login(store: Store, replica: str) -> str:
    """Return the login of *replica* if untrusted, else empty."""
    untrusted = "login != '' AND login NOT IN (SELECT login FROM team_trusted)"
    return store.value(f"SELECT login FROM team_replicas WHERE replica = ? AND {untrusted}", (replica,)) or ""


def is_author(store: Store, seq: int, login: str) -> bool:
    """Tell whether *seq* came from a replica of *login*."""
    return store.value(f"{_AUTHORED} AND a.seq = ?", (login, seq)) is not None


def trusted_logins(store: Store) -> list[str]:
    """Return the trusted logins."""
    return store.column("SELECT login FROM team_trusted ORDER BY login")


def trust_login(store: Store, login: str) -> None:
    """Treat the memories of *login* as this machine's own."""
    store.insert("team_trusted (login)", (login,), or_="IGNORE")
    store.execute(f"DELETE FROM team_untold WHERE seq IN ({_AUTHORED})", (login,))


def distrust_login(store: Store, login: str) -> None:
    """Withhold the memories of *login*, except those that somebody else pinned."""
    store.execute("DELETE FROM team_trusted WHERE login = ?", (login,))
    store.execute(
        f"INSERT OR IGNORE INTO team_untold (seq) {_AUTHORED} AND a.seq NOT IN ({_PINNED_HERE})", (login, login)
    )


def withhold(store: Store, seqs: Sequence[int]) -> None:
    """Withhold *seqs* from being told unasked."""
    store.connection.executemany("INSERT OR IGNORE INTO team_untold (seq) VALUES (?)", [(seq,) for seq in seqs])


def keep(store: Store, seqs: Sequence[int]) -> None:
    """Stop withholding *seqs*, which somebody here kept."""
    store.execute("DELETE FROM team_untold WHERE seq IN (SELECT value FROM json_each(?))", (json.dumps(list(seqs)),))


def untold_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return *seqs* withheld as an untrusted member's."""
    statement = "SELECT seq FROM team_untold WHERE seq IN (SELECT value FROM json_each(?))"
    return {*store.column(statement, (json.dumps(list(seqs)),))}
