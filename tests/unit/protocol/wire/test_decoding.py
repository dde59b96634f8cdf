"""Bytes become requests and replies, or are refused with a sentence that names what is wrong."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memories import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.wire.decoding import convert_arguments, decode_arguments, decode_call, decode_error, encode_error

RECALL, SAVE = OPERATIONS["recall"], OPERATIONS["save_memory"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
arguments = st.dictionaries(
    st.sampled_from([*Recall.__struct_fields__, *SaveMemory.__struct_fields__, "x"]), json_values
)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"limit": 51}, "limit must be between 1 and 50 (got 51)."),
        ({"limit": "ten"}, 'limit must be a whole number, not text (got "ten").'),
        ({"quer": "x"}, "there is no argument 'quer'."),
        ({"kind": "memo"}, "kind cannot be 'memo'."),
        ({"tags": ["x" * 51]}, "tags has an entry that must have at most 50 characters (got 51)."),
        ({"tags": ["x"] * 21}, "tags must have at most 20 entries (got 21)."),
        ({"tags": [""]}, "tags has an entry that must not be empty."),
        ({"offset": -1}, "offset must be between 0 and 1,000,000 (got -1)."),
        ({"since": "7"}, "since must have between 2 and 40 characters (got 1)."),
        ({"query": "a\0b"}, "query: the text holds a NUL character."),
        ({"tags": ["a\0b"]}, "tags: the text holds a NUL character."),
        ([], "must be an object, not a list (got [])."),
    ],
)
def test_the_refusal_names_the_argument(sent, said: str):
    """The text says which argument is wrong and what would be right."""
    with pytest.raises(PalimpError) as refused:
        decode_arguments(RECALL, json.dumps(sent).encode())

    assert refused.value.code is ErrorCode.BAD_REQUEST
    assert said in refused.value.text


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"limit":NaN}'])
def test_what_is_not_json_is_refused(body: bytes):
    """Broken JSON, NaN and endless nesting are refusals, not tracebacks."""
    with pytest.raises(PalimpError):
        decode_arguments(RECALL, body)


@given(arguments)
def test_any_arguments_are_taken_or_refused(sent: dict):
    """Decoding raises nothing but PalimpError, and what it takes is within the bounds."""
    for operation in (RECALL, SAVE):
        try:
            request = convert_arguments(operation, sent)
        except PalimpError:
            continue
        assert msgspec.json.decode(msgspec.json.encode(request), type=operation.request) == request


@given(st.sampled_from(sorted(OPERATIONS)), st.data())
def test_no_refusal_speaks_the_decoders_language(name: str, data):
    """Whatever is sent to whatever operation: a sentence without its types, signs and paths."""
    operation = OPERATIONS[name]
    fields = st.sampled_from([field.encode_name for field in msgspec.structs.fields(operation.request)] or ["x"])
    values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text() | st.integers())
    sent = data.draw(st.dictionaries(fields | st.text("xyz", max_size=3), values, max_size=3))
    for decode in (
        lambda: convert_arguments(operation, sent),
        lambda: decode_arguments(operation, msgspec.json.encode(sent)),
    ):
        try:
            decode()
        except PalimpError as refused:
            said = refused.text.removeprefix(f"{name}: ").partition(" (got")[0]
            assert not any(sign in said for sign in ("`", "$", "<=", ">=", "Expected", "enum")) or "cannot be" in said
            assert refused.text.endswith(".")


def test_numbers_that_models_send_as_text_are_taken():
    """Over MCP, "5" is 5 and "true" is true."""
    assert convert_arguments(RECALL, {"limit": "5", "explain": "true"}) == Recall(limit=5, explain=True)


def test_what_would_be_right_is_listed():
    """The names of the arguments, or the values of the one that is wrong."""
    with pytest.raises(PalimpError) as unknown:
        convert_arguments(RECALL, {"quer": "x"})
    with pytest.raises(PalimpError) as wrong:
        convert_arguments(SAVE, {"text": "x", "kind": "memo"})

    assert "query, about, id, title" in unknown.value.hint
    assert wrong.value.hint.startswith("Choose one of note, decision, architecture")


def test_a_call_needs_an_operation():
    """A REQUEST body without one is refused."""
    with pytest.raises(PalimpError, match="operation is missing"):
        decode_call(b"{}")


def test_errors_survive_the_wire():
    """Code, text and hint arrive; a code of a newer daemon becomes a refusal."""
    error = PalimpError(ErrorCode.BUSY, "Too much.", "Wait.")

    arrived = decode_error(encode_error(error))

    assert (arrived.code, arrived.text, arrived.hint) == (error.code, error.text, error.hint)
    assert decode_error(b'{"code":"new_in_2030","text":"x"}').code is ErrorCode.REFUSED
