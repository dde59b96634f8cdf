"""Connections to a team's PostgreSQL.

libpq finds the password, which the stored address never has; another host requires `verify-full`.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from palimp_daemon.features.team.bounded_connection import BoundedConnection
from palimp_daemon.features.team.transport import RefusedError, TransportError, UnacceptableError

CONNECT_S: Final = 10
"""Seconds for a server to answer: one asleep or behind a slow network takes some."""

STATEMENT_S: Final = 30
"""Seconds for one statement: a page of operations takes milliseconds."""

SILENT_S: Final = 3 * STATEMENT_S
"""Seconds after which a transaction's connection is given up: it has one or two statements."""

HOLE: Final = "an operation is missing before"
"""The schema's error if earlier operations are missing, no fault of those sent."""

_REFUSED_IN_ADDRESS: Final = ("password", "sslpassword")

_LOCAL: Final = ("localhost", "127.0.0.1", "::1")

KEEP_ALIVE: Final = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""Seconds (the last: milliseconds) before a connection with a silent peer counts as lost."""


def checked_address(address: str) -> dict[str, Any]:
    """Return the parts of *address* by libpq's names, with a certificate check for other hosts.

    Raises:
        TransportError: it is invalid, has a password, or lacks the check.
    """
    try:
        parts: dict[str, Any] = {**conninfo_to_dict(address)}
    except psycopg.Error:
        hint = "As in postgresql://NAME@HOST/DATABASE."
        raise TransportError("The address of the database cannot be read.", hint) from None
    if any(parts.get(each) for each in _REFUSED_IN_ADDRESS):
        raise TransportError(
            "The address has a password, which would stand in the list of processes and in palimp's database.",
            "Leave it out and say --password, which asks for it or reads a line from a pipe; or put it into ~/.pgpass"
            " or a service file. Change it if others could see it.",
        )
    if not _is_local(parts):
        if parts.get("sslmode", "verify-full") != "verify-full":
            hint = "Say sslmode=verify-full, with sslrootcert=FILE where the server has a certificate of its own."
            raise TransportError("The server's certificate would not be checked.", hint)
        parts |= {"sslmode": "verify-full", "sslrootcert": parts.get("sslrootcert", "system")}
    return parts


def rows_of(found: Iterable[tuple[Any, ...]], *types: type) -> list[tuple[Any, ...]]:
    """Return the rows with these *types*: an untrusted server may send others."""
    return [row for row in found if len(row) == len(types) and all(map(isinstance, row, types))]


def _is_local(parts: Mapping[str, Any]) -> bool:
    """Tell whether *parts* name this machine; without a host, the environment may name one."""
    hosts, addresses = (str(parts.get(name) or "").split(",") for name in ("host", "hostaddr"))
    is_host = all(host in _LOCAL or host.startswith("/") for host in hosts)
    return is_host and all(address in ("", "127.0.0.1", "::1") for address in addresses)


def connect(address: str) -> BoundedConnection:
    """Return a connection to *address*."""
    parts: dict[str, Any] = {
        "connect_timeout": CONNECT_S,
        "application_name": "palimp",
        **KEEP_ALIVE,
        **checked_address(address),
    }
    return BoundedConnection.connect(
        make_conninfo("", **parts),
        autocommit=True,
        prepare_threshold=None,  # poolers share a server's prepared statements among clients
    )


@contextmanager
def connection_to(address: str) -> Generator[BoundedConnection]:
    """Yield a connection to *address*.

    Raises:
        TransportError: it cannot be reached, or refuses a statement.
    """
    with as_transport_errors(), connect(address) as connection, given_up_after_silence(connection):
        yield connection


@contextmanager
def as_transport_errors() -> Generator[None]:
    """Raise `TransportError` for the driver's errors."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        if "row-level security" in str(error):
            hint = "Ask an admin of the team for it: palimp team invite LOGIN, in that project with --only-here."
            raise RefusedError("Your login may not write in this project.", hint) from error
        if "for schema palimp" in str(error):
            hint = "Ask an admin of the team: palimp team invite LOGIN. What you have stays on this machine."
            raise RefusedError("Your login is no member of this team, or is none any more.", hint) from error
        hint = (
            "To join, be invited by an admin of the team (palimp team invite LOGIN); to make one, the login must be let"
            " make a schema in the database."
        )
        raise RefusedError(f"The database refuses it: {_first_line(error)}.", hint) from error
    except psycopg.errors.DiskFull as error:
        raise TransportError("The server's disk is full.", f"Its administrator must make room. {_WAITS}") from error
    except psycopg.OperationalError as error:
        raise TransportError(f"The database cannot be reached: {_first_line(error)}.", _CHECK) from error
    except (psycopg.IntegrityError, psycopg.DataError, psycopg.errors.RaiseException) as error:
        text = f"The database refused it: {_first_line(error)}."
        raise (TransportError if HOLE in text else UnacceptableError)(text, _WAITS) from error
    except psycopg.Error as error:
        raise TransportError(f"The database refused it: {_first_line(error)}.", _WAITS) from error


_WAITS: Final = "What was not sent waits, and is sent once it can be."

_CHECK: Final = f"Check address, login and password (`palimp team join ADDRESS --password` asks for it anew). {_WAITS}"


def _first_line(error: Exception) -> str:
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return line.removeprefix("connection failed: ")


def socket_again(connection: "psycopg.Connection[Any]") -> socket.socket:
    """Duplicate the connection's socket, for the caller to close."""
    return socket.socket(fileno=os.dup(connection.fileno()))


def shut_down(connection: "psycopg.Connection[Any]") -> None:
    """End *connection*, also during a statement."""
    with contextlib.suppress(OSError, psycopg.Error), socket_again(connection) as other:
        other.shutdown(socket.SHUT_RDWR)


@contextmanager
def given_up_after_silence(connection: "psycopg.Connection[Any]") -> Generator[None]:
    """End *connection* after a time limit: a stalled server is silent."""
    timer = threading.Timer(SILENT_S, shut_down, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
