"""Whoever asks for much waits for it; whoever asks for little does not wait for that."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.fair_queue import FairQueue
from palimp_daemon.group_commit import Job


def job(asker: bytes) -> Job:
    made = Job(lambda _: None, is_write=False)
    made.asker = asker
    return made


def drained(queue: FairQueue) -> list[Job]:
    taken = []
    while queue:
        taken.append(queue.popleft())
    return taken


def test_the_one_question_of_another_comes_second():
    queue = FairQueue()
    flood = [job(b"flood") for _ in range(100)]
    for each in flood:
        queue.append(each)
    other = job(b"other")
    queue.append(other)
    assert drained(queue)[:3] == [flood[0], other, flood[1]]


@given(st.lists(st.sampled_from([b"a", b"b", b"c"])))
def test_each_job_is_taken_once_and_those_of_one_asker_in_order(askers: list[bytes]):
    queue = FairQueue()
    jobs = [job(asker) for asker in askers]
    for each in jobs:
        queue.append(each)
    assert set(queue) == set(jobs)
    taken = drained(queue)
    assert len(taken) == len(jobs)
    for asker in set(askers):
        assert [each for each in taken if each.asker == asker] == [each for each in jobs if each.asker == asker]
