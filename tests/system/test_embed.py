"""Semantic ranking, as a user of palimp[semantic] sees it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from claude_hooks import Agent
from running_daemon import palimp_environment

PALIMP = [sys.executable, "-m", "palimp_shim.cli.main"]


@pytest.fixture
def palimp(home: Path, project: Path):
    """Runs the command line with semantic ranking; the first command starts the daemon."""
    env = palimp_environment(home, PALIMP_SEARCH_SEMANTIC="auto")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def agent_where(palimp, home: Path, project: Path):
    """Starts a session where one memory is known, by its meaning, too."""

    def agent(memory: str) -> Agent:
        palimp("add", memory)
        palimp("embed")
        started = Agent(palimp_environment(home, PALIMP_SEARCH_SEMANTIC="auto", PALIMP_HOOKS_PATIENCE="100"), project)
        started.start()
        return started

    return agent


def test_what_was_saved_is_embedded_and_found_by_meaning(palimp):
    """`palimp embed` waits for it, `--status` tells."""
    palimp("add", "The dog sleeps on the sofa.")

    done = palimp("embed")

    assert done.stdout.startswith("1 of 1 memory embedded with ")
    assert json.loads(palimp("embed", "--status", "--json").stdout)["embedded"] == 1
    assert "dog" in palimp("search", "puppy naps").stdout


def test_a_prompt_brings_what_it_means(agent_where):
    """In no words of the memory's; a task that nothing is known of brings nothing."""
    agent = agent_where("The dog sleeps on the sofa.")

    assert agent.hook("UserPromptSubmit", prompt="rename this variable to total") == {}
    said = agent.hook("UserPromptSubmit", prompt="the puppy takes naps on our couch")

    assert "The dog sleeps" in said["additionalContext"]


def test_a_prompt_in_a_language_that_the_model_does_not_know_goes_by_its_words(agent_where):
    """To the model any two texts in German are alike."""
    agent = agent_where("Die Rechnungen werden nachts erzeugt, weil die Datenbank dann nicht ausgelastet ist.")

    alike = "Die Knöpfe werden nachts nicht angezeigt, weil die Klasse dann nicht geladen ist."
    assert agent.hook("UserPromptSubmit", prompt=alike) == {}
    said = agent.hook("UserPromptSubmit", prompt="Warum werden die Rechnungen nicht mehr nachts erzeugt?")

    assert "Die Rechnungen" in said["additionalContext"]


def test_without_it_the_command_says_what_to_do(env, daemon, project: Path):
    """And fails."""
    done = subprocess.run([*PALIMP, "embed"], env=env, cwd=project, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "search.semantic" in done.stderr  # the tests switch it off
