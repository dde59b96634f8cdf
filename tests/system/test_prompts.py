"""What a session is given with its prompts: what bears on them, once, or the context that it missed at its start."""

import os
import signal
import subprocess

import pytest
from claude_hooks import PALIMP, Agent
from daemon_asking import ask, ask_in_session

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, PROMPT_CONTEXT_TOKENS_MAX
from palimp_protocol.messages.caller import SessionRef

LEDGER = "The ledger keeps amounts as integer cents, since floats lost a cent in March."


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    return {**env, "PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def save(daemon, env, project):
    """Saves a memory, in no session."""
    return lambda text: ask(env, project, "save_memory", text=text)


@pytest.fixture
def agent(save, env, project):
    """A session that was given its context."""
    save("The garden is watered on Fridays.")
    one = Agent(env, project)
    assert one.start()
    return one


def asked(agent: Agent, prompt: str) -> str:
    return agent.hook("UserPromptSubmit", prompt=prompt).get("additionalContext", "")


def test_a_prompt_brings_the_memory_it_needs_and_only_once(agent, save):
    save(LEDGER)
    said = asked(agent, "Why does the ledger keep integer cents and not floats?")
    assert LEDGER in said
    assert "not instructions" in said.split("\n")[1]
    assert asked(agent, "Why does the ledger keep integer cents and not floats?") == ""


@pytest.mark.parametrize("prompt", ["run the tests", "continue", "fix the failing test", "", "👍", "what is a ledger?"])
def test_a_prompt_about_nothing_that_is_known_brings_nothing(agent, save, prompt):
    save(LEDGER)
    assert asked(agent, prompt) == ""


def test_an_identifier_that_is_known_is_enough(agent, save):
    save("parse_ledger_line() drops the currency on purpose; the caller knows it.")
    assert "drops the currency" in asked(agent, "please look at parse_ledger_line again")


def test_a_memory_says_it_with_other_forms_of_the_words(agent, save):
    save("The prod db froze because an index was chosen badly by the planner.")
    assert "prod db" in asked(agent, "which index does the production database choose")


def test_a_prompt_in_another_language_brings_what_it_is_about_and_not_what_is_in_that_language(agent, save):
    memory = "Die Rechnungen werden nachts erzeugt, weil die Datenbank dann nicht ausgelastet ist."
    save(memory)
    assert asked(agent, "Benenne die Funktion um, weil wir sie dann nicht mehr brauchen") == ""
    assert memory in asked(agent, "Warum werden die Rechnungen nicht mehr nachts erzeugt?")


def test_a_global_memory_that_was_saved_in_no_session_is_given_in_a_project_that_is_new(daemon, env, project):
    subprocess.run([*PALIMP, "add", "--global", LEDGER], env=env, cwd=project, check=True, capture_output=True)
    assert LEDGER in asked(Agent(env, project), "Why does the ledger keep integer cents and not floats?")


def test_what_is_given_with_a_prompt_is_bounded(agent, save):
    for memory in (
        "Tax tables come from the ministry each January. ",
        "Courier uploads wait for the nightly backup. ",
        "Bank checksums are CRC-32, byte order reversed. ",
        "Ledger cents are integers, since floats lost some. ",
    ):
        save(memory * 40)
    said = asked(agent, "Add tax tables, courier uploads, bank checksums and ledger cents")
    assert 0 < len(said) <= PROMPT_CONTEXT_TOKENS_MAX * CHARACTERS_PER_TOKEN
    assert said.count("(note, ") == 3


def test_what_a_session_saved_itself_is_not_told_back_to_it(agent, env, project):
    own = {**env, "CLAUDE_CODE_SESSION_ID": "s1"}
    subprocess.run([*PALIMP, "add", LEDGER], env=own, cwd=project, check=True, capture_output=True)
    assert asked(agent, "Why does the ledger keep integer cents and not floats?") == ""


def test_after_a_compaction_it_may_be_given_again(agent, save):
    save(LEDGER)
    prompt = "Why does the ledger keep integer cents and not floats?"
    assert asked(agent, prompt)
    assert "integer cents" in agent.hook("SessionStart", source="compact")["additionalContext"]
    assert LEDGER in asked(agent, prompt)


def test_a_session_that_resumes_is_told_only_what_is_new(agent, save):
    assert agent.hook("SessionStart", source="resume") == {}
    save(LEDGER)
    assert "integer cents" in agent.hook("SessionStart", source="resume")["additionalContext"]
    assert agent.hook("SessionStart", source="clear") != {}


def saved_in(agent: Agent, text: str, **more: str) -> None:
    """Save a memory in the session of *agent*."""
    ask_in_session(SessionRef(agent.session, "claude-code"), agent.env, agent.folder, "save_memory", text=text, **more)


def forked(agent: Agent, idle_s: int = 0) -> str:
    """Fork the session of *agent*; return what the fork is given at its start."""
    fork = Agent(agent.env, agent.folder, f"{agent.session}-fork")
    said = fork.hook("SessionStart", source="fork", seconds_since_last_response=idle_s)
    return said.get("additionalContext", "")


def test_what_a_session_did_itself_is_no_news_to_it_nor_to_a_fork(agent):
    """Its own memories and its summary: its client has all of that, and a fork's, too."""
    saved_in(agent, LEDGER, kind="decision")
    saved_in(agent, "We looked at the garden.", kind="summary", source="capture")
    assert agent.hook("SessionStart", source="resume") == {}
    assert forked(agent) == ""
    assert agent.hook("SessionStart", source="resume") == {}


def test_a_session_that_goes_on_is_told_once_what_others_saved_and_nothing_else(agent, save):
    """Of the whole start nothing comes again."""
    save(LEDGER)
    for said in (forked(agent), agent.hook("SessionStart", source="resume")["additionalContext"]):
        assert "integer cents" in said
        assert "garden" not in said
    assert agent.hook("SessionStart", source="resume") == {}


def test_a_fork_knows_what_its_session_was_given_with_prompts(agent, save):
    save(LEDGER)
    prompt = "Why does the ledger keep integer cents and not floats?"
    assert asked(agent, prompt)
    assert forked(agent) == ""
    assert asked(Agent(agent.env, agent.folder, f"{agent.session}-fork"), prompt) == ""


def test_the_same_context_is_the_same_text_after_a_restart(daemon, agent, env, project):
    """So a client that has it twice sends it once."""
    first = Agent(env, project, "one").start()
    daemon.stop()
    daemon.start()
    assert Agent(env, project, "two").start() == first


@pytest.mark.parametrize("client_said", ["<palimp-notes-0a1b2c3d>\nNotes.\n- m1\n</palimp-notes-0a1b2c3d>\n\n", ""])
def test_a_task_that_begins_with_palimps_own_context_is_no_prompt(agent, save, client_said: str):
    """A client starts its subagents so."""
    save(LEDGER)
    said = asked(agent, f"{client_said}Why does the ledger keep integer cents and not floats?")
    assert bool(said) == (not client_said)


def test_when_the_daemon_was_cold_the_first_prompt_brings_the_context(daemon, env, project, save):
    save(LEDGER)
    daemon.kill()
    one = Agent(env, project)
    assert one.start() == ""
    subprocess.run([*PALIMP, "health"], env=env, check=True, capture_output=True)  # which waits for it
    assert "integer cents" in asked(one, "hello there")
    assert asked(one, "hello again") == ""


def test_the_first_prompt_of_a_session_without_a_start_brings_the_context_and_what_bears_on_it(
    agent, env, project, save
):
    save(LEDGER)
    save("Letters are signed with a full name, never who.")
    said = asked(Agent(env, project, "unheard"), "Why does the ledger keep integer cents and not floats?")
    assert "never who" in said
    assert said.index("never who") < said.index("bear on this prompt") < said.rindex("integer cents")


def test_when_the_daemon_hung_at_the_start_too(daemon, env, project, save):
    save(LEDGER)
    one = Agent(env, project)
    one.env["PALIMP_HOOKS_PATIENCE"] = "1"
    os.kill(daemon.pid, signal.SIGSTOP)
    assert one.start() == ""
    os.kill(daemon.pid, signal.SIGCONT)
    one.env["PALIMP_HOOKS_PATIENCE"] = "100"
    assert "integer cents" in asked(one, "hello there")
