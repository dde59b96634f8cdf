"""A queue in which single requests do not wait for many.

Askers with a single job come first, in order of arrival; the others share every fifth turn, and spare ones.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final

from palimp_daemon.store.worker.group_commit import Job

TURN_OF_MANY: Final = 5
"""Every fifth turn goes to askers with several jobs waiting, so that they never starve."""


class FairQueue:
    """Jobs by `Job.asker`."""

    def __init__(self) -> None:
        self._single: dict[bytes, deque[Job]] = {}
        self._many: dict[bytes, deque[Job]] = {}
        self._turn = 0

    def __bool__(self) -> bool:
        return bool(self._single or self._many)

    def __iter__(self) -> Iterator[Job]:
        for jobs in (*self._single.values(), *self._many.values()):
            yield from jobs

    def append(self, job: Job) -> None:
        """Add *job* after the others of its asker."""
        if jobs := self._many.get(job.asker):
            jobs.append(job)
        elif jobs := self._single.pop(job.asker, None):
            jobs.append(job)
            self._many[job.asker] = jobs
        else:
            self._single[job.asker] = deque((job,))

    def popleft(self) -> Job:
        """Take the next job; askers with several take turns.

        Raises:
            StopIteration: there is none.
        """
        self._turn = (self._turn + 1) % TURN_OF_MANY
        is_many = not self._single or (self._turn == 0 and bool(self._many))
        askers = self._many if is_many else self._single
        asker = next(iter(askers))
        jobs = askers.pop(asker)
        job = jobs.popleft()
        if jobs:
            askers[asker] = jobs  # dicts keep order: at the end
        return job

    def clear(self) -> None:
        """Forget all jobs."""
        self._single.clear()
        self._many.clear()
