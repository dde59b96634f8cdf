"""A transport by a PostgreSQL database (15 or newer), with a login per member.

The policies of `schema/*.sql` limit a login's rows. One connection serves all projects.
"""

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import psycopg

from palimp_daemon.features.team.bounded_connection import BoundedConnection
from palimp_daemon.features.team.postgres_connection import (
    STATEMENT_S,
    as_transport_errors,
    connect,
    given_up_after_silence,
    rows_of,
    shut_down,
    socket_again,
)
from palimp_daemon.features.team.postgres_schema import require_team
from palimp_daemon.features.team.team_operation import (
    LINE_BYTES_MAX,
    OPERATIONS_MAX,
    PROJECT_KEY,
    REPLICA,
    Line,
    parse_line,
    sum_of,
)
from palimp_daemon.features.team.transport import PAGE_BYTES_MAX, Notice, Patterns, RefusedError, TransportError
from palimp_protocol.decoders import decoder_of

SUM_BYTES_MAX: Final = 64
"""Bytes of an operation's sum: palimp's own have 16."""

REPLICAS_MAX: Final = 10_000
"""Replicas of one project that are read."""

CHANNEL: Final = "palimp"
"""Channel of the server trigger's notifications of new operations."""

LISTENED_LOOK_S: Final = 75.0
"""Seconds between two looks besides notifications: a fallback, with jitter a minute at least."""

DEAF_LOOK_S: Final = 25.0
"""Seconds between two looks without notifications: with two rounds' jitter, operations arrive within 40."""

HEARD_MAX: Final = 1_000
"""Notifications kept until fetched; after more, all projects are examined."""

SUMS_AT_ONCE: Final = 10_000
"""Sums read at once: half a megabyte."""


class _Team(msgspec.Struct, frozen=True):
    patterns: Patterns = []


