"""Read committed data until a deadline, or until nobody waits for the answer."""

import time
from collections.abc import Callable
from typing import Any, Final

import apsw

from palimp_daemon.store.checks.rebuild import mend_indexes
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.store.worker.refusals import bug_error, refusal
from palimp_protocol.errors import ErrorCode, PalimpError

PROGRESS_STEPS: Final = 20_000
"""SQLite steps between two looks at the deadline, some milliseconds. Each look waits for the interpreter's lock, so
most searches should have none."""

IDLE_PROGRESS_STEPS: Final = 1_000
"""The same without a deadline, for any waiting caller: below a millisecond, but 30 ms in the long steps of a word
index's check."""


def run_read(store: Store, job: Job, report_bug: Callable[[Exception], None]) -> None:
    """Run the read *job* until its deadline and settle it."""
    ends_at = time.monotonic() + job.deadline_s
    store.connection.set_progress_handler(
        lambda: job.is_abandoned or (job.deadline_s > 0 and time.monotonic() > ends_at),
        PROGRESS_STEPS if job.deadline_s > 0 else IDLE_PROGRESS_STEPS,
    )
    try:
        job.settle(_read(store, job))
    except apsw.InterruptError:
        text = f"The request took longer than {job.deadline_s:g} s and was stopped."
        job.settle(PalimpError(ErrorCode.DEADLINE, text, job.late_hint))
    except apsw.Error as error:
        job.settle(refusal(store, error, is_write=False))
    except PalimpError as error:
        job.settle(error)
    except Exception as error:  # noqa: BLE001  the one boundary at which a bug becomes an answer
        report_bug(error)
        job.settle(bug_error(error, is_write=False))
    finally:
        store.connection.set_progress_handler(None)


def _read(store: Store, job: Job) -> Any:
    try:
        return job.work(store)
    except (apsw.CorruptError, apsw.SQLError) as error:
        store.connection.set_progress_handler(None)  # what is mended is not interrupted
        if not mend_indexes(store, error):
            raise
        return job.work(store)
