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
    """Runs the command line with semantic ranking; the first command starts the daemon, which waits for a model."""
    env = palimp_environment(home, PALIMP_SEARCH_SEMANTIC="auto", PALIMP_HOOKS_PATIENCE="100")

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


def found(palimp, query: str) -> list[str]:
    """Return the titles of what is found, once the embedder has started."""
    while (reply := json.loads(palimp("search", query, "--json").stdout)).get("notes"):
        pass
    return [memory["title"] for memory in (*reply.get("memories", ()), *reply.get("unrelated", ()))]


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


@pytest.mark.parametrize("model", ["auto", "minilm"])
def test_a_prompt_in_another_language_brings_nothing_that_is_only_alike(palimp, agent_where, model: str):
    """To a model for English any two texts in German are alike; a multilingual one is asked in its place."""
    palimp("config", "set", "search.embedding_model", model)
    agent = agent_where("Die Rechnungen werden nachts erzeugt, weil die Datenbank dann nicht ausgelastet ist.")

    alike = "Die Knöpfe werden nachts nicht angezeigt, weil die Klasse dann nicht geladen ist."
    assert agent.hook("UserPromptSubmit", prompt=alike) == {}
    said = agent.hook("UserPromptSubmit", prompt="Warum werden die Rechnungen nicht mehr nachts erzeugt?")

    assert "Die Rechnungen" in said["additionalContext"]


def test_a_question_finds_what_was_saved_in_another_language(palimp):
    """In either direction, as soon as there is something that is not English."""
    palimp("add", "The dog sleeps on the sofa.")
    palimp("add", "Die Rechnungen werden freitags bezahlt, weil die Bank sie dann nicht mehr ändert.")
    palimp("embed")

    assert "Rechnungen" in found(palimp, "when do we pay invoices")[0]
    assert "dog" in found(palimp, "wo schläft der Hund eigentlich, wenn er nicht im Garten ist")[0]


def test_another_model_embeds_everything_again_while_recall_works(palimp):
    """The daemon goes on running, and `palimp embed` waits with lines of progress where there is no terminal."""
    for number in range(30):
        palimp("add", f"The importer reads file number {number} in blocks. " * 12)
    palimp("add", "The dog sleeps on the sofa.")
    assert palimp("embed").stdout == "31 of 31 memories embedded with minilm and multilingual\n"
    assert "dog" in found(palimp, "puppy naps")[0]
    daemon = json.loads(palimp("health", "--json").stdout)["pid"]

    palimp("config", "set", "search.embedding_model", "multilingual")
    status = json.loads(palimp("embed", "--status", "--json").stdout)
    health = json.loads(palimp("health", "--json").stdout)
    meanwhile = found(palimp, "puppy naps")

    assert status["model"] == "multilingual"
    assert status["embedded"] < 31
    assert "to be embedded" in health["semantic"]
    assert "dog" in meanwhile[0]
    assert palimp("embed").stdout == "31 of 31 memories embedded with multilingual\n"
    assert "dog" in found(palimp, "puppy naps")[0]
    assert json.loads(palimp("health", "--json").stdout)["pid"] == health["pid"] == daemon


def test_without_it_the_command_says_what_to_do(env, daemon, project: Path):
    """And fails."""
    done = subprocess.run([*PALIMP, "embed"], env=env, cwd=project, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "search.semantic" in done.stderr  # the tests switch it off
