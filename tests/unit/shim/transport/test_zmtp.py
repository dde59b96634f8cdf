"""What a client says and understands of ZMTP, byte by byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.limits import FRAME_BYTES_MAX
from palimp_shim.transport.zmtp import OPENING, PARTS_MAX, Decoder, ZmtpError, encode_message

GREETING, READY = OPENING[:64], OPENING[64:]
PING = b"\x04\x09\x04PING\x00\x0fab"


@pytest.fixture
def ready() -> Decoder:
    """A decoder to which the other side has said READY."""
    decoder = Decoder()
    decoder.feed(OPENING)
    return decoder


@given(
    messages=st.lists(st.lists(st.binary(max_size=300), min_size=1, max_size=PARTS_MAX), max_size=5),
    piece=st.integers(1, 700),
)
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages, piece):
    decoder, taken = Decoder(), []
    stream = OPENING + b"".join(map(encode_message, messages))
    for at in range(0, len(stream), piece):
        taken += decoder.feed(stream[at : at + piece])
    assert taken == messages


@given(data=st.binary(max_size=300), greeted=st.booleans())
def test_any_bytes_are_messages_or_an_error(data, greeted):
    decoder = Decoder()
    try:
        messages = decoder.feed((OPENING if greeted else b"") + data)
    except ZmtpError:
        return
    assert all(isinstance(part, bytes) for parts in messages for part in parts)


def test_it_is_ready_when_the_other_side_says_so():
    decoder = Decoder()
    decoder.feed(GREETING)
    assert not decoder.is_ready
    decoder.feed(READY)
    assert decoder.is_ready


def test_a_heartbeat_is_answered_with_what_it_carries(ready):
    assert ready.feed(PING) == []
    assert ready.replies == b"\x04\x07\x04PONGab"


def test_a_heartbeat_between_the_parts_of_a_message_changes_nothing(ready):
    message = encode_message([b"one", b"two"])
    assert ready.feed(message[:5] + PING + message[5:]) == [[b"one", b"two"]]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"HTTP/1.1 400 Bad Request", "does not speak ZMTP"),
        (b"\xff" + b"\0" * 8 + b"\x7e", "does not speak ZMTP"),
        (GREETING[:10] + b"\x01" + GREETING[11:], "another version"),
        (GREETING.replace(b"NULL", b"PLAI"), "another version"),
        (GREETING + encode_message([b"too soon"]), "no message"),
        (OPENING + b"\x02" + (FRAME_BYTES_MAX + 1).to_bytes(8, "big"), "no message"),
        (OPENING + b"\x01\x00" * (PARTS_MAX + 1), "no message"),
        (GREETING + b"\x04\x0d\x05ERROR\x06no way", "refused the connection: no way"),
    ],
)
def test_what_is_no_zmtp_is_an_error(data, says):
    with pytest.raises(ZmtpError, match=says):
        Decoder().feed(data)
