"""`palimp off`: agents get nothing of palimp in that project, nothing of them is stored, and a person works on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from claude_hooks import Agent
from mcp_clients import text_of
from retry_helper import KEEP, RETRY
from running_daemon import RunningDaemon, wait_until
from sdk_sessions import sdk_session

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
DECISION = "We decided to use ZeroMQ because frames stay whole."


@pytest.fixture
def palimp(env, project):
    """Runs a command; returns what it printed."""

    def run(*arguments: str, code: int = 0, folder: Path = project) -> str:
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


def entry(role: str, text: str) -> str:
    return json.dumps({"type": role, "message": {"role": role, "content": text}}) + "\n"


def test_hooks_say_it_once_and_keep_nothing(daemon, env, project, palimp):
    """Neither context, nor the guard, nor capture; and what was said meanwhile stays out when it is on again."""
    palimp("add", "Retries stop at 3.", "--kind", "decision")
    (project / "a.py").write_text(KEEP + RETRY)
    before = Agent(env, project, "before")
    before.edit("a.py", RETRY, "")
    before.stop()
    wait_until(lambda: "watched" in palimp("changes", "show", "h1"), 60)
    assert "off for" in palimp("off")

    agent = Agent(env, project, "during")
    agent.transcript.write_text(entry("user", DECISION) + entry("assistant", "Noted, and " + "worked on. " * 30))
    said = json.dumps(agent.hook("SessionStart", source="startup", transcript_path=str(agent.transcript)))
    assert "palimp is off for this project" in said
    assert "Retries" not in said
    assert agent.hook("UserPromptSubmit", prompt="retries?", transcript_path=str(agent.transcript)) == {}
    assert agent.hook("SessionStart", source="compact", transcript_path=str(agent.transcript)) == {}
    write = {"tool_name": "Write", "tool_input": {"file_path": str(project / "b.py"), "content": RETRY}}
    assert agent.hook("PreToolUse", **write) == {}
    agent.hook("Stop", transcript_path=str(agent.transcript))
    agent.hook("SessionEnd", transcript_path=str(agent.transcript))
    assert len(palimp("list").splitlines()) == 1
    assert len(palimp("changes", "log").splitlines()) == 1

    palimp("on")
    more = entry("user", "We decided to use SQLite because one file is enough.")
    agent.hook("UserPromptSubmit", prompt="SQLite", transcript_path=str(agent.transcript))
    agent.transcript.write_text(agent.transcript.read_text() + more)
    agent.hook("SessionEnd", transcript_path=str(agent.transcript))
    wait_until(lambda: "SQLite" in palimp("list"), 60)
    assert "ZeroMQ" not in palimp("list")
    assert "deny" in json.dumps(Agent(env, project, "after").hook("PreToolUse", **write))


def test_tools_resources_and_prompts_answer_with_one_sentence(daemon, env, project, palimp):
    """Nothing is stored and nothing is shown; elsewhere everything is as it was, and it lasts."""
    palimp("add", "A secret of this project.")
    other = project.parent / "other"
    other.mkdir()
    palimp("off")
    daemon.stop()
    second = RunningDaemon(env)
    second.start()
    try:

        async def ask() -> None:
            async with sdk_session(env, project) as session:
                tools = await session.list_tools()
                for tool in tools.tools:
                    answer = await session.call_tool(tool.name, {"text": "New.", "query": "secret"})
                    assert "palimp is off for this project" in text_of(answer)
                    assert "secret" not in text_of(answer)
                assert not (await session.list_resources()).resources
            async with sdk_session(env, other) as session:
                assert "Saved" in text_of(await session.call_tool("save_memory", {"text": "Elsewhere."}))

        trio.run(ask)
        assert palimp("search", "secret").count("\n") == palimp("list").count("\n") == 1
        assert "\toff" in palimp("projects")
        assert str(project) in palimp("health")
        assert "off for" in palimp("doctor")
        assert "already" in palimp("off")
        assert "is on for" in palimp("on")
        assert "\toff" not in palimp("projects")
    finally:
        second.process.kill()
        second.process.wait()


def test_a_folder_in_no_project_cannot_be_switched(daemon, env, home, palimp):
    """It is the home folder, whose scope is everywhere."""
    palimp("off", code=2, folder=home)


def test_the_switch_is_in_no_file_of_the_project(daemon, env, project, palimp):
    """It is a person's, and what a clone brings along switches nothing."""
    palimp("off")
    assert list(project.iterdir()) == []
    assert (Path(env["PALIMP_HOME"]) / "palimp.off").read_text() == f'"{project}"\n'
