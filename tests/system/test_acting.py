"""Before it acts, an agent is told what memories say of that file or command: real hooks, real daemon."""

import json
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent, is_denied
from repositories import Repository, changes_command, imported
from retry_helper import KEEP, RENAMED, RETRY
from running_daemon import wait_until

from palimp_protocol.env.paths import database_path, spool_directory
from palimp_protocol.limits import ACTION_CONTEXT_TOKENS_MAX, CHARACTERS_PER_TOKEN

RULE = "Commit messages in English, imperative, no prefixes."
FACT = "Guests keep their cart 14 days (`cart/ttl.py`)."


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs a command in the project; returns what it printed."""

    def run(*arguments: str) -> str:
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=True)
        return done.stdout

    return run


@pytest.fixture
def agent(daemon, env, project: Path):
    """Makes sessions in the project."""
    return lambda session="s1": Agent(env, project, session)


def before(agent: Agent, tool: str, **given: object) -> str:
    """Return what the session is told before it uses *tool*."""
    said = agent.hook("PreToolUse", tool_name=tool, tool_input=given)
    assert "permissionDecision" not in said
    return said.get("additionalContext", "")


def ran(agent: Agent, line: str, error: str = "") -> None:
    """Tell the hooks that the session ran *line*, which failed if there is an *error*."""
    event, more = ("PostToolUseFailure", {"error": error}) if error else ("PostToolUse", {"tool_response": {}})
    assert agent.hook(event, tool_name="Bash", tool_input={"command": line}, **more) == {}


def test_a_session_is_told_once_what_is_known_of_a_file_or_command(palimp, agent, project):
    palimp("add", RULE, "--kind", "preference")
    palimp("add", FACT)
    one = agent()
    path = str(project / "cart" / "ttl.py")
    said = before(one, "Read", file_path=path)
    assert FACT in said
    assert "not instructions" in said
    assert len(said) <= ACTION_CONTEXT_TOKENS_MAX * CHARACTERS_PER_TOKEN
    assert before(one, "Edit", file_path=path, old_string="a", new_string="b") == ""
    assert RULE in before(one, "Bash", command="cd cart && git commit -am 'x'")
    assert before(one, "Bash", command="git commit --amend") == ""
    assert FACT in before(agent("s2"), "Bash", command="cat cart/ttl.py")
    for line in ("git status", "ls cart", "cat <<'X' > notes.txt\ngit commit\nX", "echo 'cart/ttl.py'"):
        assert before(agent("s3"), "Bash", command=line) == ""
    # A subagent starts with nothing, and does not speak for its session.
    inner = {"tool_name": "Read", "tool_input": {"file_path": path}, "agent_id": "a1"}
    assert FACT in agent("s4").hook("PreToolUse", **inner)["additionalContext"]
    assert agent("s4").hook("PreToolUse", **inner) == {}
    assert FACT in before(agent("s4"), "Read", file_path=path)


def test_what_a_session_was_given_is_listed_and_can_be_muted(palimp, agent, project):
    palimp("add", RULE, "--kind", "preference")
    palimp("add", FACT)
    one = agent()
    path = str(project / "cart" / "ttl.py")
    one.start()
    one.hook("UserPromptSubmit", prompt="how many days do guests keep their cart?")
    before(one, "Bash", command="git commit -am 'x'")

    def given(session: str = "s1") -> list[tuple[str, str, str]]:
        found = json.loads(palimp("sessions", session, "--json"))["given"]
        return [(each["occasion"], each["title"], each["why"]) for each in found]

    fact, rule = FACT.rstrip("."), RULE.rstrip(".")
    wait_until(lambda: len(given()) == 4, 60)
    assert given() == [
        ("start", rule, "preference"),
        ("start", fact, "recent"),
        ("prompt", fact, "bears on the prompt"),
        ("action", rule, "names commit"),
    ]
    shown = palimp("sessions", "s1")
    assert "\tgiven:action\t" in shown
    number = next(line.split("\t")[2] for line in shown.splitlines() if "given:prompt" in line)
    palimp("mute", number)
    two = agent("s2")
    assert fact not in two.start()
    assert two.hook("UserPromptSubmit", prompt="how many days do guests keep their cart?") == {}
    assert before(two, "Read", file_path=path) == ""
    wait_until(lambda: given("s2") == [("start", rule, "preference")], 60)


def test_what_worked_after_a_command_had_failed_is_told_to_the_next_session(agent):
    one = agent()
    ran(one, "dvc push", "Exit code 255\nERROR: failed to push: Permission denied")
    ran(one, "kinit jo@EXAMPLE.ORG && dvc push")
    assert before(one, "Bash", command="dvc push") == ""
    told: list[str] = []
    wait_until(lambda: told.append(before(agent(f"next{len(told)}"), "Bash", command="dvc push -j 4")) or told[-1], 60)
    assert "This failed in an earlier session" in told[-1]
    assert "Permission denied" in told[-1]
    assert "What worked then: `kinit jo@EXAMPLE.ORG && dvc push`" in told[-1]
    assert before(agent("last"), "Bash", command="kinit jo@EXAMPLE.ORG && dvc push") == ""


def test_what_was_learned_of_a_command_can_be_erased(agent, palimp, env):
    """From every byte of the database."""
    one = agent()
    ran(one, "dvc push", "ERROR: Permission denied for tiefseetaucher")
    ran(one, "kinit tiefseetaucher && dvc push")
    database = Path(database_path(env))

    def known() -> bool:
        files = [database, database.with_name(f"{database.name}-wal")]
        return any(b"tiefseetaucher" in file.read_bytes() for file in files if file.exists())

    wait_until(known, 60)
    palimp("delete", "--hard", "--yes", "--containing", "tiefseetaucher")
    assert not known()
    assert before(agent("s2"), "Bash", command="dvc push") == ""


def test_a_failure_of_the_code_is_none_of_the_command(agent, project):
    one = agent()
    ran(one, "pytest tests/test_a.py", "Exit code 1\nFAILED tests/test_a.py")
    one.write("a.py", "x = 1\n")
    ran(one, "pytest tests/test_a.py -x")
    assert before(agent("s2"), "Bash", command="pytest tests/test_a.py") == ""


def test_the_verdict_on_removed_code_goes_first_and_memories_come_with_its_note(palimp, agent, env, project):
    repository = Repository(project)
    repository.commit("first", a_py=KEEP + RETRY)
    repository.commit("Drop the retry helper\n\nIt hid outages.", a_py=KEEP)
    imported(changes_command(env, project))
    palimp("add", "Ask Ana before changing `a.py`.", "--kind", "preference")
    one = agent()
    denied = one.edit("a.py", "value + 1\n", "value + 1\n" + RENAMED)
    assert is_denied(denied)
    assert "Ana" not in json.dumps(denied)
    said = one.edit("a.py", "value + 1\n", "value + 1\n" + RENAMED)["additionalContext"]
    assert 0 < said.index("Drop the retry helper") < said.index("Ask Ana")


def test_a_person_can_switch_it_off(palimp, agent, project):
    palimp("add", FACT)
    path = str(project / "cart" / "ttl.py")
    palimp("off")
    assert before(agent("s1"), "Read", file_path=path) == ""
    palimp("on")
    palimp("config", "set", "hooks.before_acting", "false")
    assert before(agent("s2"), "Read", file_path=path) == ""
    palimp("config", "set", "hooks.before_acting", "true")
    assert FACT in before(agent("s3"), "Read", file_path=path)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "x" * 1_000_000}),
        ("Bash", {"command": "'" * 100_000 + "git commit"}),
        ("Bash", {"command": "🦀"}),
        ("Bash", {"command": ["git", "commit"]}),
        ("Read", {"file_path": "/proc/self/\udcff"}),
        ("Read", {"file_path": "../" * 5_000}),
        ("Glob", {"pattern": "cart/ttl.py"}),
        ("Read", "cart/ttl.py"),
    ],
)
def test_odd_actions_are_met_with_silence(palimp, agent, tool: str, given: object):
    palimp("add", RULE, "--kind", "preference")
    assert agent().hook("PreToolUse", tool_name=tool, tool_input=given) == {}


def test_what_a_command_did_is_not_kept_for_a_daemon_that_is_not_there(env, project):
    """Unlike an edit: it matters for minutes."""
    alone = Agent(env, project)
    alone.env["PALIMP_HOOKS_PATIENCE"] = "1"
    for event in ("PostToolUse", "PostToolUseFailure"):
        assert alone.hook(event, tool_name="Bash", tool_input={"command": "dvc push"}, error="denied") == {}
    assert not [*Path(spool_directory(env)).glob("*")]
    edit = {"file_path": str(project / "a.py"), "content": "x"}
    alone.hook("PostToolUse", tool_name="Write", tool_input=edit)
    assert [*Path(spool_directory(env)).glob("*.json")]
