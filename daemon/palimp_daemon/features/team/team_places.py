"""A team's place: a folder, or a database's address."""

from importlib import import_module
from pathlib import Path
from typing import Any

from palimp_daemon.features.team import carried_folder
from palimp_daemon.features.team.transport import Transport, TransportError
from palimp_protocol.env.installation import how_to_add


def is_database(place: str) -> bool:
    """Tell whether *place* is a database's address."""
    return "://" in place


def transport_of(place: str, team: str) -> Transport:
    """Return the transport of *team*, an id.

    Raises:
        TransportError: the driver of its database is not installed.
    """
    return _module("postgres").Postgres(place, team) if is_database(place) else carried_folder.Folder(Path(place), team)


def create_team(place: str, team: str) -> None:
    """Make *place* the team's, given its id.

    Raises:
        TransportError: it cannot be written, or is one of a team already.
    """
    if is_database(place):
        _module("postgres_schema").create_team(place, team)
    else:
        carried_folder.create_team(Path(place), team)


def team_in(place: str) -> str:
    """Return the id of the team at *place*.

    Raises:
        TransportError: it cannot be reached, or has no team.
    """
    return _module("postgres_schema").team_in(place) if is_database(place) else carried_folder.team_in(Path(place))


def members_at(place: str) -> Any:
    """Return the module for a database's members.

    Raises:
        TransportError: it is a folder, or the driver is not installed.
    """
    if not is_database(place):
        hint = "Several people need a PostgreSQL: palimp team create postgresql://NAME@HOST/DATABASE"
        raise TransportError("A folder is for the machines of one person.", hint)
    return _module("postgres_members")


def search_module() -> Any:
    """Return the module for searching a database.

    Raises:
        TransportError: the driver is not installed.
    """
    return _module("postgres_search")


def needs_index(place: str) -> bool:
    """Tell whether *place* is a database without its index.

    Raises:
        TransportError: it cannot be reached, or the driver is not installed.
    """
    return is_database(place) and _module("postgres_schema").needs_index(place)


def build_index(place: str) -> None:
    """Build the index, if this login may; it may take long.

    Raises:
        TransportError: it cannot be reached, or refuses it.
    """
    _module("postgres_schema").build_index(place)


def schema_of(place: str) -> str:
    """Return the schema's SQL.

    Raises:
        TransportError: it is a folder, or the driver is not installed.
    """
    if not is_database(place):
        raise TransportError("A folder has no schema.", "")
    return _module("postgres_schema").schema_text()


def _module(name: str) -> Any:
    try:
        return import_module(f"palimp_daemon.features.team.{name}")
    except ImportError:
        raise TransportError("The driver of PostgreSQL is not installed.", how_to_add("team")) from None
