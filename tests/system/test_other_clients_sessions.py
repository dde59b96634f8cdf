"""What was said in a session is kept and captured whichever client it ran in, also when that says little of it."""

from pathlib import Path
from typing import Any

import pytest
from claude_hooks import Agent
from daemon_asking import ask
from running_daemon import wait_until
from written_sessions import KEYS, write_session

from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

DECISION = "We decided to keep money in integer cents, because floats lost a cent in March."
SAID = (
    ("user", DECISION),
    ("assistant", "Verstanden: 整数のセント。"),
    ("user", "Now make the export use it, please."),
)


@pytest.fixture
def told(env: dict[str, str], project: Path):
    """Tells the daemon what *client*'s session asks: an operation's name and what it is given."""

    def ask_in_session(client: str, name: str, **given: Any) -> Any:
        operation = OPERATIONS[name]
        found = project_from_directory(str(project), home_directory(env))
        assert found
        caller = Caller(ProjectRef(*found), SessionRef(KEYS[client], client))
        return Client(env).call(operation, operation.request(**given), caller)

    return ask_in_session


@pytest.fixture
def memories(daemon, env, project: Path):
    """Returns what is stored, as kinds and contents, oldest first."""
    return lambda: [(row.kind, row.content) for row in reversed(ask(env, project, "recall", detail="full").memories)]


def turns(env: dict[str, str], project: Path) -> list[str]:
    return [row.title for row in ask(env, project, "recall", kind="conversation", limit=50).memories]


@pytest.mark.parametrize("client", KEYS)
def test_a_session_is_found_read_and_captured(env, home, project, told, memories, client):
    """It does not say where it is, and was not written yet when it began and when its turn was over."""
    for event in ("SessionStart", "Stop"):
        told(client, "hook", event=event, input={"source": "startup"})
    write_session(client, home, project, SAID)
    wait_until(lambda: turns(env, project), 40, lambda: str(turns(env, project)))
    assert DECISION.rstrip(".") in turns(env, project)
    told(client, "capture")
    kinds = [kind for kind, _ in memories()]
    assert kinds == ["decision", "summary"]
    assert "Edited: ttl.py" in memories()[1][1]
    assert "tool's output" not in str(memories())
    told(client, "capture")
    assert [kind for kind, _ in memories()] == kinds
    [session] = ask(env, project, "sessions").sessions
    assert (session.key, session.client) == (KEYS[client], client)


def test_a_session_whose_last_hook_was_a_turns_end_is_captured_by_the_next_daemon(daemon, env, project, memories):
    one = Agent(env, project)
    one.says(DECISION, "ok then")
    one.says("and one more thing to do", "Done.")
    one.stop()
    daemon.kill()
    daemon.start()
    wait_until(lambda: sorted(kind for kind, _ in memories()) == ["decision", "summary"], 20, lambda: str(memories()))


def test_what_a_client_writes_after_its_last_hook_is_read(daemon, env, project):
    one = Agent(env, project)
    one.says("Почему экспорт медленный?")
    one.stop()
    wait_until(lambda: len(turns(env, project)) == 1, 60)
    one.says("", "Пул слишком мал.")
    wait_until(lambda: len(turns(env, project)) == 2, 40, lambda: str(turns(env, project)))
