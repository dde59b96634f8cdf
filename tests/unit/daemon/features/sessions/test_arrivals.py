"""An event that comes through two installations is handled once, and one that happens again is another."""

from itertools import count
from typing import Any, Final

import pytest

from palimp_daemon.features.sessions.arrivals import APART_S, ARRIVALS_MAX, Arrivals
from palimp_protocol.messages.hook_messages import Hook

EDIT: Final = {"tool_name": "Edit", "tool_input": {"new_string": "größe 🐨", "old_string": ""}}


class Arriving:
    """Events that arrive, each as a request of its own, unless it is said to be an earlier one."""

    def __init__(self) -> None:
        self.arrivals = Arrivals()
        self._numbers = count()
        self.now_s = 0.0

    def register(self, request: Hook, session: str = "s", request_id: bytes = b"") -> bool:
        known = request_id or next(self._numbers).to_bytes(24, "big")
        return self.arrivals.register(request, session, known, self.now_s)


@pytest.fixture
def arriving() -> Arriving:
    return Arriving()


def hook(via: str = "", event: str = "PreToolUse", **given: Any) -> Hook:
    return Hook(event=event, input=given, via=via)


def test_a_use_of_a_tool_is_known_by_its_id(arriving: Arriving):
    assert arriving.register(hook(tool_use_id="t1", tool_name="Edit"))
    assert not arriving.register(hook(tool_use_id="t1", tool_name="apply_patch"))
    arriving.now_s = 10 * APART_S
    assert not arriving.register(hook("plugin", tool_use_id="t1"))
    assert arriving.register(hook(tool_use_id="t2"))
    assert arriving.register(hook(tool_use_id="t1"), "another session")
    assert arriving.register(hook(event="PostToolUse", tool_use_id="t1"))


@pytest.mark.parametrize("event", [EDIT, {**EDIT, "tool_use_id": "t1"}])
def test_a_request_that_is_sent_again_has_had_no_answer(arriving: Arriving, event: dict[str, Any]):
    """A record that waited in a file comes while the first try of it may still fail; the store knows it by its id."""
    assert arriving.register(hook(**event), request_id=b"r")
    assert not arriving.register(hook("plugin", **event), request_id=b"q")
    assert arriving.register(hook(**event), request_id=b"r")


def test_without_an_id_the_way_tells_whether_the_same_happened_again(arriving: Arriving):
    """The same edit that is sent again after it was denied must be looked at again."""
    assert arriving.register(hook(**EDIT))
    assert not arriving.register(hook("copilot", **EDIT))
    assert arriving.register(hook(**EDIT))
    assert not arriving.register(hook("copilot", **EDIT))


def test_what_comes_another_way_much_later_happened_again(arriving: Arriving):
    """The end of every turn says the same, and the relay that tells of it may be another by then."""
    assert arriving.register(hook("mcp one", "Stop"))
    arriving.now_s = APART_S
    assert not arriving.register(hook("mcp two", "Stop"))
    arriving.now_s += 1.0
    assert arriving.register(hook("mcp two", "Stop"))
    arriving.now_s += 1.0
    assert arriving.register(hook("mcp two", "Stop"))
    assert not arriving.register(hook("mcp one", "Stop"))


def test_a_prompt_is_the_same_wherever_the_transcript_is_said_to_be(arriving: Arriving):
    assert arriving.register(hook("cursor", "UserPromptSubmit", prompt="weiter", transcript_path="/a"))
    assert not arriving.register(hook("", "UserPromptSubmit", prompt="weiter", transcript_path=""))
    assert arriving.register(hook("", "UserPromptSubmit", prompt="und jetzt"))


def test_what_could_not_be_handled_may_come_again(arriving: Arriving):
    assert arriving.register(hook(tool_use_id="t1"))
    arriving.arrivals.forget(hook(tool_use_id="t1"), "s")
    assert arriving.register(hook("plugin", tool_use_id="t1"))


def test_arrivals_are_bounded(arriving: Arriving):
    for number in range(ARRIVALS_MAX + 1):
        arriving.register(hook(tool_use_id=str(number)))
    assert arriving.register(hook(tool_use_id="0"))
    assert not arriving.register(hook(tool_use_id=str(ARRIVALS_MAX)))
