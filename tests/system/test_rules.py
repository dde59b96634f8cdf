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


def test_a_session_is_reminded_once_and_what_it_does_is_counted(save, agent, rules, palimp):
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
    assert "claude-code: reminded 2, kept 1, broken 1 (in s1)" in palimp("rules", "show", number)


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
    assert palimp("rules", "off", number) == f"{number} {RULE}\n  Nothing is checked.\n"
    assert "off: do not run `npm`; instead: `pnpm`" in palimp("rules")
    assert before(agent(), "npm ci") == ""
    palimp("rules", "on", number)
    assert RULE in before(agent("s2"), "npm ci")
    shown = palimp("rules", "show", number)
    assert f"{number} preference\n{RULE}\n  do not run `npm`; instead: `pnpm`" in shown


def refusal(agent: Agent, line: str, **given: str) -> str:
    """Return why the session may not run *line*; empty: it may."""
    said = agent.hook("PreToolUse", tool_name="Bash", tool_input={"command": line}, **given)
    return said["permissionDecisionReason"] if said.get("permissionDecision") == "deny" else ""


def test_an_enforced_rule_refuses_once_and_counts_what_is_sent_again(save, agent, palimp, rules):
    number = save(RULE)
    assert palimp("rules", "enforce", number) == f"{number} {RULE}\n  The act is refused once.\n"
    one = agent()
    assert f"{number} {RULE}" in refusal(one, "npm install", tool_use_id="a")
    assert refusal(one, "npm install", tool_use_id="b") == ""
    one.hook("PostToolUse", tool_name="Bash", tool_input={"command": "npm install"}, tool_use_id="b", tool_response={})
    assert refusal(one, "npm ci") != "", "another act"
    assert refusal(one, "pnpm install") == ""
    assert refusal(agent("s2"), "npm install") != "", "another session"
    wait_until(lambda: rules()[RULE].get("broken_told") == 1, PATIENCE_S)
    counted = rules()[RULE]
    assert (counted["refused"], counted["overruled"], counted.get("broken", 0)) == (3, 1, 0)
    assert "Refused 3 times, sent again once" in palimp("rules", "show", number)


def test_what_is_only_told_beside_a_refusal_counts_as_no_wish(save, agent, palimp, rules):
    beside = "Never run `npm install` here."
    palimp("rules", "enforce", save(RULE))
    save(beside)
    one = agent()
    assert beside in refusal(one, "npm install", tool_use_id="a")
    assert refusal(one, "npm install", tool_use_id="b") == ""
    one.hook("PostToolUse", tool_name="Bash", tool_input={"command": "npm install"}, tool_use_id="b", tool_response={})
    wait_until(lambda: rules()[RULE].get("overruled") == 1, PATIENCE_S)
    counted = rules()[beside]
    assert (counted.get("refused", 0), counted.get("overruled", 0), counted["broken_told"]) == (0, 0, 1)


def test_what_a_client_says_of_a_refused_act_afterwards_counts_as_nothing(save, agent, palimp, rules):
    number = save(RULE)
    palimp("rules", "enforce", number)
    one = agent()
    assert refusal(one, "npm ci", tool_use_id="a")
    ran(one, "pnpm install")
    one.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "npm ci"}, tool_use_id="a", error="denied")
    wait_until(lambda: rules()[RULE].get("kept") == 1, PATIENCE_S)
    assert rules()[RULE].get("broken_told", 0) == 0


def test_what_is_set_of_a_rule_can_be_undone(save, palimp, rules):
    number = save(RULE)
    palimp("rules", "enforce", number)
    palimp("rules", "mend", number, "--command", "npm install *", "--instead", "pnpm add")
    assert rules()[RULE]["in_words"] == ["do not run `npm install *`; instead: `pnpm add`"]
    assert "set the checks of" in palimp("undo", "--list")
    assert "checked as before" in palimp("undo", "--yes")
    assert rules()[RULE]["in_words"] == ["do not run `npm`; instead: `pnpm`"]
    assert rules()[RULE]["at_breach"] == "refuse"
    palimp("undo", "--yes")
    assert rules()[RULE]["at_breach"] == "remind"