class Postgres:
    """A `Transport` by the database at *address* of *team*."""

    def __init__(self, address: str, team: str) -> None:
        self._address = address
        self._team = team
        self._lock = threading.RLock()
        self._connection: BoundedConnection | None = None
        self._vectors: dict[str, dict[str, int]] = {}
        self._sums: dict[tuple[str, str], dict[int, bytes]] = {}
        self._claims: set[str] = set()
        """Replicas that the server has as this login's."""
        self._clock_ms = 0
        self._is_closed = False
        self._is_heard = False
        """Whether notifications of the server reach the connection."""
        self._heard: deque[psycopg.Notify] = deque(maxlen=HEARD_MAX)
        self._has_missed = False
        """Whether the connection was replaced, so that notifications may be lost."""

    @property
    def look_s(self) -> float:
        """As in `Transport`."""
        return LISTENED_LOOK_S if self._is_heard else DEAF_LOOK_S

    @property
    def clock_ms(self) -> int:
        """As in `Transport`."""
        return self._clock_ms

    def bell(self) -> socket.socket | None:
        """As in `Transport`."""
        with self._open_connection() as connection:
            return socket_again(connection) if self._is_heard else None

    def news(self) -> frozenset[str] | None:
        """As in `Transport`."""
        with self._open_connection() as connection:
            # What came outside statements is in the socket, or was read with the end of the last one.
            connection.take_in()
            while said := connection.pgconn.notifies():
                self._hear(psycopg.Notify(CHANNEL, said.extra.decode("ascii", "replace"), said.be_pid))
            others = [each.payload for each in self._heard if each.pid != connection.info.backend_pid]
            is_unknown = self._has_missed or len(self._heard) == HEARD_MAX
            self._has_missed = False
            self._heard.clear()
            return None if is_unknown else frozenset(each for each in others if each in self._vectors)

    def look(self, project: str) -> Mapping[str, int]:
        """As in `Transport`."""
        found = self._rows(
            "SELECT replica, counter, (extract(epoch FROM now()) * 1000)::bigint FROM palimp.head WHERE project = %s"
            " LIMIT %s",
            (project, REPLICAS_MAX),
        )
        heads = rows_of(found, str, int, int)
        self._clock_ms = heads[0][2] if heads else 0
        vector = {
            replica: min(counter, OPERATIONS_MAX)
            for replica, counter, _ in heads
            if REPLICA.fullmatch(replica) and counter > 0
        }
        former = self._vectors.get(project)
        if former is not None and former == vector:
            return former
        for replica, counter in (former or {}).items():
            if vector.get(replica, 0) < counter:  # the server was put back to an earlier state
                self._sums.pop((project, replica), None)
        self._vectors[project] = vector
        return vector

    def sums(self, project: str, replica: str) -> Mapping[int, bytes]:
        """As in `Transport`."""
        known = self._sums.setdefault((project, replica), {})
        while True:
            found = self._rows(
                "SELECT counter, sum FROM palimp.op WHERE project = %s AND replica = %s AND counter > %s"
                " AND counter <= %s AND octet_length(sum) <= %s ORDER BY counter LIMIT %s",
                (project, replica, max(known, default=0), OPERATIONS_MAX, SUM_BYTES_MAX, SUMS_AT_ONCE),
            )
            known.update(dict(rows_of(found, int, bytes)))
            if len(found) < SUMS_AT_ONCE:
                return dict(known)

    def read(self, project: str, replica: str, after: int, limit: int) -> list[Line]:
        """As in `Transport`."""
        found = self._rows(
            "SELECT counter, sum, body FROM (SELECT counter, sum, body, sum(octet_length(body)) OVER (ORDER BY counter)"
            " AS bytes FROM palimp.op WHERE project = %s AND replica = %s AND counter > %s ORDER BY counter LIMIT %s)"
            " AS page WHERE bytes <= %s AND octet_length(sum) <= %s ORDER BY counter",
            (project, replica, after, limit, PAGE_BYTES_MAX, SUM_BYTES_MAX),
        )
        lines: list[Line] = []
        for counter, total, body in rows_of(found, int, bytes, bytes):
            text = b"%s %s %d %s" % (total, replica.encode(), counter, body)
            line = parse_line(text) if len(text) <= LINE_BYTES_MAX else None
            if line is None or counter != after + len(lines) + 1:
                break
            lines.append(line)
        return lines

    def append(self, project: str, replica: str, bodies: Sequence[tuple[int, bytes]]) -> None:
        """As in `Transport`; the next `look` shows taken counters."""
        if not bodies:
            return
        counters, texts = [counter for counter, _ in bodies], [body for _, body in bodies]
        sums = [sum_of(replica, counter, body) for counter, body in bodies]
        self._claim(replica)
        with self._transaction() as connection:
            done = connection.execute(
                "INSERT INTO palimp.op (project, replica, counter, sum, body)"
                " SELECT %s, %s, n.counter, n.sum, n.body"
                " FROM unnest(%s::bigint[], %s::bytea[], %s::bytea[]) AS n (counter, sum, body)"
                " ON CONFLICT (project, replica, counter) DO NOTHING",
                (project, replica, counters, sums, texts),
            )
            is_whole = done.rowcount == len(bodies)
        if not is_whole:
            self._sums.pop((project, replica), None)
            self._vectors.pop(project, None)

    def clear(self, project: str, replica: str, bodies: Mapping[int, bytes]) -> None:
        """As in `Transport`."""
        sums = [sum_of(replica, counter, body) for counter, body in bodies.items()]
        with self._transaction() as connection:
            connection.execute(
                "SELECT palimp.clear_ops(%s, %s, %s, %s, %s)",
                (project, replica, [*bodies], sums, [*bodies.values()]),
            )
        self._sums.pop((project, replica), None)

    def tell(self, project: str, notice: Notice) -> None:
        """As in `Transport`."""
        self._claim(notice.replica)
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO palimp.notice AS n (project, replica, body) VALUES (%s, %s, %s)"
                " ON CONFLICT (project, replica) DO UPDATE SET body = excluded.body WHERE n.project = %s",
                (project, notice.replica, msgspec.json.encode(notice), project),
            )

    def notices(self, project: str) -> list[Notice]:
        """As in `Transport`."""
        notices: list[Notice] = []
        found = self._rows(
            "SELECT replica, body FROM (SELECT replica, body, sum(octet_length(body)) OVER"
            " (ORDER BY octet_length(body), replica) AS bytes"
            " FROM palimp.notice WHERE project = %s) AS few WHERE bytes <= %s LIMIT %s",
            (project, PAGE_BYTES_MAX, REPLICAS_MAX),
        )
        for replica, body in rows_of(found, str, bytes):
            try:
                notice = decoder_of(Notice).decode(body)
            except msgspec.DecodeError:
                continue
            if notice.replica == replica:
                notices.append(notice)
        return notices

    def patterns(self) -> Patterns:
        """As in `Transport`; none in an older schema."""
        found = rows_of(self._rows("SELECT to_jsonb(t)::text FROM palimp.team t LIMIT 1", ()), str)
        try:
            return decoder_of(_Team).decode(found[0][0]).patterns if found else []
        except msgspec.DecodeError:
            raise TransportError("The team's patterns cannot be read.", "Its owner can set them anew.") from None

    def set_patterns(self, patterns: Patterns) -> None:
        """As in `Transport`."""
        try:
            with self._transaction() as connection:
                connection.execute("UPDATE palimp.team SET patterns = %s", (patterns,))
        except RefusedError as error:
            raise RefusedError("Only the owner of the team's database sets its patterns.", "") from error

    def members(self) -> Mapping[str, str]:
        """As in `Transport`."""
        found = self._rows("SELECT replica, login, login = session_user FROM palimp.replica LIMIT %s", (REPLICAS_MAX,))
        return {replica: "" if is_own else login for replica, login, is_own in rows_of(found, str, str, bool)}

    def close(self) -> None:
        """Close the connection for good; a pending statement fails."""
        self._is_closed = True
        if connection := self._connection:
            shut_down(connection)
        with self._lock:
            if self._connection:
                self._connection.close()

    def _claim(self, replica: str) -> None:
        """Claim *replica* in its own transaction: one project's refusal must not undo it."""
        if replica in self._claims:
            return
        if self._rows("SELECT palimp.claim(%s) = session_user", (replica,)) != [(True,)]:
            hint = "`palimp team leave`, then join again: this machine becomes one of its own."
            raise TransportError("This machine's database was copied from another member's.", hint)
        self._claims.add(replica)

    def _rows(self, statement: Any, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._transaction() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Generator[BoundedConnection]:
        with self._open_connection() as connection, given_up_after_silence(connection), connection.transaction():
            connection.execute(f"SET LOCAL statement_timeout = {STATEMENT_S * 1000}".encode())
            yield connection

    @contextmanager
    def _open_connection(self) -> Generator[BoundedConnection]:
        with self._lock, as_transport_errors():
            if self._is_closed:
                raise TransportError("This machine has left the database.", "")
            connection = self._connection
            if connection is None or connection.closed or connection.broken or connection.is_worn:
                if connection:
                    connection.close()
                with contextlib.ExitStack() as unless_usable:
                    connection = connect(self._address)
                    unless_usable.callback(connection.close)
                    with given_up_after_silence(connection):
                        if require_team(connection, self._address) != self._team:
                            hint = "`palimp team leave`, then join that one; or put the former database back."
                            raise TransportError("The database is of another team now.", hint)
                        self._is_heard = self._listen(connection)
                    unless_usable.pop_all()
                self._claims.clear()
                self._has_missed = True
                self._connection = connection
            yield connection

    def _hear(self, said: psycopg.Notify) -> None:
        """Keep known projects only: any login may send anything."""
        if PROJECT_KEY.fullmatch(said.payload):
            self._heard.append(said)

    def _listen(self, connection: BoundedConnection) -> bool:
        """Listen, unless at a standby, or a pooler, which shows another process than the server's."""
        if connection.execute("SELECT pg_backend_pid()").fetchone() != (connection.info.backend_pid,):
            return False
        connection.add_notify_handler(self._hear)
        try:
            connection.execute(f"LISTEN {CHANNEL}".encode())
        except psycopg.errors.ReadOnlySqlTransaction:  # a standby
            return False
        return True
