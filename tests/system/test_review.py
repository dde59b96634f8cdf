"""What capture proposes waits: it is found, listed nowhere by itself, and a person keeps, edits or drops it."""

import json
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent
from mcp_clients import BareClient, text_of
from sdk_sessions import sdk_session
from terminals import on_terminal

CENTS = "We decided to keep money in integer cents, because floats lost a cent in March."
SHORT = "Von jetzt an immer Vorkasse bei Bestellungen aus Übersee, das ist so beschlossen."
TABS = "Please always use tabs for indentation in this repository, never spaces."
SAID = f"User: {CENTS}\nAssistant: Noted.\nUser: {SHORT}\nAssistant: Gut.\nUser: {TABS}\nAssistant: Fine.\n"
PROMPT = "[s]top: "


@pytest.fixture
def run(daemon, env, project: Path):
    """Runs `palimp` in the project and returns what it printed."""

    def palimp(*arguments: str, text: str = "", code: int = 0) -> str:
        command = [*PALIMP, *arguments]
        done = subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=False, input=text)
        assert done.returncode == code, done.stderr
        return done.stdout

    return palimp


@pytest.fixture
def waiting(run):
    """Returns the titles of the proposals that wait, the last one first, by what they are about."""
    run("capture", "-", text=SAID)

    def titles() -> list[str]:
        return [each["title"] for each in json.loads(run("review", "--json"))["proposals"]]

    return titles


def test_a_proposal_is_found_with_that_word_and_told_at_no_start_and_in_no_digest(run, waiting, env, project):
    assert len(waiting()) == 3
    assert "[proposal]" in run("search", "integer cents")
    one = Agent(env, project)
    assert "integer cents" not in one.start()
    assert "integer cents" not in run("summarize", code=1)


def test_on_a_terminal_one_key_answers_each_and_what_was_answered_is_done_when_it_stops(run, waiting, env, project):
    shown, code = on_terminal(
        ["review"], env, project, 120, answers=[(PROMPT, "xk"), (PROMPT, "d"), (PROMPT, "s")]
    )  # x says nothing
    assert code == 0, shown
    assert "1 kept, 1 dropped; 1 proposal left." in shown
    assert [title[:10] for title in waiting()] == [CENTS[:10]]
    assert "tabs" in Agent(env, project).start()
    assert run("search", "Vorkasse", code=1).startswith("No memory")
    assert "[proposal]" not in run("search", "tabs for indentation")


def test_an_edited_proposal_is_kept_as_it_was_edited(run, waiting, env, project, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'Indent with tabs of width 8.' > \"$1\"\n")
    editor.chmod(0o755)
    shown, code = on_terminal(
        ["review"], {**env, "EDITOR": str(editor)}, project, 120, answers=[(PROMPT, "e"), (PROMPT, "\x1b")]
    )
    assert code == 0, shown
    assert "1 edited; 2 proposals left." in shown
    assert "tabs of width 8" in Agent(env, project).start()


def test_no_editor_is_said_and_the_question_asked_again(run, waiting, env, project):
    bare = {name: value for name, value in env.items() if name not in ("EDITOR", "VISUAL")}
    shown, code = on_terminal(["review"], bare, project, 120, answers=[(PROMPT, "e"), (PROMPT, "n"), (PROMPT, "q")])
    assert code == 0, shown
    assert "No editor is set." in shown
    assert len(waiting()) == 3


def test_scripts_name_what_is_kept_and_dropped(run, waiting):
    ids = [line.split("\t")[0] for line in run("review").splitlines()]
    said = run("review", "--keep", ids[0], "--drop", ids[1])
    assert said.startswith(f"Kept {ids[0]}")
    assert f"Dropped {ids[1]}" in said
    run("review", "--keep", ids[0], "m0nothing", code=1)
    run("review", "--keep", ids[2], "--drop", ids[2], code=2)
    assert len(waiting()) == 1


@pytest.mark.parametrize("said", [CENTS, "Money is kept in integer cents, because floats lost a cent in March."])
async def test_an_agent_that_saves_the_same_confirms_it(run, waiting, env, project, said):
    async with sdk_session(env, project) as session:
        saved = text_of(await session.call_tool("save_memory", {"text": said, "kind": "decision"}))
    assert saved.startswith(("Saved", "Already saved"))
    assert len(waiting()) == 2
    assert "integer cents" in Agent(env, project).start()


def test_what_the_user_asked_to_be_remembered_does_not_wait(run, env, project):
    run("capture", "-", text="User: Remember this: the staging database is reset every Monday.\nAssistant: Noted.\n")
    assert json.loads(run("review", "--json"))["total"] == 0
    assert "staging database" in Agent(env, project).start()


def test_the_same_said_again_elsewhere_confirms_it(run, waiting):
    again = CENTS.replace("We decided", "As I said, we decided")
    run("capture", "-", text=f"User: {again}\nAssistant: Yes.\n", code=1)
    assert len(waiting()) == 2


