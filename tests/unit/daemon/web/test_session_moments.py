"""The timeline of a session says what became of each thing it did."""

from palimp_daemon.web.session_moments import Moment, moments_of
from palimp_protocol.messages.memory_messages import History, HistoryLink, Memory, Version
from palimp_protocol.messages.session_messages import Given, SessionEvent, SessionList


def test_moments_are_in_order_and_say_what_was_changed_captured_and_taken_out():
    history = History(
        versions=[Version(id="m1", title="Before", created_at=1), Version(id="m2", title="After", created_at=2)],
        links=[HistoryLink(name="link1", newer="m2", older="m1", relation="replaces", said_by="agent", at=2)],
    )
    memories = [
        Memory(id="m2", title="After", kind="decision", created_at=2, history=history),
        Memory(id="m3", title="Heard", kind="fix", created_at=3, source="transcript"),
        Memory(id="m4", title="Wrong", kind="note", created_at=4, purged_at=9),
    ]
    reply = SessionList(
        sessions=[],
        total=1,
        events=[
            SessionEvent(at=2, what="decision", id="m2", title="After"),
            SessionEvent(at=3, what="fix", id="m3", title="Heard"),
            SessionEvent(at=4, what="note", id="m4", title="Wrong"),
            SessionEvent(at=5, what="removed-code", id="h1", title="client.py"),
        ],
        given=[Given(at=1, occasion="start", id="m0", title="Old", why="pinned")],
    )
    assert moments_of(reply, {each.id: each for each in memories}) == [
        Moment(1, "given, start", "m0", "Old", "pinned"),
        Moment(2, "changed, decision", "m2", "After", former="Before"),
        Moment(3, "captured, fix", "m3", "Heard"),
        Moment(4, "saved, note", "m4", "Wrong", is_gone=True),
        Moment(5, "took out code", "h1", "client.py"),
    ]
