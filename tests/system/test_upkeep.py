"""Digests, merging and health, as a person and an agent use them."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_clients import BareClient

from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


@pytest.fixture
def palimp(env, project: Path):
    """Runs a command in a project and returns what it printed as JSON; of an error the text."""

    def run(*arguments: str, code: int = 0, **more: str):
        done = subprocess.run(
            [*PALIMP, *arguments, "--json"], env=env | more, cwd=project, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        reply = json.loads(done.stdout)
        return reply["error"]["text"] if "error" in reply else reply

    return run


@pytest.fixture
def add(daemon, env, project: Path):
    """Saves a memory and returns its id: through the socket, since a command for each would take long."""
    client = Client(env)

    def save(text: str, kind: str = "note", folder: Path = project) -> str:
        caller = Caller(ProjectRef(str(folder), folder.name))
        return client.call(OPERATIONS["save_memory"], SaveMemory(text=text, kind=kind), caller).id

    return save


def test_a_digest_tells_every_decision_and_none_that_was_replaced(palimp, add):
    """Planted among notes; with open questions and what is new since the last one."""
    for word in ("amber", "birch", "cedar", "delta"):
        add(f"Decision number {word}: use {word} for the {word} part.", "decision")
    for number in range(30):
        add(f"An everyday note about {'harvest' if number % 3 else 'winter_tires'} step {number}.")
    old = add("Use XML for the wire.", "decision")
    add(f"Use JSON for the wire; supersedes {old}.", "decision")
    add("Shall we support FreeBSD?", "question")
    assert palimp("compact")["total"] == 0

    first = palimp("summarize")
    add("Use plum for the plum part.", "decision")
    second = palimp("summarize")

    for word in ("amber", "birch", "cedar", "delta", "JSON"):
        assert word in first["text"]
    assert "Use XML" not in first["text"]
    assert "FreeBSD" in first["text"]
    assert "Topics: tires (10), winter (10)" in first["text"]
    assert first["memories"] == 36
    assert (first["last_at"], second["new"]) == (None, 1)
    assert [line for line in second["text"].splitlines() if line.startswith("+ ")] == [
        line for line in second["text"].splitlines() if "plum" in line and line.startswith(("+ ", "- "))
    ]
    assert second["text"].count("\n+ ") == 1


def test_a_digest_keeps_its_budget_and_says_what_is_left_out(palimp, add):
    """Whatever the number of memories; a span of time is one, too."""
    for number in range(60):
        add(
            f"Decision {number}: the part numbered {number} is done in its own way, for reasons of its own.",
            "decision",
        )

    small = palimp("summarize", "--tokens", "400")
    assert len(small["text"]) <= 400 * 4
    assert re.search(r"… \d+ more of 60 are left out here", small["text"])
    assert palimp("summarize", "--since", "1h")["memories"] == 60
    assert palimp("summarize", "--until", "2020-01-01", code=1)["memories"] == 0
    assert "is no time that is understood" in palimp("summarize", "--since", "yesterdayish", code=2)
    assert "must be earlier than" in palimp("summarize", "--since", "2020-01-02", "--until", "2020-01-01", code=2)


def test_a_program_may_put_the_digest_into_words(palimp, add, tmp_path: Path):
    """It is given the digest; when it fails, the digest itself is the answer, and that is said."""
    add("Use amber.", "decision")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho In words:\ngrep amber\n")
    program.chmod(0o700)
    palimp("config", "set", "summarize.command", str(program))

    assert re.fullmatch(r"In words:\n- m\w+ [-0-9]+ Use amber", palimp("summarize")["text"])
    program.write_text("#!/bin/sh\nexit 3\n")
    failed = palimp("summarize")
    assert "Use amber" in failed["text"]
    assert "exited with 3" in failed["notes"][0]


def test_what_says_the_same_is_shown_merged_and_taken_back(palimp, add):
    """The older gives way; what differs in a number or a word stays; undo makes all as it was."""
    older = add("Deploys need the VPN.", "finding")
    newer = add("Deploys need the VPN, started with the corp client.", "finding")
    for text in ("The limit is 20.", "The limit is 30.", "We use Redis for caching.", "We use Kafka for caching."):
        add(text)

    plan = palimp("compact")
    assert [(merge["id"], merge["into"]) for merge in plan["merges"]] == [(older, newer)]
    assert not plan["is_applied"]
    assert "superseded_by" not in palimp("show", older)["memories"][0]

    done = palimp("compact", "--apply")
    assert (done["total"], done["is_applied"]) == (1, True)
    assert palimp("show", older)["memories"][0]["superseded_by"].startswith(newer)
    assert palimp("compact")["total"] == 0

    undone = palimp("undo")
    assert (undone["act"]["kind"], undone["act"]["total"]) == ("compact", 1)
    assert "superseded_by" not in palimp("show", older)["memories"][0]


def test_undo_leaves_what_was_purged_since(palimp, add):
    """It is named."""
    older = add("Tests need a running Postgres server.")
    add("The tests need a running Postgres server!")
    palimp("compact", "--apply")
    compacted = palimp("undo", "--list")["acts"][0]["name"]
    palimp("delete", older)

    undone = palimp("undo", compacted)
    assert undone["effects"] == []
    assert undone["left"][0]["id"] == older


def test_projects_are_not_mixed(palimp, add, project: Path):
    """The same text in two projects stays in both, and undo is the project's own."""
    other = project.parent / "other"
    other.mkdir()
    add("Tests need a running Postgres server.")
    add("Tests need a running Postgres server.", folder=other)

    assert palimp("compact")["total"] == 0