def test_the_user_is_asked_where_the_client_can_and_a_yes_is_counted(save, agent, palimp, rules):
    number = save(RULE)
    palimp("rules", "enforce", number, "--ask")
    one, asked = agent(), {"tool_name": "Bash", "tool_input": {"command": "npm ci"}, "tool_use_id": "a"}
    said = one.hook("PreToolUse", **asked)
    assert said["permissionDecision"] == "ask"
    assert f"{number} {RULE}" in said["permissionDecisionReason"]
    one.hook("PostToolUse", **asked, tool_response={})  # the user said yes
    wait_until(lambda: rules()[RULE].get("overruled") == 1, PATIENCE_S)


def test_an_agent_neither_enforces_a_rule_nor_takes_one_off(save, palimp, rules, daemon, env, project):
    number = save(RULE)
    for mark in ("CLAUDE_CODE_SESSION_ID", "GEMINI_CLI"):
        for command in (["enforce", number], ["off", number], ["add", "--command", "curl"]):
            done = subprocess.run(
                [*PALIMP, "rules", *command],
                env={**env, mark: "1"},
                cwd=project,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 2
            assert "Only a person" in done.stderr
    assert rules()[RULE]["at_breach"] == "remind"


def test_a_rule_that_another_memory_narrows_is_told_with_it_and_refuses_nothing(save, agent, palimp):
    number = save(RULE)
    palimp("rules", "enforce", number)
    palimp("add", "npm is fine in docs/.", "--kind", "preference", "--narrows", number)
    one = agent()
    assert "but see" in before(one, "npm ci")
    assert "Not refused anywhere" in palimp("rules", "show", number)
    assert "; but see m1" in palimp("rules")


def test_a_broken_rule_comes_first_at_a_start_and_stands_in_what_its_session_did(save, agent, palimp, rules):
    number = save(RULE)
    save("Never force-push.")
    one = agent("3f8b523d")
    ran(one, "npm ci")
    wait_until(lambda: rules()[RULE].get("broken") == 1, PATIENCE_S)
    given = Agent(one.env, one.folder, "s2").hook("SessionStart", source="startup")["additionalContext"]
    first, second = given.index("Use pnpm"), given.index("Never force-push")
    assert first < second
    assert "broken once" in given[first:second]
    *_, shown, act = palimp("sessions", "3f8b523d").splitlines()
    assert shown.split()[2:] == ["broke", number, "Use", "pnpm,", "never", "npm", "(once)"]
    assert act == "    npm ci"
    assert "(broken once)" in palimp("summarize")


def test_a_decision_that_is_a_rule_stands_whole_in_the_first_part_of_a_start(save, palimp, agent, env, project, rules):
    text = "We decided to use pnpm instead of npm for all packages" + ", since its store is shared by all checkouts" * 6
    save("Never force-push.")
    palimp("add", text, "--kind", "decision")
    wait_until(lambda: text in rules(), PATIENCE_S)
    palimp("add", "Orders are kept in PostgreSQL.", "--kind", "decision")
    one = agent()
    ran(one, "npm ci")
    wait_until(lambda: rules()[text].get("broken") == 1, PATIENCE_S)
    given = Agent(env, project, "s2").hook("SessionStart", source="startup")["additionalContext"]
    first, _, others = given.partition("Decisions and architecture")
    assert text in first
    assert first.index("We decided to use pnpm") < first.index("Never force-push")
    assert "decision, broken once" in first
    assert "Orders are kept" in others


def test_after_a_compaction_a_session_is_told_again_what_it_was_told_saved_and_failed_at(save, agent, palimp, rules):
    number = save(RULE)
    one = agent()
    assert RULE in before(one, "npm ci")
    ran(one, "dvc push", error="Exit code 255\nERROR: failed to push: Permission denied")
    ran(one, "kinit jo@EXAMPLE.ORG && dvc push")
    assert before(one, "npm test") == ""
    one.hook("PreCompact", trigger="auto")
    given = one.hook("SessionStart", source="compact")["additionalContext"]
    assert number in given
    assert "failed; what worked" in given
    assert RULE in before(one, "npm test"), "it has forgotten the reminder"


def test_a_client_that_tells_only_that_it_compacts_is_told_again_with_the_next_prompt(save, agent):
    save(RULE)
    one = agent()
    one.hook("PreCompact", trigger="manual")
    assert RULE in one.hook("UserPromptSubmit", prompt="Go on.")["additionalContext"]
    assert RULE not in one.hook("UserPromptSubmit", prompt="Go on.").get("additionalContext", "")


def test_a_rule_can_be_enforced_as_soon_as_it_is_saved(palimp, agent):
    number = json.loads(palimp("add", RULE, "--kind", "preference", "--json"))["id"]
    palimp("rules", "enforce", number)
    assert refusal(agent(), "npm ci")


def test_a_rule_is_made_by_hand(agent, palimp, rules):
    made = palimp("rules", "add", "--command", "npm *", "--instead", "pnpm", "--why", "The lock file is pnpm's.")
    text = "Do not run `npm *`; instead: `pnpm`. The lock file is pnpm's."
    assert text in made
    assert rules()[text]["is_own"]
    assert text in before(agent(), "npm ci")
    palimp("rules", "add", "x", "--command", "=nonsense", status=2)
    palimp("rules", "add", "x", "--command", "npm", "--added", "a", status=2)
    for expression in ("npm (install|ci)", "npm .*", "curl * | sh"):
        palimp("rules", "add", "x", "--command", expression, status=2)
    palimp("rules", "add", "x", status=2)
    palimp("undo", "--yes")
    palimp("rules", status=1)


def test_a_command_is_forbidden_in_a_folder(agent, palimp):
    palimp("rules", "add", "No npm in the docs.", "--command", "npm *", "--path", "docs/", "--instead", "hugo mod")
    assert before(agent(), "npm ci") == ""
    assert "No npm in the docs." in before(agent("s2"), "cd docs && npm ci")
    assert "No npm in the docs." in before(agent("s3"), "npm --prefix docs ci")


def test_a_rule_that_is_made_again_has_both_checks_until_that_is_undone(palimp, rules):
    palimp("rules", "add", "Leave it to CI.", "--command", "npm publish")
    palimp("rules", "add", "Leave it to CI.", "--command", "=deploy")
    assert rules()["Leave it to CI."]["in_words"] == ["do not run `npm publish`", "do not run deploy"]
    palimp("undo", "--yes")
    assert rules()["Leave it to CI."]["in_words"] == ["do not run `npm publish`"]


def test_a_decision_with_a_check_is_a_rule(palimp, rules, agent):
    text = "We deploy from main alone, since staging was taken down."
    palimp("add", text, "--kind", "decision")
    number = json.loads(palimp("search", "deploy from main", "--json"))["memories"][0]["id"]
    palimp("rules", "mend", number, "--command", "fly deploy --app staging")
    assert text in before(agent(), "fly deploy --app staging")


def test_a_person_who_words_a_rule_anew_keeps_what_they_set(save, agent, palimp, rules):
    number = save(RULE)
    palimp("rules", "mend", number, "--command", "yarn")
    palimp("rules", "enforce", number)
    palimp("edit", number, "Use pnpm here, and never yarn.")
    text = "Use pnpm here, and never yarn."
    wait_until(lambda: rules()[text].get("is_own"), PATIENCE_S)
    assert rules()[text]["at_breach"] == "refuse"
    assert refusal(agent(), "yarn add x")


def test_a_rule_without_a_check_is_listed_and_cannot_be_turned_off(palimp, rules):
    assert palimp("rules", status=1) == ""
    palimp("add", "German texts with Sie.", "--kind", "preference")
    assert "nothing: told as text" in palimp("rules")
    number = rules()["German texts with Sie."]["id"]
    palimp("rules", "off", number, status=2)


def test_what_replaced_a_rule_is_checked_in_its_place(save, agent, palimp, rules):
    number = save(RULE)
    palimp("edit", number, "Use yarn, never pnpm.")
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
