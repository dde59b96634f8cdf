"""Claude Code's own memory, through a real daemon: found by all clients of a project, not written, not told unasked."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent
from claude_notes import ClaudeHome
from daemon_asking import ask
from mcp_clients import text_of
from sdk_sessions import sdk_session

SECRET = "AKIA" + "IOSFODNN7ABCDEFG"
NOTE = f"Never deploy before holidays, the kangaroo is away; {SECRET}.\n\n<private>She earns less.</private>"
INDEX = "- [Deploys](deploys.md) — when to deploy\n- The wallaby is a mascot of the project\n"


@pytest.fixture
def claude(home: Path, project: Path) -> ClaudeHome:
    """Claude Code has worked in the project, and has written a note."""
    made = ClaudeHome(home)
    made.was_in(project)
    made.note(project, "deploys", NOTE, "when to deploy", "feedback")
    (made.memory(project) / "MEMORY.md").write_text(INDEX)
    return made


@pytest.fixture
def palimp(env: dict[str, str], project: Path):
    """Runs a command in the project; returns what it printed."""

    def run(*arguments: str, code: int = 0, folder: Path = project) -> str:
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return run


def bytes_below(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the time of change and the bytes of each file below *folder*."""
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files_below(folder)}


def files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def test_it_is_found_shown_and_named_in_the_terminal(daemon, claude: ClaudeHome, project: Path, home: Path, palimp):
    before = bytes_below(home / ".claude")
    palimp("add", "The kangaroo deploys at noon.", "--kind", "decision")
    memory, note, *_ = [line.split("\t") for line in palimp("search", "kangroo deploy").splitlines()]
    assert (memory[2], note[2]) == ("decision", "claude-memory")
    assert note[-1] == str(claude.memory(project) / "deploys.md")
    shown = palimp("show", note[0])
    assert "<redacted:aws-key>" in shown
    assert note[-1] in shown
    assert SECRET not in shown
    assert "earns" not in shown
    listed = palimp("list", "--kind", "claude-memory")
    assert listed.count("claude-memory") == 2
    assert "wallaby" in listed
    assert f"2 files of '{claude.memory(project)}'" in palimp("health")
    assert bytes_below(home / ".claude") == before


def test_nothing_of_it_is_kept_exported_or_backed_up(daemon, claude: ClaudeHome, home: Path, palimp):
    palimp("add", "An opossum.")
    assert "kangaroo" in palimp("search", "kangaroo")
    palimp("export", str(home / "out.jsonl"))
    palimp("backup", str(home / "backup.db"))
    assert "opossum" in (home / "out.jsonl").read_text()
    for file in (home / "out.jsonl", home / "backup.db", *files_below(home / "state")):
        assert b"kangaroo" not in file.read_bytes(), file


async def test_an_agent_of_another_client_finds_it_and_one_of_another_project_does_not(
    daemon, claude: ClaudeHome, env: dict[str, str], project: Path, home: Path
):
    other = home / "other"
    os.mkdir(other)  # noqa: PTH102
    async with sdk_session(env, project) as session:
        text = text_of(await session.call_tool("recall", {"query": "deploy before holidays?"}))
        assert text.startswith("No memory answers")
        assert "From agents' own memories" in text
        assert str(claude.memory(project) / "deploys.md") in text
        found = text_of(await session.call_tool("recall", {"kind": "claude-memory"}))
        assert "wallaby" in found
    async with sdk_session(env, other) as session:
        for request in ({"query": "deploy before holidays?", "scope": "all"}, {"kind": "claude-memory"}):
            assert "kangaroo" not in text_of(await session.call_tool("recall", request))


def test_nothing_of_it_is_told_unasked(daemon, claude: ClaudeHome, env: dict[str, str], project: Path, palimp):
    """Claude Code tells a session its index itself."""
    palimp("add", "The kangaroo deploys at noon.", "--kind", "decision")
    palimp("search", "kangaroo")
    (project / "deploys.md").write_text("when")
    agent = Agent(env, project)
    context = agent.start()
    assert "at noon" in context
    said = [context, json.dumps(agent.hook("UserPromptSubmit", prompt="May I deploy before holidays, kangaroo?"))]
    read = {"tool_name": "Read", "tool_input": {"file_path": str(project / "deploys.md")}}
    said.append(json.dumps(agent.hook("PreToolUse", **read)))
    said += [palimp("context"), palimp("summarize", "--since", "7d")]
    for text in said:
        assert "wallaby" not in text
        assert "before holidays" not in text


async def test_where_palimp_is_off_agents_find_none_of_it(daemon, claude: ClaudeHome, env, project: Path, palimp):
    palimp("off")
    async with sdk_session(env, project) as session:
        for request in ({"query": "kangaroo"}, {"kind": "claude-memory"}):
            text = text_of(await session.call_tool("recall", request))
            assert "palimp is off for this project" in text
            assert "kangaroo" not in text


def test_it_can_be_switched_off(daemon, claude: ClaudeHome, env: dict[str, str], project: Path, palimp):
    assert ask(env, project, "recall", query="kangaroo").claude_memory
    palimp("config", "set", "recall.claude_memory", "off")
    assert ask(env, project, "recall", query="kangaroo").claude_memory == []
    assert "recall.claude_memory is off" in palimp("health")
    palimp("search", "kangaroo", "--kind", "claude-memory", code=2)


def test_odd_files_hold_nobody_up(daemon, claude: ClaudeHome, env: dict[str, str], project: Path):
    folder = claude.memory(project)
    os.mkfifo(folder / "pipe.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    with (folder / "giant.md").open("wb") as file:
        file.truncate(2**40)
    (folder / "latin.md").write_bytes(b"---\nname: [\xe9\n---\nThe caf\xe9 of the platypus.")
    assert ask(env, project, "recall", query="platypus").claude_memory
    assert ask(env, project, "recall", query="kangaroo").claude_memory