def test_an_agent_sees_the_plan_and_hears_how_far_it_is(daemon, env, project: Path):
    """With a progress token the client is told; `undo` is not for agents."""
    client = BareClient(env, project)
    client.initialize()
    client.ask(1, "save_memory", text="Tests need a running Postgres server.")
    client.ask(2, "save_memory", text="The tests need a running Postgres server!")

    assert "apply=true does it" in client.ask(3, "compact")
    client.request(4, "tools/call", {"name": "compact", "arguments": {"apply": True}, "_meta": {"progressToken": "t"}})
    steps = []
    while "id" not in (message := client.read()):
        steps.append(message["params"])
    assert "1 superseded" in message["result"]["content"][0]["text"]
    assert steps
    assert [step["progress"] for step in steps] == sorted({step["progress"] for step in steps})
    assert {step["progressToken"] for step in steps} == {"t"}
    assert "terminal only" in client.ask(5, "undo")
    assert client.close() == 0


def test_health_tells_who_is_there_how_fast_it_is_and_where_memories_are(palimp, add, daemon, env, project: Path):
    """Counted since the daemon started; names of projects are for the person only."""
    client = BareClient(env, project)
    client.initialize()
    add("Something.")
    add("Something else.", "decision")
    (hidden := project.parent / "zanzibar").mkdir()
    add("Elsewhere.", folder=hidden)
    palimp("search", "something", "--kind", "note")

    health = palimp("health")
    assert [(each["name"], each["count"]) for each in health["store"]["by_project"]] == [
        (project.name, 2),
        ("zanzibar", 1),
    ]
    assert [(each["pid"], each["project"]) for each in health["sessions"]] == [(client.process.pid, project.name)]
    counted = {each["operation"]: each for each in health["latencies"]}
    assert (counted["save_memory"]["count"], counted["recall"]["count"]) == (3, 1)
    assert 0 < counted["recall"]["p50_ms"] <= counted["recall"]["p99_ms"]
    assert health["canary"] is None
    told = client.ask(1, "health")
    assert "save_memory" in told
    assert "zanzibar" not in told
    assert client.close() == 0


def test_health_can_be_watched(daemon, env, project: Path):
    """It prints again and again until interrupted, which is no failure."""
    watching = subprocess.Popen([*PALIMP, "health", "--watch"], env=env, cwd=project, stdout=subprocess.PIPE, text=True)
    assert watching.stdout
    with watching.stdout as lines:
        times = 0
        for line in lines:
            times += line.startswith("daemon ")
            if times == 2:
                break
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=60) == 0
