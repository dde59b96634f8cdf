"""The names that programs give themselves, and the session that Codex names."""

import pytest

from palimp_clients.dialects import CLIENTS
from palimp_clients.hooks.programs import PROGRAMS, client_called, session_in


@pytest.mark.parametrize(
    ("program", "client"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("Visual Studio Code - Insiders", "vscode"),
        ("Zed", "Zed"),
        ("道具", "道具"),
        ("", ""),
    ],
)
def test_a_program_is_of_its_client(program: str, client: str):
    assert client_called(program) == client


def test_every_client_with_a_dialect_is_known():
    assert {*PROGRAMS.values(), "hermes", "kimi", "pi"} == set(CLIENTS)  # whose servers are told in their environment


@pytest.mark.parametrize(
    ("client", "meta", "session"),
    [
        ("codex", {"sessionId": "01a2", "callId": "c"}, "01a2"),
        ("codex", {"sessionId": 7}, ""),
        ("codex", {}, ""),
        ("codex", None, ""),
        ("gemini", {"sessionId": "01a2"}, ""),
    ],
)
def test_only_codex_names_its_session(client: str, meta: dict[str, object] | None, session: str):
    assert session_in(client, meta) == session
