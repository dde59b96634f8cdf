"""Own the store in a thread with one bounded mailbox.

Waiting writes are committed as a group, then reads run for a time slice, one of each asker in turn, none before its
asker's waiting write. A cancelled caller's read is interrupted, its write done, since it will be sent again.
"""

import contextlib
import math
import queue
import time
from collections import deque
from collections.abc import Awaitable, Callable, Container, Generator
from functools import partial
from typing import Any, Final, TypeVar

import apsw
import trio

from palimp_daemon.store.checks.rebuild import fill_next, is_filling
from palimp_daemon.store.sqlite_connection import StoreUnavailableError, checkpoint, leave
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.fair_queue import FairQueue
from palimp_daemon.store.worker.group_commit import Job, commit_group, read_job
from palimp_daemon.store.worker.reads import run_read
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import GROUP_WRITES_MAX, MAILBOX_JOBS_MAX, READ_SLICE_S

T = TypeVar("T")

OPEN_AGAIN_S: Final = 2.0
"""Seconds before a job retries to open a store: the disk may have room, or the file be back."""


class Actor:
    """The store's owner: `run` it, then `ask` it."""

    def __init__(
        self,
        open_store: Callable[[], Store],
        report_bug: Callable[[Exception], None],
        deliver: Callable[[Callable[[], None]], None] = lambda answer: answer(),
        unread: Container[bytes] = frozenset(),
        put_aside: Callable[[], None] | None = None,
    ) -> None:
        """Own the store that *open_store* opens.

        *put_aside* moves a damaged store's files before reopening; *deliver* calls a function that answers several
        callers. Askers in *unread*, shared with the store's thread, get no reads.
        """
        self._open_store = open_store
        self._deliver_to = deliver
        self._unread = unread
        self._report_bug = report_bug
        self._put_aside = put_aside
        self._mailbox: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._waiting = 0
        self._posted_at = -math.inf
        self._token: trio.lowlevel.TrioToken | None = None
        self._idle_job: Job | None = None
        self.takes_long = True
        """Whether it may work for minutes: opening the database, building its index, or rewriting it."""
        self.opened_at: tuple[int, int] | None = None
        """Device and inode of the database's file, once it is open."""
        self.problem: PalimpError | None = None
        """Why the store is unusable, once known."""
        self._answered = trio.lowlevel.ParkingLot()
        self.written = trio.Event()
        """Set once the next write is durable; then replaced."""

    def refuse(self, reason: PalimpError) -> None:
        """Answer every job with *reason* from now on."""
        self.problem = reason

    @property
    def waiting_jobs(self) -> int:
        """Number of jobs waiting or running."""
        return self._waiting

    @property
    def quiet_s(self) -> float:
        """Seconds since the last post; 0 while a job waits or runs."""
        return 0.0 if self._waiting else time.monotonic() - self._posted_at

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Own the store until cancelled, then finish the mailbox and close the database.

        Jobs are accepted once this has started.

        Raises:
            StoreLostError: the disk failed; the process must exit.
        """
        self._token = trio.lowlevel.current_trio_token()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, self._work)
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                self._mailbox.put(None)

    def post(self, job: Job) -> None:
        """Put *job* into the mailbox; `on_settled` runs in the trio thread once its outcome is durable.

        Raises:
            PalimpError: the mailbox is full.
        """
        if self._waiting >= MAILBOX_JOBS_MAX:
            raise PalimpError(
                ErrorCode.BUSY, f"{MAILBOX_JOBS_MAX} requests are waiting for the database.", "Send it again."
            )
        if self._idle_job is not None and job is not self._idle_job:
            self._idle_job.abandon()
        self._waiting += 1
        self._posted_at = time.monotonic()
        self._mailbox.put(job)

    async def ask(self, job: Job) -> Any:
        """Return the result of *job* once it is durable.

        Raises:
            PalimpError: it failed, the mailbox is full, or the store cannot be used.
        """
        return await self.begin(job)()

    async def read(self, work: Callable[[Store], T]) -> T:
        """Return the result of *work*, which only reads; as `ask`."""
        return await self.ask(read_job(work))

    async def write(self, work: Callable[[Store], T]) -> T:
        """Return the result of *work* once it is durable; as `ask`."""
        return await self.ask(Job(work, is_write=True))

    async def ask_idly(self, job: Job) -> Any:
        """Run *job* at idle priority; None if another job preempted it.

        Raises:
            PalimpError: it failed, or the store cannot be used.
        """
        self._idle_job = job
        try:
            return await self.ask(job)
        except PalimpError:
            if job.is_abandoned:
                return None
            raise
        finally:
            self._idle_job = None

    def begin(self, job: Job) -> Callable[[], Awaitable[Any]]:
        """Post *job*; return a function that waits for its outcome.

        Raises:
            PalimpError: the mailbox is full.
        """
        done = trio.Event()
        self.post(job.on_settle(done.set))

        async def outcome() -> Any:
            try:
                await done.wait()
            except trio.Cancelled:
                job.abandon()
                raise
            return job.result()

        return outcome

    @contextlib.contextmanager
    def taking_long(self) -> Generator[None, None, None]:
        """Tell the watchdog that the next request may take minutes."""
        self.takes_long = True
        try:
            yield
        finally:
            self.takes_long = False

    async def next_answer(self) -> None:
        """Wait until any job is answered."""
        await self._answered.park()

    # --- the store thread ------------------------------------------------------------------------

    def _work(self) -> None:
        while (store := self._wait_for_store()) is not None:
            self.opened_at = store.place
            self.takes_long = False
            try:
                is_running = self._serve(store)
                if store.damage is None:
                    with contextlib.suppress(apsw.Error):  # a full disk must not turn a stop into a crash
                        checkpoint(store.connection)
            finally:
                (leave if store.damage else apsw.Connection.close)(store.connection)
            if store.damage and self._put_aside:
                with contextlib.suppress(OSError):  # it is found damaged again
                    self._put_aside()
            if not is_running:
                return
            self.takes_long = True

    def _wait_for_store(self) -> Store | None:
        while True:
            try:
                store = self._open_store()
            except StoreUnavailableError as error:
                self.problem = error
                self.takes_long = False
                if not self._refuse_for_now(error):
                    return None
            else:
                self.problem = None
                return store

    def _serve(self, store: Store) -> bool:
        """Work until told to stop (False), or to put the store aside (True)."""
        writes: deque[Job] = deque()
        reads = FairQueue()
        is_running = True
        while is_running or writes or reads:
            if self._put_aside and store.damage and is_running:
                for job in (*writes, *reads):
                    self._mailbox.put(job)  # for the store that takes its place
                return True
            is_idle = not (writes or reads or is_filling(store))
            is_running = self._take(writes, reads, wait=is_idle) and is_running
            if problem := self._problem_of(store):
                self._refuse([*writes, *reads], problem)
                writes.clear()
                reads.clear()
            if writes:
                group = _next_group(writes)
                commit_group(store, group, self._report_bug)
                self._settle(group)
                if group[-1].has_own_transaction:  # who came meanwhile comes before the next of its kind
                    is_running = self._take(writes, reads, wait=False) and is_running
            is_running = self._read_for_a_slice(store, writes, reads) and is_running
            if self.problem is None and is_filling(store):
                fill_next(store)  # one slice, so that nobody waits for more than that
        return False

    def _problem_of(self, store: Store) -> PalimpError | None:
        if found := store.damage or store.lost:
            self.problem = self.problem or found
        return self.problem  # never set to None here: another thread may refuse at this moment

    def _take(self, writes: deque[Job], reads: FairQueue, *, wait: bool) -> bool:
        is_running = True
        try:
            while True:
                job = self._mailbox.get(block=wait)
                wait = False
                if job is None:
                    is_running = False
                else:
                    (writes if job.is_write else reads).append(job)
        except queue.Empty:
            return is_running

    def _read_for_a_slice(self, store: Store, writes: deque[Job], reads: FairQueue) -> bool:
        """Run reads until the slice is over, or the store fails; return False when told to stop."""
        is_running, ends_at, behind = True, time.monotonic() + READ_SLICE_S, list[Job]()
        while reads and time.monotonic() < ends_at and self._problem_of(store) is None:
            job = reads.popleft()
            if any(job.asker == write.asker and not write.has_own_transaction for write in writes):
                behind.append(job)
                continue
            if job.asker in self._unread:
                job.settle(PalimpError(ErrorCode.BUSY, "Too many answers were unread.", "Read them, then ask again."))
            elif not job.is_abandoned:
                run_read(store, job, self._report_bug)
            self._settle([job])
            is_running = self._take(writes, reads, wait=False) and is_running
        for job in behind:
            reads.append(job)
        return is_running

    def _refuse_for_now(self, reason: PalimpError) -> bool:
        """Refuse jobs with *reason* for OPEN_AGAIN_S; return False when told to stop."""
        ends_at = time.monotonic() + OPEN_AGAIN_S
        while job := self._mailbox.get():
            if time.monotonic() > ends_at:
                self._mailbox.put(job)  # for whom it may be opened now; its order among the others is nothing
                return True
            self._refuse([job], reason)
        return False

    def _refuse(self, jobs: list[Job], reason: PalimpError) -> None:
        for job in jobs:
            job.settle(PalimpError(reason.code, reason.text, reason.hint))
        self._settle(jobs)

    def _settle(self, jobs: list[Job]) -> None:
        if self._token is not None:
            self._token.run_sync_soon(self._deliver, jobs)

    def _deliver(self, jobs: list[Job]) -> None:
        self._waiting -= len(jobs)
        self._deliver_to(partial(self._tell, jobs))
        self._answered.unpark_all()
        if any(job.is_write for job in jobs):
            self.written.set()
            self.written = trio.Event()

    def _tell(self, jobs: list[Job]) -> None:
        for job in jobs:
            try:
                job.on_settled()
            except Exception as error:  # noqa: BLE001  a bug in telling one caller must not keep it from the others
                self._report_bug(error)


def _next_group(writes: deque[Job]) -> list[Job]:
    group = [writes.popleft()]
    while (
        writes
        and len(group) < GROUP_WRITES_MAX
        and not (group[-1].has_own_transaction or writes[0].has_own_transaction)
    ):
        group.append(writes.popleft())
    return group
