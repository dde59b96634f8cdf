"""The schema of a team in PostgreSQL: make it, bring it up to date, and tell which team it is of."""

from importlib import resources
from typing import Any, Final

import psycopg

from palimp_daemon.features.team.password_file import without_password
from palimp_daemon.features.team.postgres_connection import connection_to
from palimp_daemon.features.team.transport import TransportError

SCHEMA_VERSION: Final = 2


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
        if _team(connection):
            raise TransportError("The database holds a team already.", _join_hint("join", address))
        connection.execute(schema_text().encode())
        connection.execute("INSERT INTO palimp.team (one, id, version) VALUES (1, %s, %s)", (team, SCHEMA_VERSION))


def _upgrade(connection: "psycopg.Connection[Any]", version: int) -> None:
    with connection.transaction():
        connection.execute("LOCK TABLE palimp.team")  # two machines of one person, upgraded at once
        found = _team(connection)
        if found and found[1] == version:
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
    found = _team(connection)
    if found is None:
        raise TransportError("The database holds no team.", _join_hint("create", address))
    team, version = found
    if version > SCHEMA_VERSION:
        raise TransportError("The database is of a newer palimp.", "Upgrade palimp on this machine.")
    if version < SCHEMA_VERSION:
        _upgrade(connection, version)
    return team


def _join_hint(command: str, address: str) -> str:
    """Return what to type instead: without the file of the password, which goes when this fails."""
    shown = without_password(address)
    return f"palimp team {command} {shown}" + (" --password" if shown != address else "")


def _team(connection: "psycopg.Connection[Any]") -> tuple[str, int] | None:
    if connection.execute("SELECT to_regclass('palimp.team')").fetchone() == (None,):
        return None
    row = connection.execute("SELECT id, version FROM palimp.team").fetchone()
    return (str(row[0]), int(row[1])) if row else None
