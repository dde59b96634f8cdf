"""Bytes become requests and replies, or are refused with a sentence that names what is wrong."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.messages.caller import Call, Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.operations.operation import FOR_TERMINALS
from palimp_protocol.wire.decoding import (
    convert_arguments,
    decode_arguments,
    decode_call,
    decode_error,
    encode_call,
    encode_error,
)

RECALL, SAVE = OPERATIONS["recall"], OPERATIONS["save_memory"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
arguments = st.dictionaries(
    st.sampled_from([*Recall.__struct_fields__, *SaveMemory.__struct_fields__, "x"]), json_values
)


KINDS = (
    "Choose one of note, decision, architecture, finding, fix, correction, preference, question, summary, doc,"
    " removed-code, conversation, commit, claude-memory."
)
THERE_ARE = f"There are: {', '.join(name for name in Recall.__struct_fields__ if name not in FOR_TERMINALS)}."


@pytest.mark.parametrize(
    ("sent", "said", "hint"),
    [
        ({"limit": 51}, "limit must be between 1 and 50 (got 51).", ""),
        ({"limit": "ten"}, 'limit must be a whole number, not text (got "ten").', ""),
        ({"limit": 1.5}, "limit must be a whole number, not a number (got 1.5).", ""),
        ({"limit": [1, 2]}, "limit must be a whole number, not a list (got [1,2]).", ""),
        ({"limit": {"a": "b" * 52}}, f'limit must be a whole number, not an object (got {{"a":"{"b" * 52}"}}).', ""),
        ({"limit": {"a": "b" * 53}}, f'limit must be a whole number, not an object (got {{"a":"{"b" * 53}"…).', ""),
        ({"explain": 3}, "explain must be true or false, not a whole number (got 3).", ""),
        ({"quer": "x"}, "there is no argument 'quer'.", THERE_ARE),
        ({"kind": "memo"}, "kind cannot be 'memo'.", KINDS),
        ({"kind": "memo " * 20}, f"kind cannot be '{('memo ' * 12)[:59]}.", KINDS),
        ({"tags": "y"}, 'tags must be a list, not text (got "y").', ""),
        ({"tags": ["a", 3]}, "tags has an entry that must be text, not a whole number (got 3).", ""),
        ({"tags": ["x" * 51]}, "tags has an entry that must have at most 50 characters (got 51).", ""),
        ({"tags": ["x"] * 21}, "tags must have at most 20 entries (got 21).", ""),
        ({"tags": [""]}, "tags has an entry that must not be empty.", ""),
        ({"offset": -1}, "offset must be between 0 and 1,000,000 (got -1).", ""),
        ({"since": "7"}, "since must have between 2 and 40 characters (got 1).", ""),
        ({"query": "x" * 10_001}, "query must have at most 10,000 characters (got 10,001).", ""),
        ([], "must be an object, not a list (got []).", ""),
        ("x", 'must be an object, not text (got "x").', ""),
    ],
)
def test_the_refusal_names_the_argument(sent, said: str, hint: str):
    """The text says which argument is wrong, what would be right and what came; the hint lists choices."""
    with pytest.raises(PalimpError) as refused:
        decode_arguments(RECALL, json.dumps(sent).encode())

    assert (refused.value.code, refused.value.text) == (ErrorCode.BAD_REQUEST, f"recall: {said}")
    assert refused.value.hint == hint


@pytest.mark.parametrize(("argument", "value"), [("query", "a\0b"), ("tags", ["a", "a\0b"])])
def test_nul_is_refused(argument: str, value):
    """In a text as in each entry of a list."""
    with pytest.raises(PalimpError) as refused:
        decode_arguments(RECALL, json.dumps({argument: value}).encode())

    assert refused.value.code is ErrorCode.BAD_REQUEST
    assert str(refused.value) == f"{argument}: the text holds a NUL character. Send it without."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{}", "request: operation is missing."),
        (b"[]", "request: must be an object, not a list."),
        (b'{"operation": 3}', "request: operation must be text, not a whole number."),
        (b"{", "request: input data was truncated."),
        (b'{"operation":"x","arguments":' + b"[" * 100_000, "request: the JSON is nested too deeply."),
    ],
)
def test_a_call_that_is_none_is_refused(body: bytes, said: str):
    """By what is wrong with it, and without a value that nobody sent."""
    with pytest.raises(PalimpError) as refused:
        decode_call(body)

    assert (refused.value.code, refused.value.text, refused.value.hint) == (ErrorCode.BAD_REQUEST, said, "")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "text is missing."),
        ({"text": ""}, "text must not be empty."),
        ({"text": "x", "replaces": ["a" * 41]}, "replaces has an entry that must have at most 40 characters (got 41)."),
    ],
)
def test_bounds_are_named_of_arguments_that_a_client_parsed(sent: dict, said: str):
    """The same sentences over MCP."""
    with pytest.raises(PalimpError) as refused:
        convert_arguments(SAVE, sent)

    assert (refused.value.code, refused.value.text) == (ErrorCode.BAD_REQUEST, f"save_memory: {said}")


def test_surrogates_of_a_client_are_mended_in_a_call():
    """A lone surrogate becomes U+FFFD in the request and in the caller, and everything else arrives as it was."""
    session = SessionRef("s", "codex")
    caller = Caller(project=ProjectRef("/work/\ud83d", "one"), session=session, zone="Europe/Berlin")
    call = Call(operation="save_memory", arguments=msgspec.Raw(b"{}"), caller=caller, store="/home/me")

    sent = decode_call(encode_call(call, SaveMemory(text="half \ud83d", tags=["a\ud83d", "b"])))

    assert (sent.operation, sent.store) == ("save_memory", "/home/me")
    assert sent.caller == Caller(
        project=ProjectRef("/work/\ufffd", "one"), session=SessionRef("s", "codex"), zone="Europe/Berlin"
    )
    assert decode_arguments(SAVE, bytes(sent.arguments)) == SaveMemory(text="half \ufffd", tags=["a\ufffd", "b"])


def test_a_text_of_another_encoding_is_refused():
    """Bytes that a terminal could not decode: the sentence says where, and the hint what to do."""
    call = Call(operation="save_memory", arguments=msgspec.Raw(b"{}"))
    with pytest.raises(PalimpError) as refused:
        encode_call(call, SaveMemory(text="na\udcefve"))

    assert refused.value.code is ErrorCode.BAD_REQUEST
    assert refused.value.text == "The input is no UTF-8 text (character 3 of it)."
    assert refused.value.hint == "Convert it first (iconv), or leave that out."


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


def test_errors_survive_the_wire():
    """Code, text and hint arrive; a code of a newer daemon becomes a refusal."""
    error = PalimpError(ErrorCode.BUSY, "Too much.", "Wait.")

    arrived = decode_error(encode_error(error))

    assert (arrived.code, arrived.text, arrived.hint) == (error.code, error.text, error.hint)
    assert decode_error(b'{"code":"new_in_2030","text":"x"}').code is ErrorCode.REFUSED


def test_an_error_that_says_nothing_is_a_refusal():
    arrived = decode_error(b"{}")

    assert (arrived.code, arrived.text, arrived.hint) == (ErrorCode.REFUSED, "", "")


def test_an_error_is_cut_to_what_a_frame_may_say():
    """Up to the bound it is whole, and beyond it ends in an ellipsis."""
    whole, over = "x" * ERROR_CHARACTERS_MAX, "y" * (ERROR_CHARACTERS_MAX + 1)

    sent = json.loads(encode_error(PalimpError(ErrorCode.REFUSED, whole, over)))

    assert sent == {"code": "refused", "text": whole, "hint": over[:-2] + "…"}
