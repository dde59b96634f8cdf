"""Members of a team's database: a login each, with a role.

Functions of the schema, for admins alone, do the work (`schema/0002_members.sql`). The password is drawn here and sent
as a SCRAM verifier, so that no log has it.
"""

import re
import secrets
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import psycopg

from palimp_daemon.features.team.postgres_connection import connection_to, rows_of
from palimp_daemon.features.team.postgres_schema import require_team
from palimp_daemon.features.team.transport import TransportError

EVERY_PROJECT: Final = "*"

DEFAULT_PORT: Final = 5432

MEMBERS_MAX: Final = 1_000
"""Rows of members that are read: a team has fifty."""

_LOGIN: Final = re.compile("[a-z_][a-z0-9_-]{0,62}")
"""A name that means the same quoted and unquoted, in addresses and password files."""

_PASSWORD_BYTES: Final = 18


class MemberRow(NamedTuple):
    """The role of a login in a project, or in all."""

    project: str
    """Its key, or `EVERY_PROJECT`."""
    login: str
    role: str
    invited_by: str
    invited_at: int
    """In Unix milliseconds."""
    is_revoked: bool
    machines: int
    is_you: bool


class Invitation(NamedTuple):
    """An address for joining, and a new login's password."""

    address: str
    password: str


def list_members(address: str) -> list[MemberRow]:
    """Return the members visible to this login, of all projects first.

    Raises:
        TransportError: the database cannot be reached.
    """
    with connection_to(address) as connection:
        require_team(connection, address)
        found = connection.execute(
            "SELECT m.project, m.login, m.role, m.invited_by, (extract(epoch FROM m.invited_at) * 1000)::bigint,"
            " m.revoked_at IS NOT NULL, (SELECT count(*) FROM palimp.replica r WHERE r.login = m.login),"
            " m.login = session_user FROM palimp.member m ORDER BY m.project, m.login LIMIT %s",
            (MEMBERS_MAX,),
        ).fetchall()
    return [MemberRow(*row) for row in rows_of(found, str, str, str, str, int, bool, int, bool)]


def invite(address: str, login: str, role: str, project: str = EVERY_PROJECT) -> Invitation:
    """Admit *login* with *role*, creating it if missing.

    Raises:
        TransportError: the name is invalid, or this login may not.
    """
    if not _LOGIN.fullmatch(login) or login.startswith("pg_"):
        hint = "Small letters, digits, - and _, a letter first: as in ana."
        raise TransportError(f"{login[:63]!r} cannot be the name of a login.", hint)
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    with connection_to(address) as connection:
        require_team(connection, address)
        verifier = connection.pgconn.encrypt_password(password.encode(), login.encode(), b"scram-sha-256")
        try:
            with connection.transaction():
                is_made = connection.execute(
                    "SELECT palimp.add_member(%s, %s, %s, %s)", (login, verifier.decode(), project, role)
                ).fetchone()
        except psycopg.errors.InsufficientPrivilege as error:
            raise TransportError(*_refusal(error)) from error
        except psycopg.errors.DuplicateObject as error:
            raise TransportError(f"{login} owns the team's database, and is an admin already.", "") from error
        return Invitation(_address_for(connection, login), password if is_made == (True,) else "")


def remove_member(address: str, login: str, project: str = EVERY_PROJECT) -> None:
    """Revoke *login*'s access to *project*, or to all.

    Raises:
        TransportError: it is no member, or the owner; or this login is no admin.
    """
    with connection_to(address) as connection:
        require_team(connection, address)
        try:
            with connection.transaction():
                connection.execute("SELECT palimp.remove_member(%s, %s)", (login, project))
        except psycopg.errors.InsufficientPrivilege as error:
            raise TransportError(*_refusal(error)) from error
        except psycopg.errors.UndefinedObject as error:
            hint = "`palimp team members` lists them."
            raise TransportError(f"{login[:63]} is no member there.", hint) from error


def _refusal(error: Exception) -> tuple[str, str]:
    text = str(error).splitlines()[0]
    if "only one with the role" in text:
        return "Only an admin of the team can do that.", "`palimp team members` shows who is one."
    if "owner of the schema" in text:
        return "The owner of the team's database cannot be removed.", ""
    return (
        f"The database refuses it: {text}.",
        "The owner of the schema palimp needs CREATEROLE to make logins: ALTER ROLE OWNER CREATEROLE. Or have an"
        " administrator of the server make the login, and invite it then.",
    )


def _address_for(connection: "psycopg.Connection[Any]", login: str) -> str:
    info = connection.info
    database, host = quote(info.dbname, safe=""), info.host
    if host.startswith("/"):
        port = "" if info.port == DEFAULT_PORT else f"&port={info.port}"
        return f"postgresql://{login}@/{database}?host={quote(host)}{port}"
    return f"postgresql://{login}@{f'[{host}]' if ':' in host else host}:{info.port}/{database}"
