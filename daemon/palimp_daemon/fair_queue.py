"""A queue in which everybody gets their turn: the next job of each who waits, round and round.

In the order of arrival, one client that asks for a thousand things lets all others wait for a thousand answers.
"""

from collections import deque
from collections.abc import Iterator

from palimp_daemon.group_commit import Job


class FairQueue:
    """Jobs by who asked for them (`Job.asker`)."""

    def __init__(self) -> None:
        self._askers: dict[bytes, deque[Job]] = {}

    def __bool__(self) -> bool:
        return bool(self._askers)

    def __iter__(self) -> Iterator[Job]:
        for jobs in self._askers.values():
            yield from jobs

    def append(self, job: Job) -> None:
        """Add *job* behind the others of the same asker."""
        self._askers.setdefault(job.asker, deque()).append(job)

    def popleft(self) -> Job:
        """Take the next job of whoever has waited longest; the others of the same asker wait for their turn again.

        Raises:
            StopIteration: there is none.
        """
        asker = next(iter(self._askers))
        jobs = self._askers.pop(asker)
        job = jobs.popleft()
        if jobs:
            self._askers[asker] = jobs  # dicts keep order: at the end
        return job

    def clear(self) -> None:
        """Forget all."""
        self._askers.clear()
