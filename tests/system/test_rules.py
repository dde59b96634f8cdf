"""A rule that was saved is told before the act that would break it, and counted: real hooks, real daemon."""

import json
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent
from running_daemon import wait_until

from palimp_daemon.render.rule_reminder import HEADING

RULE = "Use pnpm, never npm."
FIRST = "Run the tests before you push."
PATIENCE_S = 60.0


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs a command in the project; returns what it printed."""

    def run(*arguments: str, status: int = 0) -> str:
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        return done.stdout

    return run


@pytest.fixture
def rules(palimp):
    """Returns the rules of the project by their texts."""

    def known() -> dict[str, dict]:
        return {each["text"]: each for each in json.loads(palimp("rules", "--json"))["rules"]}

    return known


@pytest.fixture
def agent(daemon, env, project: Path):
    """Makes sessions that have just started in the project."""

    def start(session: str = "s1") -> Agent:
        one = Agent(env, project, session)
        one.start()
        return one

    return start


@pytest.fixture
def save(palimp, rules):
    """Saves a rule, and waits until its checks are derived."""

    def saved(text: str, kind: str = "preference") -> str:
        palimp("add", text, "--kind", kind)
        wait_until(lambda: rules()[text].get("checks"), PATIENCE_S)
        return rules()[text]["id"]

    return saved


def before(agent: Agent, line: str, **given: str) -> str:
    """Return the rules that the session is reminded of before it runs *line*."""
    said = agent.hook("PreToolUse", tool_name="Bash", tool_input={"command": line}, **given)
    assert "permissionDecision" not in said
    return reminder_in(said.get("additionalContext", ""))


def reminder_in(context: str) -> str:
    """Return the part of *context* that reminds of rules."""
    return next((part for part in context.split("<palimp-notes-") if HEADING in part), "")


def ran(agent: Agent, line: str, error: str = "") -> None:
    """Tell the hooks that the session ran *line*, which failed if there is an *error*."""
    event, more = ("PostToolUseFailure", {"error": error}) if error else ("PostToolUse", {"tool_response": {}})
    agent.hook(event, tool_name="Bash", tool_input={"command": line}, **more)


def test_a_session_is_reminded_once_and_what_it_does_is_counted(save, agent, rules):
    number = save(RULE)
    one, other = agent(), agent("s2")
    said = before(one, "cd web && npm install left-pad")
    assert f"{number} {RULE}" in said
    assert one.hook("PreToolUse", tool_name="Bash", tool_input={"command": "npm ci"}) == {}
    ran(one, "cd web && npm install left-pad")
    assert before(one, "npm test") == ""
    assert before(one, "pnpm install") == ""
    ran(one, "pnpm install")
    assert RULE in before(other, "npm ci")
    wait_until(lambda: (rules()[RULE]["told"], rules()[RULE]["kept"]) == (2, 1), PATIENCE_S)
    counted = rules()[RULE]
    assert (counted.get("broken", 0), counted["broken_told"]) == (0, 1)
    assert counted["act"] == "cd web && npm install left-pad"


def test_a_breach_before_any_reminder_is_counted_as_one(save, agent, rules):
    """As in a client that says nothing before a tool is used."""
    save(RULE)
    ran(agent(), "npm ci", error="exit 1")
    wait_until(lambda: rules()[RULE].get("broken") == 1, PATIENCE_S)


def test_what_has_to_be_done_before_counts_since_the_last_edit(save, agent, project):
    save(FIRST)
    one = agent()
    ran(one, "pytest -q", error="2 failed")
    assert FIRST in before(one, "git push")
    other = agent("s2")
    ran(other, "pytest -q")
    assert before(other, "git push") == ""
    other.write("shop.py", "PRICE = 1\n")
    assert FIRST in before(other, "git push")


def test_of_a_session_that_was_not_seen_to_begin_nothing_is_said_of_what_it_did_before(save, env, project, daemon):
    save(FIRST)
    assert before(Agent(env, project, "older"), "git push") == ""


def test_an_edit_that_breaks_a_rule_is_told(save, agent, project):
    rule = "Never edit files under generated/."
    save(rule, kind="correction")
    one = agent()
    assert rule in reminder_in(one.write("generated/api.py", "x = 1\n").get("additionalContext", ""))
    assert reminder_in(agent("s2").write("source/api.py", "x = 1\n").get("additionalContext", "")) == ""


def test_checks_are_taken_off_and_put_on_by_a_person(save, agent, palimp, rules):
    number = save(RULE)
    assert palimp("rules", "off", number) == f"Checks off: {number} {RULE}\n"
    assert "off: do not run `npm`; instead: `pnpm`" in palimp("rules")
    assert before(agent(), "npm ci") == ""
    palimp("rules", "on", number)
    assert RULE in before(agent("s2"), "npm ci")
    shown = palimp("rules", "show", number)
    assert f"{number} preference\n{RULE}\n  do not run `npm`; instead: `pnpm`" in shown


def test_a_rule_without_a_check_is_listed_and_cannot_be_turned_off(palimp, rules):
    assert palimp("rules", status=1) == ""
    palimp("add", "German texts with Sie.", "--kind", "preference")
    assert "as text" in palimp("rules")
    number = rules()["German texts with Sie."]["id"]
    palimp("rules", "off", number, status=2)


def test_what_replaced_a_rule_is_checked_in_its_place(save, agent, palimp, rules):
    number = save(RULE)
    palimp("edit", number, "--text", "Use yarn, never pnpm.")
    wait_until(lambda: "Use yarn, never pnpm." in rules() and rules()["Use yarn, never pnpm."]["checks"], PATIENCE_S)
    assert RULE not in rules()
    one = agent()
    assert before(one, "npm ci") == ""
    assert "Use yarn, never pnpm." in before(one, "pnpm install")


def test_it_can_be_switched_off(save, agent, palimp):
    save(RULE)
    palimp("config", "set", "hooks.rules", "false")
    assert before(agent(), "npm ci") == ""


def test_a_subagent_is_told_for_itself(save, agent):
    save(RULE)
    one = agent()
    assert RULE in before(one, "npm ci")
    assert RULE in before(one, "npm ci", agent_id="a1")
    assert before(one, "npm ci", agent_id="a1") == ""
