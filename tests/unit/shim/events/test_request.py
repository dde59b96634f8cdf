"""The request that tells the daemon of an event is one that it takes, however long what is told is."""

from pathlib import Path
from typing import Any

import pytest

from palimp_clients.hooks.event import HookEvent
from palimp_protocol.limits import HOOK_INPUT_BYTES_MAX, SESSION_CHARACTERS_MAX
from palimp_protocol.operations import operation_named
from palimp_protocol.wire.decoding import decode_arguments, decode_call
from palimp_shim.events.request import body_of, call_of

LONG = "größe\ud800 " * (HOOK_INPUT_BYTES_MAX // 8)


def sent(tmp_path: Path, session: str = "s1", **given: Any) -> tuple[Any, Any]:
    """Return who asks and what, as the daemon decodes it."""
    event = HookEvent("PostToolUse", session, str(tmp_path), given)
    body = body_of(event, "qwen", "", {"HOME": str(tmp_path)})
    assert len(body) <= HOOK_INPUT_BYTES_MAX
    call = decode_call(body)
    return call.caller, decode_arguments(operation_named("hook"), bytes(call.arguments))


@pytest.mark.parametrize("session", ["s1", "ぬ" * 999])
def test_a_session_has_no_endless_name(tmp_path: Path, session: str):
    caller, _ = sent(tmp_path, session)
    assert caller.session.key == session[:SESSION_CHARACTERS_MAX]


def test_who_names_no_session_has_none():
    assert call_of("statusline", None, "", "claude-code", {})["caller"]["session"] is None


def test_of_an_edit_that_is_too_large_its_file_is_told(tmp_path: Path):
    about = {"file_path": "/家/größe.py"}
    _, told = sent(tmp_path, tool_name="Write", tool_input={**about, "content": LONG}, tool_response={"x": LONG})
    assert told.input == {"tool_name": "Write", "tool_input": about, "is_cut": True}


def test_the_former_text_is_left_out_first(tmp_path: Path):
    given = {"tool_name": "Write", "tool_input": {"file_path": "/é", "content": "x"}}
    _, told = sent(tmp_path, **given, tool_response={"originalFile": LONG})
    assert told.input == given


def test_of_a_patch_that_is_too_large_its_files_are_told(tmp_path: Path):
    parts = [{"tool_name": "Write", "tool_input": {"file_path": f"/{name}", "content": LONG}} for name in "ab"]
    _, told = sent(tmp_path, tool_name="ApplyPatch", tool_input={"edits": parts})
    assert [part["tool_input"] for part in told.input["tool_input"]["edits"]] == [
        {"file_path": "/a"},
        {"file_path": "/b"},
    ]