def test_an_export_carries_what_waits(run, waiting, env, project, tmp_path):
    run("export", str(tmp_path / "all.jsonl"))
    for line in run("review").splitlines():
        run("delete", line.split("\t")[0], "--hard", "--yes")
    assert waiting() == []
    run("import", str(tmp_path / "all.jsonl"))
    assert len(json.loads(run("review", "--json"))["proposals"]) == 3


def test_a_start_says_once_that_proposals_wait(run, waiting, env, project):
    assert "3 memories await" in Agent(env, project, "one").start()
    assert "await the user's" not in Agent(env, project, "two").start()


def test_a_prompt_brings_it_only_once_it_is_kept(run, env, project):
    said = "From now on retries of the upstream always end after three, its quota is spent then."
    run("capture", "-", text=f"User: {said}\nAssistant: Noted.\n")
    run("config", "set", "mcp.context_tokens", "60")  # else the start tells it, once it is kept
    prompt = "The upstream quota is spent again, so please look at the retries of the upstream"
    waiting, kept = Agent(env, project, "one"), Agent(env, project, "two")
    waiting.start()
    assert "end after three" not in str(waiting.hook("UserPromptSubmit", prompt=prompt))
    run("review", "--keep", run("review").split("\t")[0])
    kept.start()
    assert "end after three" in str(kept.hook("UserPromptSubmit", prompt=prompt))


def test_agents_saves_wait_if_the_user_wants_it_and_the_agent_is_told_so(daemon, run, env, project: Path):
    agent = BareClient(env, project)
    agent.initialize()
    assert "is not for agents" in agent.ask(1, "config", key="save.review", value="never")
    run("config", "set", "save.review", "agents")
    assert "It waits for the user's yes" in agent.ask(2, "save_memory", text=TABS, kind="preference")
    assert "1 memory awaits" in Agent(env, project, "one").start()
    assert "proposal" in agent.ask(3, "recall", query="tabs")
    [waiting] = json.loads(run("review", "--json"))["proposals"]
    refused = subprocess.run(
        [*PALIMP, "review", "--keep", waiting["id"]],
        env=env | {"CLAUDE_CODE_SESSION_ID": "s9"},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "only a person confirms it" in refused.stderr
    assert "tabs" not in Agent(env, project, "two").start()
    run("review", "--keep", waiting["id"])
    assert "tabs" in Agent(env, project, "three").start()


def test_no_command_of_an_agent_saves_for_all_projects(run, env, project: Path):
    for more in ({"CLAUDECODE": "1"}, {"GEMINI_CLI": "1"}):
        for arguments in (["add", TABS, "--global"], ["add", TABS, "--project", "/"]):
            command = [*PALIMP, *arguments]
            done = subprocess.run(command, env=env | more, cwd=project, capture_output=True, text=True, check=False)
            assert "Only a person" in done.stderr
    run("add", TABS, "--global")


def test_what_is_said_of_all_projects_is_proposed_for_all(run, env, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    run("capture", "-", text=f"User: {TABS.replace('in this repository', 'in all my projects')}\nAssistant: Fine.\n")
    [proposal] = json.loads(run("review", "--json"))["proposals"]
    assert (proposal["is_proposal"], proposal["waits_for_all"]) == (True, True)
    run("review", "--keep", proposal["id"])
    assert "tabs" in Agent(env, other).start()


def test_what_an_agent_saves_for_all_projects_waits_for_the_users_yes(daemon, env, project: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    agent = BareClient(env, project)
    agent.initialize()
    asked = {"text": "Answer in short sentences.", "kind": "preference", "scope": "global"}
    answer = agent.ask(7, "save_memory", **asked)
    assert "in all projects once the user says yes" in answer
    shown, code = on_terminal(["review"], env, project, 120, answers=[("ext  [s]top: ", "n")])
    assert code == 0, shown
    assert "for all projects, once you say yes" in shown
    assert "[h]ere only" in shown
    assert "short sentences" not in Agent(env, other).start()
    on_terminal(["review"], env, project, 120, answers=[("ext  [s]top: ", "k")])
    assert "short sentences" in Agent(env, other).start()


def test_memories_that_disagree_are_listed_with_what_settles_it(run, env, project):
    """Until that is done; and not to who answers a proposal."""
    older = json.loads(run("add", "Deploys go out on Tuesdays after the café stand-up ☕", "--json"))["id"]
    newer = json.loads(run("add", "Deploys go out on Fridays, שלום", "--json"))["id"]
    run("supersede", older, newer, "--disagrees")
    listed = run("review")
    assert [line.partition("  ")[0] for line in listed.splitlines()[:2]] == [newer, ""]
    assert f"disagrees with {older}" in listed
    shown, code = on_terminal(["review"], env, project, 80)
    assert code == 0
    assert f"the newer holds: palimp supersede {older} {newer}" in shown
    assert "proposal" not in shown
    assert "disagrees" not in run("review", "--drop", "mzzzzzzz", code=1)
    both = next(line for line in listed.splitlines() if "both hold:" in line)
    run(*both.split("palimp ")[1].split(), "--yes")
    assert "disagrees" not in run("review")
    run("supersede", older, newer, "--disagrees")
    run("supersede", older, newer)
    assert "disagrees" not in run("review")
