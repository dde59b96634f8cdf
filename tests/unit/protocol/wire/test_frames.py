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


def test_another_version_is_named():
    """The refusal says both versions and what to do."""
    with pytest.raises(FrameError, match=f"version 9 .* version {PROTOCOL_VERSION}") as refused:
        decode([bytes((9, Kind.PING)), b"", b""])

    assert "palimp stop" in refused.value.hint


@pytest.mark.parametrize(
    ("frame_id", "body"), [(b"i" * (FRAME_ID_BYTES_MAX + 1), b""), (b"", b"b" * (FRAME_BYTES_MAX + 1))]
)
def test_what_is_over_a_bound_is_not_sent(frame_id: bytes, body: bytes):
    """An id or a body over its bound is refused before anything is sent."""
    with pytest.raises(FrameError) as refused:
        encode(Frame(Kind.REQUEST, frame_id, body))

    assert refused.value.code is ErrorCode.TOO_LARGE


def test_ids_are_unique_within_and_between_clients():
    """Two clients never make the same id."""
    one, other = frame_ids(b"a" * 16), frame_ids(b"b" * 16)
    made = [next(one), next(one), next(other), next(other)]

    assert len(set(made)) == 4
