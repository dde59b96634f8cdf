"""Frames: what goes in comes out, and nothing that comes in can do more than be refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.errors import ErrorCode, FrameError
from palimp_protocol.limits import FRAME_BYTES_MAX, FRAME_ID_BYTES_MAX
from palimp_protocol.wire.frames import PROTOCOL_VERSION, Frame, Kind, decode, encode, frame_ids

frames = st.builds(Frame, st.sampled_from(Kind), st.binary(max_size=FRAME_ID_BYTES_MAX), st.binary(max_size=200))


@given(frames)
def test_a_frame_survives_the_wire(frame: Frame):
    """Decoding what was encoded gives the frame back."""
    assert decode(encode(frame)) == frame


@given(st.lists(st.binary(max_size=80), max_size=6))
def test_any_parts_are_a_frame_or_refused(parts: list[bytes]):
    """Decoding raises nothing but FrameError."""
    try:
        decoded = decode(parts)
    except FrameError as error:
        assert error.code in (ErrorCode.BAD_FRAME, ErrorCode.UNSUPPORTED_VERSION, ErrorCode.TOO_LARGE)
    else:
        assert encode(decoded) == parts


@pytest.mark.parametrize(
    ("parts", "code", "said", "hint"),
    [
        ([b""] * 2, ErrorCode.BAD_FRAME, "A message has 3 parts; this one has fewer.", ""),
        ([b""] * 4, ErrorCode.BAD_FRAME, "A message has 3 parts; this one has more.", ""),
        ([b"a", b"", b""], ErrorCode.BAD_FRAME, "The first part of a message has 2 bytes; this one has 1.", ""),
        (
            [bytes((9, Kind.PING)), b"", b""],
            ErrorCode.UNSUPPORTED_VERSION,
            f"The peer speaks version 9 of the protocol; this side speaks version {PROTOCOL_VERSION}.",
            "Update palimp on both sides: `palimp stop`, then start a new session.",
        ),
        (
            [bytes((PROTOCOL_VERSION, 99)), b"", b""],
            ErrorCode.BAD_FRAME,
            "No frame kind has the number 99.",
            "",
        ),
    ],
)
def test_what_is_no_frame_is_named(parts: list[bytes], code: ErrorCode, said: str, hint: str):
    """By what is wrong, and by what to do where the other side is of another version."""
    with pytest.raises(FrameError) as refused:
        decode(parts)

    assert (refused.value.code, refused.value.text, refused.value.hint) == (code, said, hint)


TOO_LONG_AN_ID = f"A frame id has at most {FRAME_ID_BYTES_MAX} bytes; this one has {FRAME_ID_BYTES_MAX + 1}."
TOO_LARGE = f"A message has at most {FRAME_BYTES_MAX:,} bytes; this one has {FRAME_BYTES_MAX + 1:,}."


@pytest.mark.parametrize(
    ("frame_id", "body", "said", "hint"),
    [
        (b"i" * (FRAME_ID_BYTES_MAX + 1), b"", TOO_LONG_AN_ID, ""),
        (b"", b"b" * (FRAME_BYTES_MAX + 1), TOO_LARGE, "Send it in smaller pieces."),
    ],
)
def test_what_is_over_a_bound_is_neither_sent_nor_taken(frame_id: bytes, body: bytes, said: str, hint: str):
    """An id or a body over its bound is refused on both sides; one at its bound is not."""
    for refusing in (
        lambda: encode(Frame(Kind.REQUEST, frame_id, body)),
        lambda: decode([bytes((PROTOCOL_VERSION, Kind.REQUEST)), frame_id, body]),
    ):
        with pytest.raises(FrameError) as refused:
            refusing()
        assert (refused.value.code, refused.value.text, refused.value.hint) == (ErrorCode.TOO_LARGE, said, hint)
    at_bound = Frame(Kind.REQUEST, frame_id[1:], body[1:])
    assert decode(encode(at_bound)) == at_bound


def test_ids_are_unique_within_and_between_clients():
    """Two clients never make the same id: each counts from one, behind its own bytes, the highest digit first."""
    one, other = frame_ids(b"a" * 16), frame_ids(b"b" * 16)
    made = [next(one), next(one), next(other)]

    assert made == [b"a" * 16 + bytes(7) + b"\x01", b"a" * 16 + bytes(7) + b"\x02", b"b" * 16 + bytes(7) + b"\x01"]
