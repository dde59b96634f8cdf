"""Whoever asks for much waits for it; whoever asks for little does not wait for that."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.store.worker.fair_queue import TURN_OF_MANY, FairQueue
from palimp_daemon.store.worker.group_commit import Job


def job(asker: bytes) -> Job:
    made = Job(lambda _: None, is_write=False)
    made.for_asker(asker)
    return made


def drained(queue: FairQueue) -> list[Job]:
    taken = []
    while queue:
        taken.append(queue.popleft())
    return taken


def test_the_one_question_of_another_comes_before_the_rest_of_many():
    queue = FairQueue()
    flood = [job(b"flood") for _ in range(100)]
    for each in flood:
        queue.append(each)
    other = job(b"other")
    queue.append(other)
    assert drained(queue)[:2] == [other, flood[0]]


def test_those_who_ask_for_one_thing_are_served_as_they_came():
    queue = FairQueue()
    singles = [job(bytes((number,))) for number in range(50)]
    for each in singles:
        queue.append(each)
    assert drained(queue) == singles


def test_those_with_many_have_their_turns_however_many_others_come():
    """Every fifth, and each of them one before another has a second."""
    queue = FairQueue()
    for _ in range(3):
        queue.append(job(b"one flood"))
        queue.append(job(b"other flood"))
    taken = []
    for number in range(4 * TURN_OF_MANY):
        queue.append(job(b"single%d" % number))
        taken.append(queue.popleft().asker)
    assert taken[TURN_OF_MANY - 1 :: TURN_OF_MANY] == [b"one flood", b"other flood"] * 2
    assert sum(asker.endswith(b"flood") for asker in taken) == 4


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
