"""One agent goes on where another one stood: the command prints it, and the prompt of another session brings it."""

import subprocess
from pathlib import Path

from claude_hooks import PALIMP, Agent
from daemon_asking import ask_in_session
from mcp_clients import BareClient
from running_daemon import wait_until

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, HANDOFF_TOKENS_MAX
from palimp_protocol.messages.caller import SessionRef

SECRET = "ghp_" + "a1B2" * 9


def test_another_agent_is_told_where_a_session_stood(daemon, env, project: Path):
    one = Agent(env, project, "first-session")
    one.start()
    one.says(f"Please fix the rounding of invoices; the token is {SECRET}", "I looked at it.")
    one.write("cart/rounding.py", "def cents(amount):\n    return round(amount * 100)\n")
    one.edit("cart/rounding.py", "    return round(amount * 100)\n", "    return int(amount * 100 + 0.5)\n")
    one.says("And the tests, please", "The tests are written; next the migration has to run on staging.")
    session = SessionRef("first-session", "claude-code")
    ask_in_session(session, env, project, "save_memory", text="Round half up.", kind="decision")
    one.stop()
    one.end()

    def printed() -> str:
        done = subprocess.run([*PALIMP, "handoff"], env=env, cwd=project, capture_output=True, text=True, check=True)
        return done.stdout

    wait_until(lambda: "migration" in printed(), 60)  # the transcript is read in the background
    text = printed()
    assert len(text) <= HANDOFF_TOKENS_MAX * CHARACTERS_PER_TOKEN
    for part in (
        "first-session",
        "fix the rounding of invoices",
        "Round half up",
        "rounding.py",
        "migration has to run",
    ):
        assert part in text, text
    assert SECRET not in text

    other = BareClient(env, project)
    other.initialize()
    other.request(2, "prompts/get", {"name": "handoff", "arguments": {}})
    [message] = other.answer(2)["result"]["messages"]
    assert "Round half up" in message["content"]["text"]
    assert "go on from there" in message["content"]["text"]
    none = subprocess.run(
        [*PALIMP, "handoff", "no-such"], env=env, cwd=project, capture_output=True, text=True, check=False
    )
    assert none.returncode == 1
