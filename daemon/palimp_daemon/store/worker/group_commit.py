"""Commit all waiting writes in one transaction with one fsync, then answer them.

A group first runs without savepoints, each of which costs a hand-over of the interpreter's lock; if a write fails after
a change, all run again with them: handlers may run twice. Writes are never interrupted: that would roll all back.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import groupby
from typing import Any, Final

import apsw
import msgspec

from palimp_daemon.store.checks.rebuild import mend_indexes
from palimp_daemon.store.integrity.file_identity import loss_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.requests import remember_replies, remembered_reply
from palimp_daemon.store.worker.refusals import bug_error, disk_full, refusal
from palimp_protocol.decoders import decoder_of
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import READ_DEADLINE_S

Apply = Callable[[Store, Sequence["Job"], Callable[[Exception], None]], bool]
"""Runs writes and settles their jobs; False: one must be undone, which this cannot."""

Together = Callable[[Store, Sequence[Any]], list[Any]]
"""Runs several writes, given one part of each, and returns their replies."""


class StoreLostError(Exception):
    """The disk did not confirm a write: the process must exit and reopen."""


FEWER_WORDS: Final = "Ask with fewer or rarer words."
"""Advice for the caller of a search that takes too long."""


@dataclass(slots=True, eq=False)
class Job:
    """Work for the store thread, and, once `settle`d, its outcome."""

    work: Callable[[Store], Any]
    _: KW_ONLY
    is_write: bool
    now_ms: int = 0
    request_id: bytes = b""
    reply_type: Any = None
    deadline_s: float = 0.0
    runs_on_full_disk: bool = False
    has_own_transaction: bool = False
    asker: bytes = b""
    """Whose turn it takes: a connection or, over MCP, a session; empty: the daemon's."""
    is_abandoned: bool = False
    late_hint: str = ""
    """Advice for its caller if it misses its deadline; empty: none."""
    on_settled: Callable[[], None] = lambda: None
    together: Together | None = None
    part: Any = None
    _outcome: Any = None

    def allow_on_full_disk(self) -> "Job":
        """Return the job, allowed on a full disk to free room."""
        self.runs_on_full_disk = True
        return self

    def in_own_transaction(self) -> "Job":
        """Return the job, run in its own transaction, as it takes long."""
        self.has_own_transaction = True
        return self

    def batch_with(self, together: Together, part: Any) -> "Job":
        """Return the job; *together* does its *part* with others', equivalent to `work` in turn."""
        self.together, self.part = together, part
        return self

    def for_asker(self, asker: bytes) -> "Job":
        """Return the job, counted in *asker*'s share of the read queue."""
        self.asker = asker
        return self

    def hinting(self, late_hint: str) -> "Job":
        """Return the job; past its deadline the caller is told *late_hint*."""
        self.late_hint = late_hint
        return self

    def on_settle(self, tell: Callable[[], None]) -> "Job":
        """Return the job; *tell* runs in the trio thread once its outcome is durable."""
        self.on_settled = tell
        return self

    def abandon(self) -> None:
        """Let nobody wait for it: a read is interrupted, a write still done."""
        self.is_abandoned = True

    def settle(self, outcome: object) -> None:
        """Set the *outcome*: a reply or an exception."""
        self._outcome = outcome

    def result(self) -> Any:
        """Return the reply.

        Raises:
            PalimpError: the work failed.
        """
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


def read_job(work: Callable[[Store], Any]) -> Job:
    """Return a job for *work*, which only reads, within READ_DEADLINE_S."""
    return Job(work, is_write=False, deadline_s=READ_DEADLINE_S)


