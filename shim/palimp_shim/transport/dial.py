"""Find the daemon, or start it: the dial ladder.

It listens at our socket, or where the database's owner wrote down. Else one client takes the spawn lock and starts
`palimpd`, or systemd's socket: SPAWN_ATTEMPTS_MAX times, not soon after `palimp stop`, nor if the owner sees other
mounts (a container). Newer clients replace older daemons, once in HANDOVER_QUIET_S.
"""

import errno
import os
import signal
import socket
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from palimp_protocol import limits
from palimp_protocol.env import clock, file_lock, paths
from palimp_protocol.env.address import socket_elsewhere, written_address
from palimp_shim.transport import systemd_socket

# -E and -P: neither PYTHONPATH nor the working folder may lend the daemon a module.
PALIMPD: Final = (sys.executable, "-E", "-P", "-m", "palimp_daemon", "--exit-when-idle")

EXIT_OWNED: Final = 75
"""Exit code of a daemon when another owns the database (EX_TEMPFAIL of sysexits.h)."""

CRASHES: Final = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGSYS)
"""Signals of a crash, not a kill: libzmq aborts when it gets no memory."""

LEAVES_S: Final = 2.0
"""Seconds that an unreachable owner may take to end."""

TRACE_MARKS: Final = " \t|+-"
"""What Python draws around the trace of a group of exceptions."""

SAID_BYTES_MAX: Final = 65_536
"""Bytes read of an ended daemon's log: a traceback fits."""

HANDOVER_QUIET_S: Final = 600.0
"""Seconds in which clients of one version replace an older daemon at most once."""

HANDOVER_S: Final = 10.0
"""Seconds in which the client that asked for a replacement keeps others from starting a daemon."""

CONNECT_TIMEOUT_S: Final = 1.0
"""Connecting to a Unix socket is immediate unless its backlog is full."""


