"""Group commit: many writes, one transaction, one fsync.

Theory
------
With `synchronous=FULL` a commit waits for an fsync, whatever it holds. So the store thread takes all
writes that are waiting, runs them inside one transaction, commits once, and only then answers them. A
failure of the transaction itself (disk full, I/O error) fails every write of the group; none of them
is acknowledged.

One write's failure must undo that write and no other. A savepoint around each would do, but failures
are rare and each statement costs a hand-over of the interpreter's lock; so a group first runs without.
Only when a write fails after it has changed something is everything rolled back and the group run
again, this time with a savepoint around each write. Handlers may therefore run twice; only what
they did in the second run is kept.

A write that carries a request id leaves the id and its reply in the same transaction. When that id is
there already (the primary key refuses it), the write has been applied before: it is undone, and
answered with the reply that is stored.

Writes of one kind that follow each other may be run together (`Job.batch_with`): a few statements for
all of them. That is where the time goes otherwise, since the lock is handed over with each statement, and
while SQLite works through many rows it is free. If anything is wrong with one of them, the group runs
again as above.

Writes are never interrupted, since an interrupted INSERT rolls the whole transaction back.
"""

from collections.abc import Callable, Sequence
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
"""Runs writes and settles their jobs; False: one must be undone, which this way of running cannot."""

Together = Callable[[Store, Sequence[Any]], list[Any]]
"""Runs several writes, of each of which it is given a part, and returns their replies."""


class StoreLostError(Exception):
    """The disk did not confirm a write. What it holds is unknown: the process must exit and reopen."""


FEWER_WORDS: Final = "Ask with fewer or rarer words."
"""What the caller of a search that takes too long can do."""


class Job:
    """One piece of work for the store thread, and, once `settle`d, its outcome."""

    __slots__ = (
        "_outcome",
        "asker",
        "deadline_s",
        "has_own_transaction",
        "is_abandoned",
        "is_write",
        "late_hint",
        "now_ms",
        "on_settled",
        "part",
        "reply_type",
        "request_id",
        "runs_on_full_disk",
        "together",
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
        self.runs_on_full_disk = False
        self.has_own_transaction = False
        """Whether it has a transaction for itself."""
        self.asker = b""
        """Whose turn it takes: the connection that asked, or of a call over MCP its session; empty: ours."""
        self.is_abandoned = False
        self.late_hint = ""
        """What its caller can do where it does not end before its deadline; empty: nothing is known."""
        self.on_settled: Callable[[], None] = lambda: None
        self.together: Together | None = None
        self.part: Any = None
        self._outcome: Any = None

    def allow_on_full_disk(self) -> "Job":
        """Return the job, which is done on a full disk, too: it makes room."""
        self.runs_on_full_disk = True
        return self

    def in_own_transaction(self) -> "Job":
        """Return the job, which runs in a transaction of its own, because it takes as long as one may.

        Other requests are served between two such writes, and a read of the same asker does not wait for it.
        """
        self.has_own_transaction = True
        return self

    def batch_with(self, together: Together, part: Any) -> "Job":
        """Return the job, of which *together* does *part* along with others: as `work` would, one after the other."""
        self.together, self.part = together, part
        return self

    def for_asker(self, asker: bytes) -> "Job":
        """Return the job, which counts in *asker*'s share of the read queue."""
        self.asker = asker
        return self

    def hinting(self, late_hint: str) -> "Job":
        """Return the job, whose caller is told *late_hint* if it does not end before its deadline."""
        self.late_hint = late_hint
        return self

    def on_settle(self, tell: Callable[[], None]) -> "Job":
        """Return the job; *tell* is called in the trio thread once its outcome is durable."""
        self.on_settled = tell
        return self

    def abandon(self) -> None:
        """Let nobody wait for it any more: a read is interrupted, a write is done all the same."""
        self.is_abandoned = True

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


def read_job(work: Callable[[Store], Any]) -> Job:
    """Return the job that does *work*, which only reads, within READ_DEADLINE_S."""
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
    """Settle every job with DISK_FULL and return those that may run on a full disk; running them replaces that."""
    for job in jobs:
        job.settle(disk_full())
    return [job for job in jobs if job.runs_on_full_disk]


def _commit_group(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> None:
    """Run the writes *jobs*, if there are any, in one transaction and settle each.

    Raises:
        apsw.FullError: the disk is full.
        StoreLostError: the disk did not confirm the commit.
    """
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
    """Run *jobs* in one transaction: all at once, or each so that it can be undone if one must be.

    Raises:
        apsw.Error: nothing of them was kept.
    """
    if not _commit(store, jobs, report_bug, apply=_apply_all):
        _commit(store, jobs, report_bug, apply=_apply_all_undoably)


def _commit(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None], apply: Apply) -> bool:
    """Run *jobs* with *apply* and commit; return False, with nothing kept, if one must be undone alone."""
    is_committed = False
    store.connection.execute("BEGIN IMMEDIATE")
    try:
        if apply(store, jobs, report_bug):
            commit_count = store.count_commit()
            store.connection.execute("COMMIT")
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
                store.connection.execute("ROLLBACK")
    return is_committed


def _refuse_lost(store: Store, jobs: Sequence[Job], lost: PalimpError) -> None:
    """Acknowledge none of *jobs*: they are in a file that no later daemon opens."""
    store.refuse_lost(lost)
    store.log("database_lost", database=str(store.path))
    for job in jobs:
        job.settle(PalimpError(lost.code, lost.text, lost.hint))


def _apply_all(store: Store, jobs: Sequence[Job], report_bug: Callable[[Exception], None]) -> bool:
    """Run writes, together where they can be; return False when one failed and left something to undo.

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
    """Run writes *together*; return False when something is wrong with one of them: which, is seen one by one.

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
    """Run one write; return False when it failed and left something to undo.

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
    """Run writes one by one, so that each can be undone; return True.

    Raises:
        apsw.Error: the transaction is lost.
    """
    for job in jobs:
        _apply_undoably(store, job, report_bug)
    return True


def _apply_undoably(store: Store, job: Job, report_bug: Callable[[Exception], None]) -> None:
    """Run one write in a savepoint, which is undone if it fails.

    Raises:
        apsw.Error: the transaction is lost.
    """
    db = store.connection
    remembered = _earlier_reply(store, job)
    if remembered is not None:
        job.settle(remembered)
        return
    db.execute("SAVEPOINT job")
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
        db.execute("RELEASE job")
        return
    db.execute("ROLLBACK TO job")
    db.execute("RELEASE job")
    store.forget()


def _earlier_reply(store: Store, job: Job) -> Any:
    """Return what *job* was answered when it was applied before; None: it was not."""
    reply = remembered_reply(store, job.request_id) if job.request_id else None
    return None if reply is None else decoder_of(job.reply_type).decode(reply)


def _reply(store: Store, job: Job) -> Any:
    """Return what *job* came to, remembered under its request id.

    Raises:
        apsw.ConstraintError: a write with this request id was applied before.
    """
    reply = job.work(store)
    _remember(store, [job], [reply])
    return reply


def _remember(store: Store, jobs: Sequence[Job], replies: Sequence[Any]) -> None:
    """Remember what each of *jobs* was answered under its request id, if it has one."""
    remember_replies(
        store,
        [
            (job.request_id, msgspec.json.encode(reply), job.now_ms)
            for job, reply in zip(jobs, replies, strict=True)
            if job.request_id
        ],
    )
