"""Proposals are kept, dropped and confirmed, and everything that shows them says what they are."""

import pytest
from request_contexts import NOON_MS

from palimp_daemon.features.capture.capture_handlers import CaptureResult, keep_gathered
from palimp_daemon.features.capture.extract import Extract
from palimp_daemon.features.memories.digest_material import material
from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.merging import Pair
from palimp_daemon.features.memories.pinning import pin_memories
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.superseding import supersede
from palimp_daemon.features.memories.undoing import undo
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memory_merge import mark_merged
from palimp_daemon.store.tables.proposals import ReviewReminder, inbox_told, note_inbox_told
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import Undo
from palimp_protocol.messages.links import EditMemory, Pin, Supersede
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.messages.review_messages import Review

CENTS = "Money is kept in integer cents, because floats lost one in March."


@pytest.fixture
def captured(request_context):
    """Captures texts as proposals and returns their ids."""

    def capture(*texts: str, session: str = "s1", **more) -> list[str]:
        gathered = CaptureResult([Extract("decision", text, **more) for text in texts], len(texts))
        return [each.id for each in keep_gathered(request_context(session=session), gathered, Redactor()).memories]

    return capture


@pytest.fixture
def waiting(request_context):
    """Returns the ids of the proposals that wait."""
    return lambda: [each.id for each in review(request_context(), Review()).proposals]


def test_what_is_captured_waits_and_recall_says_so(request_context, captured, waiting):
    [one] = captured(CENTS)
    save_memory(request_context(), SaveMemory(text="Retries are five."))
    assert waiting() == [one]
    assert {each.is_proposal for each in recall(request_context(), Recall(query="integer cents")).memories} == {True}
    assert [each.is_proposal for each in recall(request_context(), Recall()).memories] == [False, True]


def test_what_was_asked_to_be_remembered_does_not_wait(captured, waiting):
    captured(CENTS, is_asked_for=True)
    assert waiting() == []


def test_they_are_kept_and_dropped_by_name(request_context, captured, waiting):
    one, two, three = captured(CENTS, "Dates are shown as YYYY-MM-DD.", "Retries are five.")
    reply = review(request_context(), Review(keep=[one, "m0nothing"], drop=[two]))
    assert [each.id for each in reply.kept] == [one]
    assert [each.id for each in reply.dropped] == [two]
    assert (len(reply.unknown), reply.total, waiting()) == (1, 1, [three])
    assert review(request_context(), Review(keep=[one], drop=[two])).unchanged == [one, two]
    assert recall(request_context(), Recall(id=two, include_purged=True)).memories[0].purged_at is not None


def test_what_is_to_be_kept_and_dropped_is_neither(request_context, captured, waiting):
    [one] = captured(CENTS)
    with pytest.raises(PalimpError, match=f"^{one}: named twice"):
        review(request_context(), Review(keep=[one], drop=[one]))
    assert waiting() == [one]


def test_one_project_does_not_see_the_proposals_of_another(request_context, captured):
    captured(CENTS)
    assert review(request_context("/work/two"), Review()).total == 0


@pytest.mark.parametrize("said", [CENTS, "We keep money in integer cents, because floats lost one in March."])
def test_a_save_that_says_the_same_confirms_one(request_context, captured, waiting, said):
    captured(CENTS)
    save_memory(request_context(), SaveMemory(text=said, kind="decision"))
    assert waiting() == []
    assert len(recall(request_context(), Recall(query="integer cents")).memories) == 1


def test_a_save_that_says_something_else_confirms_none(request_context, captured, waiting):
    [one] = captured(CENTS)
    save_memory(request_context(), SaveMemory(text=CENTS.replace("is kept", "is not kept"), kind="decision"))
    assert waiting() == [one]


def test_a_pin_or_a_link_of_somebody_confirms_one(request_context, captured, waiting):
    one, two, three = captured(CENTS, "Dates are shown as YYYY-MM-DD.", "Retries are five.")
    old = save_memory(request_context(), SaveMemory(text="Dates are shown as the device wants.")).id
    pin_memories(request_context(), Pin(ids=[one]))
    supersede(request_context(), Supersede(older=old, newer=two))
    assert waiting() == [three]


def test_an_edited_one_is_confirmed_and_waits_again_when_that_is_undone(request_context, captured, waiting):
    [one] = captured(CENTS)
    edit(request_context(), with_clean_texts(Redactor(), EditMemory(id=one, text="Money is kept in cents.")))
    assert waiting() == []
    undo(request_context(), Undo())
    assert waiting() == [one]


def test_the_same_in_another_session_confirms_one_and_in_its_own_does_not(captured, waiting):
    [one] = captured(CENTS)
    assert captured(f"So: {CENTS}") == []
    assert waiting() == [one]
    assert captured(f"As we said: {CENTS}", session="s2") == []
    assert waiting() == []


def test_what_was_confirmed_does_not_wait_under_what_was_not(request_context, captured, waiting):
    old = save_memory(request_context(), SaveMemory(text="Retries are five, as in the manual.")).id
    new, other = captured(CENTS, "Money is kept in cents.")
    store, project = request_context().store, 1
    mark_merged(store, project, [Pair(older=1, newer=2, why="the same")], NOON_MS)
    assert recall(request_context(), Recall(id=old)).memories[0].superseded_by == new
    assert waiting() == [other]
    mark_merged(store, project, [Pair(older=2, newer=3, why="the same")], NOON_MS)
    assert waiting() == []


def test_a_digest_tells_of_none(request_context, captured):
    captured(CENTS)
    save_memory(request_context(), SaveMemory(text="Retries are five.", kind="decision"))
    told = material(request_context().caller, 0, 2**62, request_context().store)
    assert told.memories == 1
    assert [line.title for section in told.sections for line in section.lines] == ["Retries are five"]


def test_an_inbox_that_was_worked_through_grows_from_there(request_context, captured):
    one, two = captured(CENTS, "Retries are five.")
    store = request_context().store
    project = project_row(store, request_context().caller)
    note_inbox_told(store, project, ReviewReminder(5, 2))
    review(request_context(), Review(keep=[one], drop=[two]))
    assert inbox_told(store, project) == ReviewReminder(5, 0)
