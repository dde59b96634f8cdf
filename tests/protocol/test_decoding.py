"""Bytes become requests and replies, or are refused with a sentence that names what is wrong."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.decoding import convert_arguments, decode_arguments, decode_call, decode_error, encode_error
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.operations import Recall, SaveMemory
from palimp_protocol.table import OPERATIONS

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
        ({"limit": 51}, "limit: expected `int` <= 50."),
        ({"limit": "ten"}, "limit: expected `int`, got `str`."),
        ({"quer": "x"}, "unknown field `quer`"),
        ({"kind": "memo"}, "kind: invalid enum value 'memo'."),
        ({"tags": ["x" * 51]}, "tags[0]: expected `str` of length <= 50."),
        ({"query": "a\0b"}, "query: the text holds a NUL character."),
        ({"tags": ["a\0b"]}, "tags: the text holds a NUL character."),
        ([], "expected `object`, got `array`."),
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


def test_numbers_that_models_send_as_text_are_taken():
    """Over MCP, "5" is 5 and "true" is true."""
    assert convert_arguments(RECALL, {"limit": "5", "explain": "true"}) == Recall(limit=5, explain=True)


def test_what_would_be_right_is_listed():
    """The names of the arguments, or the values of the one that is wrong."""
    with pytest.raises(PalimpError) as unknown:
        convert_arguments(RECALL, {"quer": "x"})
    with pytest.raises(PalimpError) as wrong:
        convert_arguments(SAVE, {"text": "x", "kind": "memo"})

    assert "query, id, title" in unknown.value.hint
    assert wrong.value.hint.startswith("Choose one of note, decision, architecture")


def test_a_call_needs_an_operation():
    """A REQUEST body without one is refused."""
    with pytest.raises(PalimpError, match="missing required field `operation`"):
        decode_call(b"{}")


def test_errors_survive_the_wire():
    """Code, text and hint arrive; a code of a newer daemon becomes a refusal."""
    error = PalimpError(ErrorCode.BUSY, "Too much.", "Wait.")

    arrived = decode_error(encode_error(error))

    assert (arrived.code, arrived.text, arrived.hint) == (error.code, error.text, error.hint)
    assert decode_error(b'{"code":"new_in_2030","text":"x"}').code is ErrorCode.REFUSED
