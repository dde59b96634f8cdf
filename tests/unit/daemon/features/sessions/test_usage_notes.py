"""What a session writes is taken from its edits and commands, of each file of a patch; each hook is counted."""

import pytest

from palimp_daemon.features.sessions.usage_notes import HOOK_MOMENTS, texts_written
from palimp_protocol.hooks import HOOK_DEADLINES_S


@pytest.mark.parametrize(
    ("tool_input", "texts"),
    [
        ({"file_path": "/w/a.py", "content": "one"}, ["one"]),
        ({"old_string": "before", "new_string": "after"}, ["after"]),
        ({"command": "make test", "description": "run"}, ["make test"]),
        ({"edits": [{"old_string": "a", "new_string": "b"}, {"new_string": "c"}]}, ["b", "c"]),
        ({"edits": [{"tool_name": "Write", "tool_input": {"content": "d"}}, 7, {"new_string": 8}]}, ["d"]),
        ({"edits": "no list", "content": None}, []),
    ],
)
def test_texts_that_an_agent_writes(tool_input, texts):
    assert texts_written(tool_input) == texts


def test_each_hook_that_is_answered_is_counted():
    """Of an event without a moment nothing could be noted, after its answer was made."""
    assert {*HOOK_MOMENTS} == {*HOOK_DEADLINES_S} - {"SubagentStop"}
