"""The schema of a team in PostgreSQL: make it, bring it up to date, and tell which team it is of."""

from importlib import resources
from typing import Any, Final, NamedTuple

import psycopg

from palimp_daemon.features.team.password_file import without_password
from palimp_daemon.features.team.postgres_connection import connection_to
from palimp_daemon.features.team.transport import TransportError

SCHEMA_VERSION: Final = 3

USABLE_SINCE: Final = 2
"""The oldest schema that this palimp exchanges by: its owner may have an older one."""

SEARCH_SINCE: Final = 3
"""The schema that first can be searched."""


def schema_text(after: int = 0) -> str:
    """Return the statements of the schema, or those newer than its version *after*."""
    files = sorted(resources.files("palimp_daemon.features.team.schema").iterdir(), key=lambda file: file.name)
    statements = [file for file in files if file.name.endswith(".sql")]
    return "\n".join(file.read_text() for file in statements if int(file.name[:4]) > after)


def create_team(address: str, team: str) -> None:
    """Make the schema in the database at *address*, for the team with the id *team*.

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
    """Return the id of the team in the database at *address*.

    Raises:
        TransportError: it cannot be reached, or holds no team, or one of a newer palimp.
    """
    with connection_to(address) as connection:
        return require_team(connection, address)


def require_team(connection: "psycopg.Connection[Any]", address: str) -> str:
    """Return the id of the team in a database; an older schema is brought up to this palimp's.

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


class FoundTeam(NamedTuple):
    """The team that a database holds."""

    id: str
    version: int
    """Of its schema."""
    oldest: int
    """The schema that a palimp must know at least."""


def _join_hint(command: str, address: str) -> str:
    """Return what to type instead: without the file of the password, which goes when this fails."""
    shown = without_password(address)
    return f"palimp team {command} {shown}" + (" --password" if shown != address else "")


def find_team(connection: "psycopg.Connection[Any]") -> FoundTeam | None:
    """Return the team in a database; None: it holds none."""
    if connection.execute("SELECT to_regclass('palimp.team')").fetchone() == (None,):
        return None
    row = connection.execute(
        "SELECT id, version, coalesce((to_jsonb(t)->>'oldest')::integer, version) FROM palimp.team t"
    ).fetchone()
    return FoundTeam(str(row[0]), int(row[1]), int(row[2])) if row else None
