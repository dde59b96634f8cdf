"""Group commit: many writes, one transaction, one wait for the disk.

Theory
------
With `synchronous=FULL` a commit waits for the disk, whatever it holds. So the store thread takes all
writes that are waiting, runs each in a SAVEPOINT inside one transaction, commits once, and only then
answers them. One write's failure rolls back its savepoint and no other. A failure of the transaction
itself (disk full, I/O error) fails every write of the group; none of them is acknowledged.

A write that carries a request id leaves the id and its reply in the same transaction, and is answered
from there when it comes again.

Reads run between transactions, see what is committed, and have a deadline; writes are never
interrupted, since an interrupted INSERT rolls the whole transaction back.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import apsw
import msgspec

from palimp_daemon.store.requests import remember_reply, remembered_reply
from palimp_daemon.store.store import Store
from palimp_protocol.errors import ErrorCode, PalimpError

PROGRESS_STEPS: Final = 4000
"""SQLite's virtual machine steps between two looks at the deadline: well under a millisecond."""


class StoreLostError(Exception):
    """The disk did not confirm a write. What it holds is unknown: the process must exit and reopen."""


class Job:
    """One piece of work for the store thread, and, once `settle`d, its outcome."""

    __slots__ = (
        "_outcome",
        "deadline_s",
        "is_abandoned",
        "is_write",
        "now_ms",
        "on_settled",
        "reply_type",
        "request_id",
        "work",
    )

    def __init__(
        self,
        work: Callable[[Store], Any],
        *,
        is_write: bool,
        now_ms: int = 0,
        request_id: bytes = b"",
        reply_type: Any = None,
        deadline_s: float = 0.0,
    ) -> None:
        self.work = work
        self.is_write = is_write
        self.now_ms = now_ms
        self.request_id = request_id
        self.reply_type = reply_type
        self.deadline_s = deadline_s
        self.is_abandoned = False
        self.on_settled: Callable[[], None] = lambda: None
        self._outcome: Any = None

    def settle(self, outcome: object) -> None:
        """Keep the *outcome*: a reply, or the exception that stands for one."""
        self._outcome = outcome

    def result(self) -> Any:
        """Return the reply.

        Raises:
            PalimpError: the work failed.
        """
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


def commit_group(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> None:
    """Run the writes *jobs* in one transaction and settle each.

    Raises:
        StoreLostError: the disk did not confirm the commit.
    """
    db = store.connection
    try:
        db.execute("BEGIN IMMEDIATE")
        for job in jobs:
            _apply(store, job, report_bug)
        db.execute("COMMIT")
    except apsw.Error as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_FSYNC:
            raise StoreLostError(str(error)) from error
        for job in jobs:
            job.settle(_refusal(error))


def run_read(store: Store, job: Job, report_bug: Callable[[Exception], None]) -> None:
    """Run the read *job* until its deadline and settle it."""
    ends_at = time.monotonic() + job.deadline_s
    store.connection.set_progress_handler(
        lambda: job.is_abandoned or (job.deadline_s > 0 and time.monotonic() > ends_at), PROGRESS_STEPS
    )
    try:
        job.settle(job.work(store))
    except apsw.InterruptError:
        job.settle(
            PalimpError(
                ErrorCode.DEADLINE,
                f"The search took longer than {job.deadline_s:g} s and was stopped.",
                "Ask with fewer or rarer words.",
            )
        )
    except apsw.Error as error:
        job.settle(_refusal(error))
    except PalimpError as error:
        job.settle(error)
    except Exception as error:  # noqa: BLE001  the one boundary at which a bug becomes an answer
        report_bug(error)
        job.settle(_bug(error))
    finally:
        store.connection.set_progress_handler(None)


def _apply(store: Store, job: Job, report_bug: Callable[[Exception], None]) -> None:
    """Run one write in its savepoint, or answer it from memory.

    Raises:
        apsw.Error: the transaction is lost.
    """
    db = store.connection
    db.execute("SAVEPOINT job")
    try:
        job.settle(_reply(store, job))
    except apsw.Error:
        if not db.in_transaction:
            raise
        _undo(db)
        raise
    except PalimpError as error:
        _undo(db)
        job.settle(error)
    except Exception as error:  # noqa: BLE001  the one boundary at which a bug becomes an answer
        _undo(db)
        report_bug(error)
        job.settle(_bug(error))
    else:
        db.execute("RELEASE job")


def _reply(store: Store, job: Job) -> Any:
    if not job.request_id:
        return job.work(store)
    remembered = remembered_reply(store, job.request_id)
    if remembered is not None:
        return msgspec.json.decode(remembered, type=job.reply_type)
    reply = job.work(store)
    remember_reply(store, job.request_id, msgspec.json.encode(reply), job.now_ms)
    return reply


def _undo(db: apsw.Connection) -> None:
    db.execute("ROLLBACK TO job")
    db.execute("RELEASE job")


def _refusal(error: apsw.Error) -> PalimpError:
    """Return what a caller is told of SQLite's *error*."""
    if isinstance(error, apsw.FullError):
        return PalimpError(
            ErrorCode.DISK_FULL, "The disk is full; nothing was stored.", "Free some space, then send it again."
        )
    return PalimpError(
        ErrorCode.STORE_UNAVAILABLE,
        f"The database refused ({type(error).__name__}: {error}); nothing was stored.",
        "Run `palimp health`.",
    )


def _bug(error: Exception) -> PalimpError:
    return PalimpError(
        ErrorCode.INTERNAL,
        f"palimp failed on this request ({type(error).__name__}). Nothing was changed.",
        "The traceback is in the daemon's log.",
    )
