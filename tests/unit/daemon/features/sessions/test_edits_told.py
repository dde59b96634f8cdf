"""What a hook's input describes: an edit, the parts of a patch, or nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.hooks.event import FILES_MAX
from palimp_daemon.features.sessions.edits_told import edits_told, id_of_part
from palimp_protocol.messages.caller import Caller

WRITE = {"tool_name": "Write", "tool_input": {"file_path": "/shop/größe.py", "content": "x"}}
DELETE = {"tool_name": "Delete", "tool_input": {"file_path": "/shop/alt.py"}}


def patch(*parts: Any) -> dict[str, Any]:
    return {"tool_name": "ApplyPatch", "tool_input": {"edits": list(parts)}, "transcript_path": "/t", "is_cut": True}


def test_a_patch_is_an_edit_of_each_of_its_files():
    edits = edits_told(patch(WRITE, DELETE), Caller())
    assert [(edit.tool, edit.input["file_path"]) for edit in edits] == [
        ("Write", "/shop/größe.py"),
        ("Delete", "/shop/alt.py"),
    ]
    assert all(edit.transcript == "/t" and edit.is_cut for edit in edits)
    assert len(edits_told(patch(*[WRITE] * (FILES_MAX + 3)), Caller())) == FILES_MAX


@pytest.mark.parametrize(
    "given_", [{}, {"tool_name": "Bash", "tool_input": {}}, {"tool_name": "Write", "tool_input": 3}, {"tool_name": []}]
)
def test_what_is_no_edit_is_none(given_: dict[str, Any]):
    assert edits_told(given_, Caller()) == []


@given(st.lists(st.none() | st.text() | st.just(patch(WRITE)) | st.just({"tool_name": "Write", "tool_input": None})))
def test_parts_that_are_none_are_passed_over(parts: list[Any]):
    """A patch in a patch, too."""
    assert edits_told(patch(*parts), Caller()) == []


def test_each_part_of_a_request_has_an_id_of_its_own_and_the_same_when_it_comes_again():
    ids = [id_of_part(b"r" * 24, number) for number in range(5)]
    assert ids[0] == b"r" * 24
    assert len(set(ids)) == 5
    assert all(len(each) == 24 for each in ids)
    assert ids == [id_of_part(b"r" * 24, number) for number in range(5)]
    assert id_of_part(b"", 3) == b""
