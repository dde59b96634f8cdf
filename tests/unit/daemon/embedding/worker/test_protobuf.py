"""Whatever a message has in it, it is the same when it was read and written again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.embedding.worker.protobuf import (
    BYTES,
    VARINT,
    Field,
    WireFormatError,
    data,
    fields,
    message,
    number,
    text,
)

NUMBERS = st.integers(1, 1 << 20)
FIELDS = st.one_of(
    st.builds(Field, NUMBERS, st.just(VARINT), st.integers(0, (1 << 64) - 1)),
    st.builds(Field, NUMBERS, st.just(BYTES), st.binary(max_size=300)),
    st.builds(Field, NUMBERS, st.just(1), st.binary(min_size=8, max_size=8)),
    st.builds(Field, NUMBERS, st.just(5), st.binary(min_size=4, max_size=4)),
)


@given(st.lists(FIELDS))
def test_what_was_written_is_read(written: list[Field]):
    assert fields(message(written)) == written


@given(st.lists(FIELDS, min_size=1), st.data())
def test_a_message_that_was_cut_off_is_refused_or_has_fewer_fields(written: list[Field], draws: st.DataObject):
    whole = message(written)
    cut = whole[: draws.draw(st.integers(0, len(whole) - 1))]
    try:
        found = fields(cut)
    except WireFormatError:
        return
    assert message(found) == cut


@given(st.binary(max_size=200))
def test_bytes_are_read_or_refused(anything: bytes):
    try:
        fields(anything)
    except WireFormatError as error:
        assert str(error)


def test_messages_are_encoded_as_protobuf_says():
    """The examples of its documentation."""
    assert message([number(1, 150)]) == bytes.fromhex("089601")
    assert message([text(2, "testing")]) == bytes.fromhex("120774657374696e67")
    assert message([data(3, bytes.fromhex("089601"))]) == bytes.fromhex("1a03089601")


def test_groups_which_are_gone_from_protobuf_are_refused():
    with pytest.raises(WireFormatError, match="kind 3"):
        fields(bytes([1 << 3 | 3]))