def commit_group(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> None:
    """Run the writes *jobs* in one transaction and settle each.

    Raises:
        StoreLostError: the disk did not confirm the commit.
    """
    try:
        _commit_group(store, jobs if store.ballast.hold() else _refuse_on_full_disk(jobs), report_bug)
    except apsw.FullError:
        store.ballast.release()
        try:
            _commit_group(store, _refuse_on_full_disk(jobs), report_bug)
        except apsw.FullError:
            for job in jobs:
                job.settle(disk_full())


def _refuse_on_full_disk(jobs: Sequence[Job]) -> list[Job]:
    """Settle jobs with DISK_FULL; return those that may run anyway and settle again."""
    for job in jobs:
        job.settle(disk_full())
    return [job for job in jobs if job.runs_on_full_disk]


def _commit_group(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> None:
    if not jobs:
        return
    try:
        try:
            _commit_either_way(store, jobs, report_bug)
        except apsw.Error as error:
            store.forget_index()
            if not mend_indexes(store, error):
                raise
            _commit_either_way(store, jobs, report_bug)
    except apsw.Error as error:
        store.forget_index()
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_FSYNC:
            raise StoreLostError(f"The disk did not confirm a write ({error}).") from error
        if isinstance(error, apsw.FullError):
            raise
        for job in jobs:
            job.settle(refusal(store, error, is_write=True))


def _commit_either_way(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> None:
    if not _commit(store, jobs, report_bug, apply=_apply_all):
        _commit(store, jobs, report_bug, apply=_apply_all_undoably)


def _commit(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None], apply: Apply) -> bool:
    """Run and commit *jobs*; return False, all rolled back, if one must be undone alone."""
    is_committed = False
    store.execute("BEGIN IMMEDIATE")
    try:
        if apply(store, jobs, report_bug):
            commit_count = store.count_commit()
            store.execute("COMMIT")
            is_committed = True
            # After the commit: whoever moves the file later moves what is acknowledged with it.
            if store.place and (lost := loss_of(store.path, store.place)):
                _refuse_lost(store, jobs, lost)
            else:
                store.high_water_mark.write(commit_count)
    finally:
        if not is_committed:
            store.forget()  # also where SQLite rolled back by itself, as on a full disk
            if store.connection.in_transaction:
                store.execute("ROLLBACK")
    return is_committed


def _refuse_lost(store: Store, jobs: Sequence[Job], lost: PalimpError) -> None:
    store.lost = lost
    store.log("database_lost", database=str(store.path))
    for job in jobs:
        job.settle(PalimpError(lost.code, lost.text, lost.hint))


def _apply_all(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> bool:
    """Run writes, batched where possible; return False if one failed after a change.

    Raises:
        apsw.Error: the transaction is lost.
    """
    for together, group in groupby(jobs, key=lambda job: job.together):
        run = list(group)
        if together is not None and len(run) > 1:
            if not _apply_together(store, together, run):
                return False
        elif not all(_apply(store, job, report_bug) for job in run):
            return False
    return True


def _apply_together(store: Store, together: Together, jobs: Sequence[Job]) -> bool:
    """Run writes *together*; return False if one failed: single runs show it.

    Raises:
        apsw.Error: the transaction is lost.
    """
    try:
        replies = together(store, [job.part for job in jobs])
        _remember(store, jobs, replies)
    except apsw.Error as error:
        if isinstance(error, apsw.ConstraintError):
            return False
        raise
    except Exception:  # noqa: BLE001  it comes again, and is reported or answered then
        return False
    for job, reply in zip(jobs, replies, strict=True):
        job.settle(reply)
    return True


def _apply(store: Store, job: Job, report_bug: Callable[[Exception], None]) -> bool:
    """Run one write; return False if it failed after a change.

    Raises:
        apsw.Error: the transaction is lost.
    """
    changes = store.connection.total_changes()
    try:
        job.settle(_reply(store, job))
    except apsw.ConstraintError:
        return False
    except PalimpError as error:
        # One that was applied before may fail because of that: an edit of what it replaced itself.
        remembered = _earlier_reply(store, job)
        job.settle(error if remembered is None else remembered)
    except apsw.Error:
        raise
    except Exception as error:  # noqa: BLE001  the one boundary at which a bug becomes an answer
        if store.connection.total_changes() != changes:
            return False  # it will fail again, and be reported then
        report_bug(error)
        job.settle(bug_error(error))
    else:
        return True
    return store.connection.total_changes() == changes


def _apply_all_undoably(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> bool:
    for job in jobs:
        _apply_undoably(store, job, report_bug)
    return True


def _apply_undoably(store: Store, job: Job, report_bug: Callable[[Exception], None]) -> None:
    remembered = _earlier_reply(store, job)
    if remembered is not None:
        job.settle(remembered)
        return
    store.execute("SAVEPOINT job")
    try:
        job.settle(_reply(store, job))
    except PalimpError as error:
        job.settle(error)
    except Exception as error:  # the one boundary at which a bug becomes an answer
        if isinstance(error, apsw.Error) and not isinstance(error, apsw.ConstraintError):
            raise
        report_bug(error)
        job.settle(bug_error(error))
    else:
        store.execute("RELEASE job")
        return
    store.execute("ROLLBACK TO job")
    store.execute("RELEASE job")
    store.forget()


def _earlier_reply(store: Store, job: Job) -> Any:
    reply = remembered_reply(store, job.request_id) if job.request_id else None
    return None if reply is None else decoder_of(job.reply_type).decode(reply)


def _reply(store: Store, job: Job) -> Any:
    reply = job.work(store)
    _remember(store, [job], [reply])
    return reply


def _remember(store: Store, jobs: Sequence[Job], replies: Sequence[Any]) -> None:
    remember_replies(
        store,
        [
            (job.request_id, msgspec.json.encode(reply), job.now_ms)
            for job, reply in zip(jobs, replies, strict=True)
            if job.request_id
        ],
    )
