"""Search a team's database in projects that are not on this machine.

Each search has its own connection, so that it waits for no round, and a deadline.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

import msgspec

from palimp_daemon.features.team.postgres_connection import connection_to, rows_of
from palimp_daemon.features.team.postgres_schema import SEARCH_SINCE, find_team, has_index
from palimp_daemon.features.team.team_operation import PROJECT_KEY
from palimp_daemon.features.team.transport import Notice, TransportError
from palimp_protocol.decoders import decoder_of

PROJECTS_MAX: Final = 1_000
"""Projects searched at once, 0.1 ms each per word."""

FOUND_BYTES_MAX: Final = 6 << 20
"""Bytes found, smallest operations first: changes are smaller than texts."""

NOTICE_BYTES_MAX: Final = 6_144
"""Bytes of a notice read for its project's name, one per project."""

WORK_MEMORY: Final = "64MB"
"""The server's memory per search: with less, words in a million operations are looked up in each."""


class Found(NamedTuple):
    """A found operation, or one on a found memory."""

    project: str
    replica: str
    counter: int
    login: str
    """Empty: of the asking person."""
    body: bytes


class FoundElsewhere(NamedTuple):
    """The result of a search."""

    operations: list[Found]
    names: dict[str, str]
    """Of projects, by key."""
    searched: int


def search(address: str, team: str, here: Collection[str], text: str, limit: int, within_s: float) -> FoundElsewhere:
    """Search the projects at *address*, except those *here* (keys), for words of *text*.

    Raises:
        TransportError: the database cannot be reached, is of another team, or does not answer *within_s*.
    """
    with connection_to(address) as connection, connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = {int(within_s * 1000)}".encode())
        connection.execute(f"SET LOCAL work_mem = '{WORK_MEMORY}'".encode())
        connection.execute("SET LOCAL jit = off")  # compiling a search takes longer than the search
        found = find_team(connection)
        if found is None or found.id != team:
            raise TransportError("The database is of another team now.", "")
        if found.version < SEARCH_SINCE:
            raise TransportError("The team's database cannot be searched.", "Its owner has an older palimp.")
        if not has_index(connection):
            raise TransportError("The search index of the team's database is being built.", "")
        known = connection.execute(
            "SELECT DISTINCT project FROM palimp.head WHERE project != ALL (%s) LIMIT %s", ([*here], PROJECTS_MAX)
        ).fetchall()
        projects = [key for (key,) in rows_of(known, str) if PROJECT_KEY.fullmatch(key)]
        if not projects:
            return FoundElsewhere([], {}, 0)
        rows = connection.execute(
            "SELECT project, replica, counter, login, body FROM (SELECT f.*, sum(octet_length(f.body)) OVER (ORDER BY"
            " octet_length(f.body), f.project, f.replica, f.counter) AS bytes FROM palimp.search(%s, %s, %s) AS f)"
            " AS few WHERE bytes <= %s",
            (projects, text, limit, FOUND_BYTES_MAX),
        ).fetchall()
        operations = [Found(*row) for row in rows_of(rows, str, str, int, str, bytes)]
        notices = connection.execute(
            "SELECT project, body FROM (SELECT DISTINCT ON (project) project, body FROM palimp.notice"
            " WHERE project = ANY (%s) AND octet_length(body) <= %s ORDER BY project, octet_length(body))"
            " AS few LIMIT %s",
            ([*{each.project for each in operations}], NOTICE_BYTES_MAX, PROJECTS_MAX),
        ).fetchall()
        return FoundElsewhere(
            operations, {key: _name_in(body) for key, body in rows_of(notices, str, bytes)}, len(projects)
        )


def _name_in(body: bytes) -> str:
    try:
        return decoder_of(Notice).decode(body).project
    except msgspec.DecodeError:
        return ""
