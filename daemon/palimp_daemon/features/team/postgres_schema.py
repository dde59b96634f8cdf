"""Create and upgrade a team's schema in PostgreSQL.

The index of words is a separate step: with millions of operations it takes minutes.
"""

from importlib import resources
from typing import Any, Final, NamedTuple

import psycopg

from palimp_daemon.features.team.password_file import without_password
from palimp_daemon.features.team.postgres_connection import as_transport_errors, connect, connection_to, rows_of
from palimp_daemon.features.team.transport import TransportError

SCHEMA_VERSION: Final = 4

USABLE_SINCE: Final = 2
"""Oldest schema usable by this palimp: the team's owner may have an older one."""

SEARCH_SINCE: Final = 3
"""First schema that can be searched."""


_INDEX_FILE: Final = "0003_words.sql"


def schema_text(after: int = 0) -> str:
    """Return the schema's statements; after a version, without the index of words."""
    files = sorted(resources.files("palimp_daemon.features.team.schema").iterdir(), key=lambda file: file.name)
    statements = [file for file in files if file.name.endswith(".sql") and not (after and file.name == _INDEX_FILE)]
    return "\n".join(file.read_text() for file in statements if int(file.name[:4]) > after)


def create_team(address: str, team: str) -> None:
    """Create the schema for *team*, an id.

    Raises:
        TransportError: it cannot be reached or written, or holds a team already.
    """
    with connection_to(address) as connection, connection.transaction():
        if find_team(connection):
            raise TransportError("The database holds a team already.", _join_hint("join", address))
        connection.execute(schema_text().encode())
        connection.execute("INSERT INTO palimp.team (one, id, version) VALUES (1, %s, %s)", (team, SCHEMA_VERSION))


def _upgrade(connection: "psycopg.Connection[Any]", version: int) -> None:
    with connection.transaction():
        connection.execute("LOCK TABLE palimp.team")  # two machines of one person, upgraded at once
        found = find_team(connection)
        if found and found.version == version:
            connection.execute(schema_text(after=version).encode())


def team_in(address: str) -> str:
    """Return the id of the team at *address*.

    Raises:
        TransportError: it cannot be reached, or holds no team, or one of a newer palimp.
    """
    with connection_to(address) as connection:
        return require_team(connection, address)


def require_team(connection: "psycopg.Connection[Any]", address: str) -> str:
    """Return the id of a database's team, upgrading an older schema.

    Raises:
        TransportError: it holds no team, or one of a newer palimp.
    """
    found = find_team(connection)
    if found is None:
        raise TransportError("The database holds no team.", _join_hint("create", address))
    if found.oldest > SCHEMA_VERSION:
        raise TransportError("The database is of a newer palimp.", "Upgrade palimp on this machine.")
    if found.version < SCHEMA_VERSION:
        try:
            _upgrade(connection, found.version)
        except psycopg.errors.InsufficientPrivilege:  # the owner's palimp does it, when that is upgraded
            if found.version < USABLE_SINCE:
                raise
    return found.id


def has_index(connection: "psycopg.Connection[Any]") -> bool:
    """Tell whether the index of words is there and valid."""
    found = connection.execute(
        "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass('palimp.op_words')"
    )
    return found.fetchone() == (True,)


def needs_index(address: str) -> bool:
    """Tell whether a searchable database lacks its index.

    Raises:
        TransportError: it cannot be reached.
    """
    with connection_to(address) as connection:
        require_team(connection, address)  # which brings an older schema up to date
        found = find_team(connection)
        return found is not None and found.version >= SEARCH_SINCE and not has_index(connection)


def build_index(address: str) -> None:
    """Build the index of words, replacing a half one, if this login owns the table and nobody builds it.

    It may take long; no transaction is open meanwhile.

    Raises:
        TransportError: the database cannot be reached, or the statement was given up.
    """
    with as_transport_errors(), connect(address) as connection:
        is_mine = connection.execute(
            "SELECT pg_has_role(c.relowner, 'USAGE') AND NOT EXISTS"
            " (SELECT FROM pg_stat_progress_create_index p WHERE p.relid = c.oid)"
            " FROM pg_class c WHERE c.relname = 'op' AND c.relnamespace = 'palimp'::regnamespace"
        ).fetchone()
        if is_mine != (True,) or has_index(connection):
            return
        connection.execute("SET statement_timeout = 0")
        connection.execute("DROP INDEX CONCURRENTLY IF EXISTS palimp.op_words")
        text = resources.files("palimp_daemon.features.team.schema").joinpath(_INDEX_FILE).read_text()
        connection.execute(text.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY").encode())


class FoundTeam(NamedTuple):
    """A database's team."""

    id: str
    version: int
    """Of its schema."""
    oldest: int
    """Oldest schema that a palimp must know."""


def _join_hint(command: str, address: str) -> str:
    """Return the command to type instead, without the removed password file."""
    shown = without_password(address)
    return f"palimp team {command} {shown}" + (" --password" if shown != address else "")


def find_team(connection: "psycopg.Connection[Any]") -> FoundTeam | None:
    """Return a database's team, or None."""
    if connection.execute("SELECT to_regclass('palimp.team')").fetchone() == (None,):
        return None
    found = connection.execute(
        "SELECT id, version, coalesce((to_jsonb(t)->>'oldest')::integer, version) FROM palimp.team t LIMIT 1"
    ).fetchall()
    return next((FoundTeam(*row) for row in rows_of(found, str, int, int)), None)