class Dialer:
    """Finds the daemon, and starts it if need be."""

    def __init__(self, env: Mapping[str, str], *, honours_stop: bool) -> None:
        self._env = dict(env)
        self._honours_stop = honours_stop
        self._own = paths.socket_path(env, user_id=os.getuid())
        self._spawn_lock: int | None = None
        self._attempts = 0
        self._next_spawn_at = 0.0
        self._replaces_until = 0.0
        self._children: list[Any] = []
        self._started: Any = None
        self._started_at = 0.0
        self._log_began = 0
        """Offset of the started daemon's first line in the log file."""
        self._owned_elsewhere_since: float | None = None
        self._avoided: set[str] = set()
        self._connected = ""
        self.obstacle = ""
        """Why there is no daemon, as far as known."""
        self.is_stuck = False
        """Whether *obstacle* is certain: waiting will not help."""

    def connect(self) -> socket.socket | None:
        """Return a present daemon's connection, or None. The caller closes it."""
        for path in dict.fromkeys((self._own, written_address(self._env))):
            if path is not None and path not in self._avoided and (connected := self._connected_to(path)):
                self._connected = path
                return connected
        return None

    def step(self, now: float, *, is_wanted: bool = True) -> socket.socket | None:
        """Return a connection, or None after one step towards a daemon; never waits.

        *is_wanted*: somebody waits, so a stopped daemon is started again.
        """
        connected = self.connect()
        if connected is None:
            self._spawn_if_due(now, is_wanted=is_wanted)
        elif now >= self._replaces_until:
            self.stand_down()
        return connected

    @property
    def is_starting(self) -> bool:
        """Whether a daemon of this client may listen any moment."""
        return self._started is not None and self._started in self._children

    def avoid(self) -> None:
        """Avoid the last daemon: it serves another store."""
        self._avoided.add(self._connected)

    def stand_down(self) -> None:
        """Let others start the next daemon: one answers."""
        self._replaces_until = 0.0
        self.obstacle, self.is_stuck = "", False
        self._release_lock()
        self._attempts = 0

    def may_replace(self, version: str, now: float, *, is_of_no_use: bool = False) -> bool:
        """Tell whether this client, of *version*, may replace the older daemon.

        One that *is_of_no_use*, since it cannot open the store, is replaced at any time.
        """
        marker = paths.handover_path(self._env)
        try:
            age_s = clock.seconds_since(os.stat(marker).st_mtime)
            # A clock that went back must not keep an old daemon for ever.
            if 0 <= age_s < HANDOVER_QUIET_S and _text_of(marker) == version and not is_of_no_use:
                return False
        except (OSError, ValueError):
            pass  # nobody asked before
        if not self._take_lock():
            return False
        try:
            with open(marker, "w", encoding="utf-8") as file:
                file.write(version)
        except OSError:
            self._release_lock()
            return False
        self._replaces_until = now + HANDOVER_S
        return True

    def _connected_to(self, path: str) -> socket.socket | None:
        connection = None
        try:
            status = os.stat(path)
            if not stat.S_ISSOCK(status.st_mode) or status.st_uid not in (os.getuid(), 0):
                self.obstacle = f"{path} is not a socket of yours"
                return None
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(CONNECT_TIMEOUT_S)
            connection.connect(path)
        except (OSError, ValueError):  # ValueError: what was written down is no path
            if connection is not None:
                connection.close()
            return None
        return connection

    def _spawn_if_due(self, now: float, *, is_wanted: bool) -> None:
        # Reap those that ended. One that is slow to start is kept when another is started, or nobody would reap it.
        self._children = [child for child in self._children if child.poll() is None]
        if self._started is not None and self._started not in self._children:
            self._note_end(self._started.poll())
        is_awaited = self.is_starting and now < self._started_at + limits.START_S
        is_kept_stopped = not is_wanted and self._is_kept_stopped()
        if is_awaited or now < self._next_spawn_at or is_kept_stopped:
            return
        if self._is_owned_elsewhere(now) or not self._take_lock():
            return
        self._attempts += 1
        rest_s = limits.SPAWN_QUIET_S
        if self._attempts >= limits.SPAWN_ATTEMPTS_MAX:
            self._attempts, rest_s = 0, limits.SPAWN_PAUSE_S
        self._next_spawn_at = now + rest_s
        try:
            is_managed = self._attempts == 1 and systemd_socket.are_usable(self._env)
            self._log_began = _size_of(paths.log_path(self._env))
            child = _spawn(self._env, systemd_socket.START if is_managed else PALIMPD)
            self._children.append(child)
            if not is_managed:
                self._started, self._started_at = child, now
        except OSError as error:
            self.obstacle, self.is_stuck = f"palimpd cannot be started: {error}", True

    def _note_end(self, code: int) -> None:
        self._started = None
        is_crash = -code in CRASHES
        if code == EXIT_OWNED or (code <= 0 and not is_crash):  # owned, or stopped or killed by somebody: it may pass
            return
        said = _last_line(paths.log_path(self._env), self._log_began)
        end = f"palimpd ended with {signal.Signals(-code).name if is_crash else code} when it was started"
        self.obstacle = f"{end}: {said}" if said and is_crash else said or end
        self.is_stuck = True
        self._release_lock()  # others find out for themselves, at once

    def _is_owned_elsewhere(self, now: float) -> bool:
        """An owner that sees other mounts excludes a daemon here."""
        path = socket_elsewhere(self._env)
        if not path:
            self._owned_elsewhere_since = None
            return False
        if self._owned_elsewhere_since is None:
            self._owned_elsewhere_since = now
        elif now >= self._owned_elsewhere_since + LEAVES_S:
            self.obstacle = (
                f"one outside of this container, or on another machine, has {paths.database_path(self._env)} open, and"
                f" its socket {path} cannot be reached from here: share the socket's folder, too, or set PALIMP_HOME to"
                " another folder here"
            )
            self.is_stuck = True
        return True

    def _is_kept_stopped(self) -> bool:
        if not self._honours_stop:
            return False
        try:
            stopped_s = clock.seconds_since(os.stat(paths.stopped_path(self._env)).st_mtime)
        except OSError:
            return False
        # A clock that went back must not keep the daemon away for ever.
        return 0 <= stopped_s < limits.STOP_QUIET_S

    def _take_lock(self) -> bool:
        if self._spawn_lock is None:
            try:
                os.makedirs(paths.state_directory(self._env), mode=0o700, exist_ok=True)
                self._spawn_lock = file_lock.take_in_own_folder(paths.spawn_lock_path(self._env))
            except OSError as error:
                folder = paths.state_directory(self._env)
                self.obstacle = f"{folder} cannot be used ({error.strerror}): set PALIMP_HOME to another folder"
                self.is_stuck = True
        return self._spawn_lock is not None

    def _release_lock(self) -> None:
        if self._spawn_lock is not None:
            file_lock.release(self._spawn_lock)
            self._spawn_lock = None


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _last_line(path: str, began: int) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(began if began <= _size_of(path) else 0)
            said = file.read(SAID_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip(TRACE_MARKS) for line in said.splitlines()]
    told = [line.removeprefix("palimpd: ").removeprefix("error: ") for line in lines if line.startswith("palimpd: ")]
    return next(iter(told[-1:] or [line for line in lines if line][-1:]), "").rstrip(".")


def _opened_log(path: str, mode: int) -> int:
    """An unopenable log is moved aside."""
    try:
        return os.open(path, mode | os.O_NONBLOCK, 0o600)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENXIO):
            raise
        os.rename(path, f"{path}.1")
        return os.open(path, mode, 0o600)


def _spawn(env: Mapping[str, str], command: Sequence[str]) -> Any:
    import subprocess  # noqa: PLC0415  ten milliseconds that most clients do not need

    path = paths.log_path(env)
    is_long = _size_of(path) > limits.LOG_BYTES_MAX
    mode = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_APPEND | (os.O_TRUNC if is_long else 0)
    log = _opened_log(path, mode)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=dict(env),
            start_new_session=True,
        )
    finally:
        os.close(log)
