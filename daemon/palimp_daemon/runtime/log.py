"""Log one line per event to stderr: JSON, or coloured text on a terminal.

Contents of memories, queries and documents appear at debug level only. For systemd's journal, lines begin with their
level (sd-daemon(3)), without time. A logging library would take a tenth of a second to import.
"""

import contextlib
import functools
import json
import logging
import os
import stat
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from palimp_protocol.limits import LOG_BYTES_MAX

LEVELS: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}
"""Numbers of the levels in syslog(3)."""

_COLOURS: Final = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}
_PLAIN: Final = "\x1b[0m"


class Log:
    """The daemon's log, called with an event and its fields."""

    def __init__(self, level: str, file: str = "") -> None:
        self._most = LEVELS[level]
        self._file = file
        self._renewing = threading.Lock()

    def __call__(self, event: str, **fields: object) -> None:
        """Log an *event* for people running the daemon."""
        self._write("info", event, **fields)

    def bug(self, error: Exception) -> None:
        """Log an unexpected *error* with its traceback."""
        self._write("error", "bug", exc_info=error)

    def take_from_libraries(self) -> None:
        """Log warnings from the standard library's logging."""
        logging.basicConfig(handlers=[_OfLibraries(self)], level=logging.WARNING)

    def library(self, record: logging.LogRecord) -> None:
        """Log a *record* of a library."""
        level = "error" if record.levelno >= logging.ERROR else "warning"
        self._write(level, "library", logger=record.name, said=str(record.msg), exc_info=record.exc_info)

    def _write(self, level: str, event: str, **fields: Any) -> None:
        """Write one line; no error reaches the caller."""
        if LEVELS[level] > self._most:
            return
        try:
            if exception := _traceback(fields.pop("exc_info", None)):
                fields["exception"] = exception
            line = self._form(level, {**fields, "event": event})
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
            if self._file:
                self._renew()
        except OSError:
            pass  # a full disk takes the log, not the daemon
        except Exception as error:  # noqa: BLE001  a field that cannot be rendered
            with contextlib.suppress(OSError):
                sys.stderr.write(json.dumps({"event": "log_failed", "of": event, "why": type(error).__name__}) + "\n")

    def _renew(self) -> None:
        """Rotate stderr only if it is our own file."""
        if os.fstat(2).st_size <= LOG_BYTES_MAX:
            return
        with self._renewing:
            at = os.fstat(2)
            if at.st_size <= LOG_BYTES_MAX or not stat.S_ISREG(at.st_mode) or not _is_at(self._file, at):
                return
            Path(self._file).replace(f"{self._file}.1")
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            fresh = os.open(self._file, flags, 0o600)
            for standard in (1, 2):
                if os.path.samestat(os.fstat(standard), at):
                    os.dup2(fresh, standard)
            os.close(fresh)

    @functools.cached_property
    def _form(self) -> "Callable[[str, dict[str, Any]], str]":
        if sys.stderr.isatty():
            return _for_person
        return _for_journal if _is_journal() else _with_time


def _for_person(level: str, fields: dict[str, Any]) -> str:
    event, exception = fields.pop("event"), fields.pop("exception", "")
    said = " ".join([event, *(f"{name}={value!r}" for name, value in fields.items())])
    line = f"{_now()} {_COLOURS.get(level, '')}{level:<7}{_PLAIN} {said}"
    return f"{line}\n{exception}" if exception else line


def _for_journal(level: str, fields: dict[str, Any]) -> str:
    return f"<{LEVELS[level]}>{_json({**fields, 'level': level})}"


def _with_time(level: str, fields: dict[str, Any]) -> str:
    return _json({**fields, "level": level, "timestamp": _now()})


def _json(fields: dict[str, Any]) -> str:
    return json.dumps(fields, default=repr)


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def _traceback(exc_info: Any) -> str:
    error: Any = cast("Any", exc_info)[1] if isinstance(exc_info, tuple) else exc_info
    return "".join(traceback.format_exception(error)).rstrip("\n") if isinstance(error, BaseException) else ""


def _is_at(path: str, at: os.stat_result) -> bool:
    try:
        return os.path.samestat(Path(path).stat(), at)
    except OSError:
        return False


class _OfLibraries(logging.Handler):
    """Passes on a library's message without its arguments, which may quote a memory."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.library(record)


def _is_journal() -> bool:
    try:
        at = os.fstat(2)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{at.st_dev}:{at.st_ino}"
