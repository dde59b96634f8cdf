"""What the plugin said inside the real OpenCode, as events; and answers as it takes them."""

from typing import Any

import pytest
from hook_inputs import event_name, inputs_of

from palimp_clients.hooks.event import HookReply
from palimp_clients.opencode.dialect import DIALECT, EVENTS, event_of, output_of


def used(tool: str, args: Any, **output: Any) -> dict[str, Any]:
    about = {"tool": tool, "sessionID": "s", "callID": "c", "args": args}
    return {"input": about, "output": output, "directory": "/家"}


def test_there_are_recordings_of_every_event():
    assert {event_name(path) for path in inputs_of("opencode")} == set(EVENTS)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("session.idle", {}),
        ("session.idle", {"input": {"sessionID": 3}}),
        ("session.error", {"input": {"sessionID": "s"}}),
        ("tool.execute.after", used("bash", {"command": "x"}, metadata={"exit": None})),
    ],
)
def test_what_is_none_of_ours_is_nothing(name: str, told: dict[str, Any]):
    assert event_of(name, told) is None


def test_only_what_a_person_typed_is_the_prompt():
    parts = [{"type": "text", "text": "Größe"}, {"type": "file", "url": "x"}, "y", {"type": "text", "text": "寸法"}]
    event = event_of("chat.message", {"input": {"sessionID": "s"}, "output": {"parts": parts}})
    assert event
    assert event.input == {"prompt": "Größe\n\n寸法"}


def test_an_edit_without_a_former_text_writes_the_file():
    event = event_of("tool.execute.before", used("edit", {"filePath": "é.py", "oldString": "", "newString": "x"}))
    assert event
    assert event.input["tool_input"] == {"file_path": "/家/é.py", "content": "x"}


def test_several_edits_are_several():
    edits = [{"oldString": "a", "newString": "b", "replaceAll": True}, 3, {"oldString": "c"}]
    event = event_of("tool.execute.before", used("multiedit", {"filePath": "/é.py", "edits": edits}))
    assert event
    assert event.input["tool_input"] == {
        "file_path": "/é.py",
        "edits": [
            {"old_string": "a", "new_string": "b", "replace_all": True},
            {"old_string": "c", "new_string": ""},
        ],
    }


def test_what_was_too_large_to_be_sent_is_marked():
    event = event_of("tool.execute.before", {**used("write", {"filePath": "/é.py"}), "isCut": True})
    assert event
    assert event.input["is_cut"] is True


@pytest.mark.parametrize(
    ("reply", "output"),
    [
        (HookReply(), ""),
        (HookReply(warning="für den Menschen"), ""),
        (HookReply("Höre 聞け"), '{"context": "Höre 聞け"}'),
        (HookReply(denial="Nein"), '{"denial": "Nein"}'),
    ],
)
def test_an_answer_is_what_the_plugin_reads(reply: HookReply, output: str):
    assert output_of("PreToolUse", reply) == output
    assert DIALECT.client == "opencode"
