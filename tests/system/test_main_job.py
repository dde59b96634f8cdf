"""The main job with the official SDK client over real shims and a real daemon."""

from pathlib import Path

import pytest
from mcp_clients import BareClient, text_of
from sdk_sessions import sdk_session

from palimp_protocol.limits import UNANSWERED_MAX

MODES = ["legacy", "auto"]
"""The handshake era, and the stateless era that the SDK's client finds by itself."""


@pytest.mark.parametrize("mode", MODES)
async def test_what_one_session_saves_another_recalls(env, project: Path, mode: str):
    """A memory saved in one session is found by a session that starts later, with no daemon running before."""
    async with sdk_session(env, project, mode) as first:
        saved = text_of(await first.call_tool("save_memory", {"text": "We use ZeroMQ since frames stay whole."}))
    async with sdk_session(env, project, mode) as second:
        found = text_of(await second.call_tool("recall", {"query": "why zeromq?"}))

    assert saved.startswith('Saved "We use ZeroMQ since frames stay whole" (m')
    assert "ZeroMQ" in found
    assert "1 of 1" in found


async def test_both_eras_share_one_memory(env, project: Path):
    """A memory saved in the handshake era is found in the stateless era at the same time."""
    async with sdk_session(env, project, "legacy") as old, sdk_session(env, project, "auto") as new:
        assert old.protocol_version == "2025-11-25"
        assert new.protocol_version == "2026-07-28"
        await old.call_tool("save_memory", {"text": "Retries stop after three attempts."})
        found = text_of(await new.call_tool("recall", {"query": "retries"}))

    assert "three attempts" in found


async def test_a_session_in_another_project_sees_nothing(env, home: Path, project: Path):
    """Memories stay in their project."""
    other = home / "other"
    other.mkdir()
    async with sdk_session(env, project) as mine, sdk_session(env, other) as theirs:
        await mine.call_tool("save_memory", {"text": "The staging password rotates on Mondays."})
        found = text_of(await theirs.call_tool("recall", {"query": "staging", "scope": "all"}))

    assert found.startswith("No memory matches")


async def test_the_global_scope_is_shared_unless_asked_otherwise(env, home: Path, project: Path):
    """A session in the home folder saves globally; a project sees that, but with scope=project."""
    async with sdk_session(env, home) as at_home, sdk_session(env, project) as in_project:
        await at_home.call_tool("save_memory", {"text": "The user prefers tabs."})
        without = text_of(await in_project.call_tool("recall", {"query": "tabs", "scope": "project"}))
        by_default = text_of(await in_project.call_tool("recall", {"query": "tabs"}))

    assert without.startswith("No memory matches")
    assert "prefers" in by_default


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_revision_is_negotiated(daemon, env, version: str):
    """The server answers with the revision that the client asks for."""
    client = BareClient(env)

    answer = client.initialize(version)

    assert answer["protocolVersion"] == version
    assert "memory" in answer["instructions"]
    assert client.close() == 0


async def test_a_mistake_is_an_answer_the_model_can_mend(env, project: Path):
    """Wrong arguments come back as a tool error that names the argument, not as a protocol error."""
    async with sdk_session(env, project) as session:
        result = await session.call_tool("recall", {"limit": 99})

    assert result.is_error
    assert "limit" in text_of(result)
    assert "50" in text_of(result)


def test_a_client_that_does_not_wait_for_answers_gets_them_all(daemon, env):
    """As many requests as a relay takes, at once: each is answered, once, and the session is never begun anew."""
    client = BareClient(env)
    client.initialize()
    for number in range(UNANSWERED_MAX):
        client.call(number, "save_memory", text=f"Request {number} did not wait for the one before it.")
    answers = [client.read() for _ in range(UNANSWERED_MAX)]

    assert sorted(answer["id"] for answer in answers) == list(range(UNANSWERED_MAX))
    assert all(answer["result"]["isError"] is False for answer in answers)
    assert client.is_silent()
    assert client.close() == 0
    assert "peer_dropped" not in daemon.log.read_text()
