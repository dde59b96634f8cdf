"""What may go to the daemon, and what waits in the relay."""

import pytest

from palimp_protocol.limits import IN_FLIGHT_MAX
from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.relay.send_window import SendWindow


@pytest.fixture
def awaited() -> set[bytes]:
    """The ids of requests without an answer."""
    return set()


@pytest.fixture
def outgoing(awaited: set[bytes]) -> SendWindow:
    return SendWindow(awaited.__contains__)


def put(outgoing: SendWindow, awaited: set[bytes], *ids: bytes) -> None:
    """Put requests with *ids*."""
    awaited.update(ids)
    for each in ids:
        outgoing.put(Frame(Kind.MCP, each))


def taken(outgoing: SendWindow) -> list[bytes]:
    """Take what may go and return the ids."""
    return [frame.id for frame in iter(outgoing.take, None)]


def test_frames_go_in_order(outgoing: SendWindow, awaited: set[bytes]):
    put(outgoing, awaited, b"1")
    outgoing.put(Frame(Kind.MCP, b"notification"))
    put(outgoing, awaited, b"2")

    assert taken(outgoing) == [b"1", b"notification", b"2"]
    assert len(outgoing) == 0


def test_a_request_waits_while_too_many_have_no_answer(outgoing: SendWindow, awaited: set[bytes]):
    ids = [b"%d" % number for number in range(IN_FLIGHT_MAX + 3)]
    put(outgoing, awaited, *ids)
    assert taken(outgoing) == ids[:IN_FLIGHT_MAX]

    awaited -= {ids[0], ids[7]}  # answered

    assert taken(outgoing) == ids[IN_FLIGHT_MAX : IN_FLIGHT_MAX + 2]
    assert len(outgoing) == 1


def test_what_needs_no_answer_does_not_wait_behind_what_does(outgoing: SendWindow, awaited: set[bytes]):
    """A heartbeat, a cancellation, a request that was cancelled before it went."""
    ids = [b"%d" % number for number in range(IN_FLIGHT_MAX + 2)]
    put(outgoing, awaited, *ids)
    outgoing.put(Frame(Kind.PING, b"ping"))
    assert taken(outgoing) == [*ids[:IN_FLIGHT_MAX], b"ping"]

    awaited.remove(ids[-1])

    assert taken(outgoing) == [ids[-1]]


def test_on_a_new_connection_nothing_is_on_its_way(outgoing: SendWindow, awaited: set[bytes]):
    ids = [b"%d" % number for number in range(IN_FLIGHT_MAX + 1)]
    put(outgoing, awaited, *ids)
    taken(outgoing)

    outgoing.start_over(Frame(Kind.MCP, each) for each in ids)

    assert taken(outgoing) == ids[:IN_FLIGHT_MAX]
    outgoing.start_over()
    assert len(outgoing) == 0
