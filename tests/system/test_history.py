"""The history of memories, as a person in the terminal and an agent see it."""

import itertools
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_clients import BareClient

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


@pytest.fixture
def run(daemon, env, project: Path):
    """Runs a command in a project and returns what it did."""

    def run(*arguments: str, code: int = 0, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*PALIMP, *arguments], env=env, cwd=project, input=stdin, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def saved(run, text: str, *more: str) -> str:
    return json.loads(run("add", text, "--json", *more).stdout)["id"]


def test_a_person_edits_supersedes_shows_and_takes_back(run):
    old = saved(run, "Retries are three.", "--kind", "decision")
    other = saved(run, "Am Wochenende wird nicht ausgeliefert.")
    edited = run("edit", old, "Retries are five.").stdout
    version = re.findall(r"\((m\w+)\) replaces", edited)[0]
    newest = saved(run, "Retries: nine, since the gateway is slow.", "--replaces", version, "--narrows", other)

    history = run("show", old).stdout.partition("History")[2]
    assert re.findall(r"^[▸ ] \d{4}-\S+ (m\w+)", history, re.MULTILINE) == [old, version, newest]
    assert history.index("▸ ") < history.index(f"replaced by {version}") < history.index(f"replaced by {newest}")
    assert "an edit; link1" in history
    assert "the user said so" in history
    assert "narrowed by" in run("show", other).stdout

    listed = run("undo", "--list").stdout
    assert re.findall(r"^(act\d)", listed, re.MULTILINE) == ["act4", "act3", "act2", "act1"]
    refused = run("undo", "act3", code=1).stderr
    assert f"was replaced by {newest}" in refused
    assert "`palimp undo act4`" in refused
    assert f"deleted: {newest}" in run("undo", "--dry-run").stdout
    assert f"holds again: {version}" in run("undo").stdout
    assert f"holds again: {old}" in run("undo").stdout
    assert run("list", "--json").stdout.count('"id"') == 2
    run("undo", "act6")
    run("undo", "act5")
    run("supersede", old, newest, "--why", "ask Ümit")
    assert "the user said so: 'ask Ümit'" in run("show", old).stdout
    run("supersede", newest, old, code=2)


def test_a_version_is_written_in_the_users_editor(run, env, project: Path, tmp_path: Path):
    old = saved(run, "Retries are three.")
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\nsed -i s/three/five/ "$1"\n')
    editor.chmod(0o700)
    ours, theirs = pty.openpty()
    with_editor = {**env, "EDITOR": f"'{editor}'"}
    command = [*PALIMP, "edit", old]
    done = subprocess.run(
        command, env=with_editor, cwd=project, stdin=theirs, capture_output=True, text=True, check=False
    )
    os.close(ours)
    os.close(theirs)
    assert "Retries are five" in done.stdout, done.stderr
    assert "was replaced by" in run("edit", old, stdin="Retries are six.", code=2).stderr


def test_what_is_beside_a_text_is_changed_without_an_editor(run):
    """The text is then neither asked for nor taken from an empty pipe; what a pipe holds is taken."""
    old = saved(run, "Exports run at night.", "--tag", "ops")
    done = json.loads(run("edit", old, "--tag", "cron", "--kind", "decision", "--json", stdin="").stdout)
    (shown,) = json.loads(run("show", done["id"], "--json").stdout)["memories"]
    assert (shown["content"], shown["tags"], shown["kind"]) == ("Exports run at night.", ["cron"], "decision")
    assert "at noon" in run("edit", done["id"], "--tag", "ops", stdin="Exports run at noon.").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "New", "--replaces", "m0nothing"), "replaces: m0nothing: no such memory"),
        (("supersede", "m0nothing", "m0other"), "m0nothing: no such memory"),
        (("edit", "m0nothing", "x"), "m0nothing: no such memory"),
        (("edit", "m0nothing", " "), "The text is blank"),
        (("undo", "act99"), "act99: no such act or memory"),
        (("undo",), "You have done nothing"),
    ],
)
def test_what_there_is_not_is_a_sentence(run, arguments, said):
    is_nothing_there = said.startswith(("m0nothing: no such", "act99", "You have done nothing"))
    failed = run(*arguments, code=1 if is_nothing_there else 2)
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
    assert run("list", code=1).stdout == "Nothing is stored here yet.\n"


def test_pinned_memories_are_marked_and_told_first(run):
    rule = saved(run, "Never push on Fridays.")
    for number in range(5):
        saved(run, f"Decision {number} about colours", "--kind", "decision")
    assert rule in run("pin", rule).stdout
    assert "[pinned]" in run("list").stdout
    context = run("context").stdout
    assert context.index(rule) < context.index("Decision 4")
    assert "pinned" in context
    assert rule in run("pin").stdout
    run("pin", "--off", rule)
    assert run("pin").stdout == ""
    assert "[pinned]" not in run("list").stdout
    run("pin", "m0nothing", code=1)


def test_muted_memories_are_marked_and_told_only_to_who_asks(run):
    rule = saved(run, "Never push on Fridays.")
    other = saved(run, "Deploys need two reviews.", "--kind", "decision")
    assert rule in run("mute", rule).stdout
    context = run("context").stdout
    assert rule not in context
    assert other in context
    assert "[muted]" in run("search", "fridays").stdout
    assert "muted" in run("show", rule).stdout
    assert run("mute").stdout.startswith(f"{rule}\tNever push on Fridays")
    run("pin", rule)
    assert rule in run("context").stdout
    assert run("mute").stdout == ""
    run("mute", rule)
    run("mute", "--off", rule)
    assert rule in run("context").stdout
    run("mute", "m0nothing", code=1)
    assert "--off needs at least one id" in run("mute", "--off", code=2).stderr


def test_a_memory_in_the_wrong_place_is_moved_and_moved_back(run, env, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    rule = saved(run, "Answer in short sentences.", "--kind", "preference")
    assert f"Moved to all projects: {rule}" in run("move", rule, "--global").stdout
    assert rule in run("context", "--project", str(other)).stdout
    run("undo", "--yes")
    run("context", "--project", str(other), code=1)
    assert f"Moved to other: {rule}" in run("move", rule, "--project", str(other)).stdout
    assert "Moved to all projects" in run("move", rule, "--global", "--from", str(other)).stdout
    run("move", "m0nothing", "--global", code=1)
    assert "is not a folder" in run("move", rule, "--project", str(tmp_path / "none"), code=2).stderr


def test_an_agent_is_asked_and_says_what_it_replaces(daemon, env, project: Path):
    agent = BareClient(env, project)
    agent.initialize()
    numbers = itertools.count(1)

    def call(tool: str, **arguments) -> str:
        return agent.ask(next(numbers), tool, **arguments)

    old = re.findall(r"\((m\w+)\)", call("save_memory", text="Staging is deployed by Jenkins from main."))[0]
    answer = call("save_memory", text="Staging is deployed by GitHub Actions from main.")
    new = re.findall(r"\bm[0-9a-z]{7,11}\b", answer)[0]
    assert old in answer
    assert f'save_memory(text="{new}", replaces=[…])' in answer

    done = call("save_memory", text=new, replaces=[old])
    assert "It replaces, from now on:" in done
    assert old in done
    full = call("recall", ids=[old])
    assert f"replaced by {new}" in full
    assert "an agent said so" in full
