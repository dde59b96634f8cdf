"""Which messages are plain calls, and which only the SDK judges."""

import json
from typing import Any

import pytest

from palimp_daemon.mcp.plain_calls import VERSION_KEY, plain_answer, plain_call_in
from palimp_daemon.mcp.tool_calls import ToolText

PLAIN: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "recall", "arguments": {"query": "why"}},
}


def read(**changes: Any):
    return plain_call_in(json.dumps({**PLAIN, **changes}).encode())


@pytest.mark.parametrize("request_id", [0, "one", "", -7])
def test_a_call_is_read_with_its_id(request_id: Any):
    call = read(id=request_id)
    assert call is not None
    assert (call.id, call.params.name, call.params.arguments) == (request_id, "recall", {"query": "why"})
    assert json.loads(plain_answer(call.id, ToolText("x")))["id"] == request_id


def test_a_call_may_have_meta_and_no_arguments():
    call = read(params={"name": "recall", "_meta": {"progressToken": 4, "x-codex": {"a": 1}}})
    assert call is not None
    assert call.params.arguments is None


@pytest.mark.parametrize(
    "changes",
    [
        {"id": 1.0},
        {"id": True},
        {"id": None},
        {"jsonrpc": "1.0"},
        {"method": "tools/list"},
        {"extra": "tools/call"},
        {"params": {"name": "recall", "task": {}}},
        {"params": {"name": 1}},
        {"params": {"name": "recall", "arguments": []}},
        {"params": {"name": "recall", "_meta": None}},
        {"params": {"name": "recall", "_meta": {VERSION_KEY: "2026-07-28"}}},
        {"params": {"name": "recall", "_meta": {"progressToken": True}}},
        {"params": {"name": "recall", "_meta": {"progressToken": []}}},
        {"params": {"name": "\ud800"}},
    ],
)
def test_everything_else_is_left_to_the_sdk(changes: dict[str, Any]):
    assert read(**changes) is None


@pytest.mark.parametrize(
    "body", [b"", b"tools/call", b'"tools/call"', b"[" * 100_000 + b'"tools/call"', b'\xff"tools/call"']
)
def test_what_is_no_json_object_is_left_to_the_sdk(body: bytes):
    assert plain_call_in(body) is None
