"""Who asks over a relay: the client under its own name, and Codex' session as its hooks name it."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from palimp_daemon.mcp.request_caller import caller_of
from palimp_protocol.limits import SESSION_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

OURS = Caller(ProjectRef("/家", "家"), SessionRef("relay"))


def asked(program: str, meta: dict[str, Any] | None = None, caller: Caller = OURS) -> Any:
    session = SimpleNamespace(client_params=SimpleNamespace(client_info=SimpleNamespace(name=program)))
    return SimpleNamespace(session=session, request=None, meta=meta, lifespan_context=caller)


@pytest.mark.parametrize(
    ("program", "meta", "session"),
    [
        ("codex-mcp-client", {"sessionId": "01a2", "callId": "c1"}, SessionRef("01a2", "codex")),
        ("codex-mcp-client", {"sessionId": ["01a2"]}, SessionRef("relay", "codex")),
        ("codex-mcp-client", None, SessionRef("relay", "codex")),
        ("codex-mcp-client", {"sessionId": "é" * 999}, SessionRef("é" * SESSION_CHARACTERS_MAX, "codex")),
        ("claude-code", {"sessionId": "01a2"}, SessionRef("relay", "claude-code")),
        ("店", None, SessionRef("relay", "店")),
        ("", None, SessionRef("relay")),
    ],
)
async def test_a_session_is_its_clients(program: str, meta: dict[str, Any] | None, session: SessionRef):
    found = await caller_of(cast("Any", None), asked(program, meta))
    assert found == Caller(OURS.project, session)


async def test_who_has_no_session_gets_none():
    without = Caller(OURS.project, None)
    assert await caller_of(cast("Any", None), asked("codex-mcp-client", {"sessionId": "01a2"}, without)) == without
