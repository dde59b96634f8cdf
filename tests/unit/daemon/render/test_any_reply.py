"""Between a handler and the socket: whatever a reply holds, its caller gets one answer and nobody else notices."""

import json
from typing import Any

import mcp_types as types
import msgspec
import pytest
import trio
from any_reply import TEXTS, Answering, check_outcome, filled, frames_for, messages_for, outcomes, tool_call, values_of
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples
from mcp.shared.exceptions import MCPError

from palimp_daemon.mcp.list_changed import Changed
from palimp_daemon.mcp.server import build_server
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import FRAME_BYTES_MAX
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import encodable
from palimp_protocol.wire.decoding import decode_error, encode_error
from palimp_protocol.wire.frames import Frame, Kind

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=examples(100))
@given(outcomes())
def test_any_outcome_of_any_operation_is_one_answer(outcome):
    """Reply, failure or bug, typed and over MCP: bytes or an error, and no exception that anybody else would meet."""
    check_outcome(*outcome)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_a_name_that_is_no_utf8_costs_its_caller_the_answer_at_most(name: str):
    """In every text of every operation's reply at once."""
    check_outcome(name, filled(msgspec.inspect.type_info(OPERATIONS[name].reply), "n\udcff\ud83d"))


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_type_of_reply_can_be_drawn(name: str):
    values_of(msgspec.inspect.type_info(OPERATIONS[name].reply)).validate()


def test_an_answer_that_fits_no_frame_is_an_error_on_both_ways():
    """It says so, and the session goes on."""
    reply = OPERATIONS["read_doc"].reply(slug="s", title="t", content="\2" * FRAME_BYTES_MAX, page=1, pages=1)
    [frame] = trio.run(frames_for, reply, Frame(Kind.REQUEST, b"id", b'{"operation":"health"}'))
    assert (frame.kind, json.loads(frame.body)["code"]) == (Kind.ERROR, "too_large")


@settings(max_examples=examples(100))
@given(st.sampled_from([Kind.HELLO, Kind.REQUEST, Kind.MCP, Kind.BYE, Kind.PING, Kind.REPLY]), JSON | st.binary())
def test_any_body_of_any_frame_is_answered_or_passed_on(kind: Kind, body: Any):
    """And the next request is served."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    hello = {"client": "c", "version": "1", "cwd": "/w", "initialize": body if not isinstance(body, bytes) else None}
    frames = [
        Frame(Kind.HELLO, b"h", json.dumps(hello).encode()),
        Frame(kind, b"k", data),
        Frame(Kind.REQUEST, b"next", b'{"operation":"health"}'),
    ]
    sent = trio.run(frames_for, OPERATIONS["context"].reply(text="t"), *frames)
    is_hello = hello["initialize"] is None or isinstance(hello["initialize"], dict)
    welcomed = [frame.kind for frame in sent if frame.id == b"h"]
    assert welcomed in ([Kind.WELCOME], [Kind.ERROR])
    assert is_hello or welcomed == [Kind.ERROR]
    assert [frame.kind for frame in sent if frame.id == b"next"] == [Kind.REPLY]


@settings(max_examples=examples(100))
@given(st.dictionaries(TEXTS | st.sampled_from(["jsonrpc", "method", "params", "id"]), JSON, max_size=4))
def test_any_initialize_of_a_client_that_reconnects_leaves_a_session_that_serves(initialize: dict[str, Any]):
    """A relay sends what its client once said, also if that was refused."""
    wire = json.loads(json.dumps(initialize))
    call = tool_call(OPERATIONS["context"] if OPERATIONS["context"].is_tool else OPERATIONS["health"])
    [message] = trio.run(lambda: messages_for(ValueError("bug"), call, initialize=wire))
    assert message["id"] == 1


@given(TEXTS, TEXTS, st.sampled_from(ErrorCode), st.sampled_from([1, 10_000]))
def test_any_error_can_be_sent(text: str, hint: str, code: ErrorCode, times: int):
    """Whatever it quotes, and however much of it."""
    body = encode_error(PalimpError(code, text * times, hint))
    assert len(body) < FRAME_BYTES_MAX // 10
    assert decode_error(body).code is code


@given(TEXTS)
def test_what_can_be_encoded_stays_and_the_rest_is_written_out(text: str):
    """Bytes of names as bytes, halves of characters by their numbers."""
    written = encodable(text)
    assert written.encode().decode() == written
    if text.encode("utf-8", "replace").decode() == text:
        assert written == text
    assert encodable("a\udcff\ud83db") == r"a\xff\ud83db"


async def test_an_answer_of_the_sdk_that_cannot_be_encoded_is_an_error_before_it_reaches_a_transport():
    """Over HTTP the SDK encodes it, and would end the stream of its session."""
    backend = Answering(None)
    [contained] = build_server(backend, Changed()).middleware

    async def answers(_: Any) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": "n\udcff"}]}

    async def fails(_: Any) -> dict[str, Any]:
        raise MCPError(types.INVALID_PARAMS, "no n\udcff")

    with pytest.raises(MCPError) as bug:
        await contained(None, answers)
    assert (bug.value.error.code, len(backend.bugs)) == (types.INTERNAL_ERROR, 1)
    with pytest.raises(MCPError) as refusal:
        await contained(None, fails)
    assert (refusal.value.error.code, refusal.value.error.message) == (types.INVALID_PARAMS, r"no n\xff")
