"""Log one line per event to stderr: JSON, or coloured text on a terminal.

Contents of memories, queries and documents appear at debug level only. For systemd's journal, lines begin with their
level (sd-daemon(3)) and have no time. structlog takes a tenth of a second to import, so it is imported with the first
event, and the event of a start is delayed (`say_later`).
"""

import contextlib
import functools
import json
import logging
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any, Final

import trio

from palimp_protocol.limits import LOG_BYTES_MAX

LATER_S: Final = 5.0
"""Seconds of delay for an event that nobody waits for: a session has begun by then."""


class Log:
    """The daemon's log: call it with an event and its fields."""

    def __init__(self, level: str, file: str = "") -> None:
        """Log events of *level* or above. *file*: the file that a client redirects stderr to, if any."""
        self._level = level
        self._file = file
        self._renewing = threading.Lock()

    def __call__(self, event: str, **fields: object) -> None:
        """Log an *event* for people running the daemon."""
        self._write("info", event, **fields)

    async def say_later(self, event: str, **fields: object) -> None:
        """Log an *event* after LATER_S, or when cancelled; at once on a terminal."""
        try:
            if not sys.stderr.isatty():
                await trio.sleep(LATER_S)
                await trio.to_thread.run_sync(lambda: self._logger)
        finally:
            self(event, **fields)

    def bug(self, error: Exception) -> None:
        """Log an unexpected *error* with its traceback."""
        self._write("error", "bug", exc_info=error)

    def take_from_libraries(self) -> None:
        """Log warnings of libraries, such as the MCP SDK, that use the standard library's logging."""
        logging.basicConfig(handlers=[_OfLibraries(self)], level=logging.WARNING)

    def library(self, record: logging.LogRecord) -> None:
        """Log a *record* of a library."""
        level = "error" if record.levelno >= logging.ERROR else "warning"
        self._write(level, "library", logger=record.name, said=str(record.msg), exc_info=record.exc_info)

    def _write(self, level: str, event: str, **fields: Any) -> None:
        """Write one line; errors of the disk or of the fields never reach the caller."""
        try:
            getattr(self._logger, level)(event, **fields)
            if self._file:
                self._renew()
        except OSError:
            pass  # a full disk takes the log, not the daemon
        except Exception as error:  # noqa: BLE001  a field that cannot be rendered
            with contextlib.suppress(OSError):
                sys.stderr.write(json.dumps({"event": "log_failed", "of": event, "why": type(error).__name__}) + "\n")

    def _renew(self) -> None:
        """Rename a log file above LOG_BYTES_MAX to `.1`, and begin a new one.

        Only stderr's own file is renewed; other files are bounded by others. Runs in several threads.

        Raises:
            OSError: it cannot be; the old one grows on.
        """
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
    def _logger(self) -> Any:
        import structlog  # noqa: PLC0415  see above

        least = logging.getLevelNamesMapping()[self._level.upper()]
        is_terminal = sys.stderr.isatty()
        is_journal = _is_journal()
        renderer: Any = structlog.dev.ConsoleRenderer() if is_terminal else structlog.processors.JSONRenderer()
        structlog.configure(
            processors=[
                structlog.processors.add_log_level,
                *([] if is_journal else [structlog.processors.TimeStamper(fmt="iso", utc=True)]),
                *([] if is_terminal else [structlog.processors.format_exc_info]),
                renderer,
                *([_with_level] if is_journal else []),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(least),
            logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        )
        return structlog.get_logger()


def _is_at(path: str, at: os.stat_result) -> bool:
    try:
        return os.path.samestat(Path(path).stat(), at)
    except OSError:
        return False


class _OfLibraries(logging.Handler):
    """Passes on a library's message without its arguments: they may be parts of a memory."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.library(record)


LEVELS: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}
"""Numbers of the levels in syslog(3)."""


def _is_journal() -> bool:
    """Tell whether stderr is systemd's journal, named by JOURNAL_STREAM (systemd.exec(5))."""
    try:
        at = os.fstat(2)
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{at.st_dev}:{at.st_ino}"


def _with_level(_: object, method: str, line: Any) -> str:
    return f"<{LEVELS.get(method, 6)}>{line}"
