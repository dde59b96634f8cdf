"""Which session a server's caller is of, where hooks tell of one only."""

import pytest

from palimp_daemon.features.sessions.calling_sessions import RUNNING_MAX, SILENT_S, CallingSessions
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef


def caller(key: str, client: str = "gemini", root: str = "/家") -> Caller:
    return Caller(ProjectRef(root, "家", root) if root else None, SessionRef(key, client))


def test_the_only_one_of_a_client_in_a_project_is_it():
    running = CallingSessions()
    for one in (caller("a"), caller("b", client="qwen"), caller("c", root="/other"), caller("d", root="")):
        running.note_event(one, "SessionStart", 0.0)
    assert running.only_session("gemini", caller("uuid"), 1.0) == "a"
    assert running.only_session("gemini", caller("uuid", root=""), 1.0) == "d"
    assert running.only_session("codex", caller("uuid"), 1.0) == ""


def test_of_two_it_is_nobody():
    running = CallingSessions()
    running.note_event(caller("a"), "SessionStart", 0.0)
    running.note_event(caller("b"), "UserPromptSubmit", 1.0)
    assert running.only_session("gemini", caller("uuid"), 2.0) == ""


@pytest.mark.parametrize(("event", "now_s"), [("SessionEnd", 1.0), ("Stop", SILENT_S)])
def test_one_that_ended_or_fell_silent_is_not_counted(event: str, now_s: float):
    running = CallingSessions()
    running.note_event(caller("a"), "SessionStart", 0.0)
    running.note_event(caller("a"), event, 0.0)
    running.note_event(caller("b"), "SessionStart", 1.0)
    assert running.only_session("gemini", caller("uuid"), now_s) == "b"


def test_so_many_are_known_and_no_more():
    running = CallingSessions()
    running.note_event(caller("a"), "SessionStart", 0.0)
    for number in range(RUNNING_MAX):
        running.note_event(caller(str(number), root=f"/{number}"), "SessionStart", 0.0)
    assert running.only_session("gemini", caller("uuid"), 1.0) == ""


def test_who_has_no_session_is_nobody():
    running = CallingSessions()
    running.note_event(Caller(None, None), "SessionStart", 0.0)
    assert running.only_session("", Caller(None, None), 0.0) == ""
