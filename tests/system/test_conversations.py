"""What is said in sessions, through a real daemon: kept once, found below memories, kept out, erased, taken up."""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from claude_hooks import PALIMP, Agent
from conversation_services import transcript
from daemon_asking import ask
from running_daemon import RunningDaemon, wait_until

from palimp_protocol.env.paths import conversations_path, state_directory
from palimp_protocol.messages.memory_messages import Memory

SECRET = "AKIA" + "IOSFODNN7ABCDEFG"
QUESTION = "Why does the zebrafish exporter time out?"
ANSWER = "The exporter waits for a pool of two connections."


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    """Give hooks all the time they need, in the daemon, too: a start that is late reads no commits."""
    return {**env, "PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def palimp(env: dict[str, str], project: Path):
    """Runs a command in the project; returns what it printed."""

    def run(*arguments: str, code: int = 0, text: str = "", folder: Path = project) -> str:
        done = subprocess.run(
            [*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, text=True, check=False, input=text
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def capture(env: dict[str, str], project: Path):
    """Gives a transcript to palimp, whether or not a memory is in it."""

    def run(*texts: str, session: str = "s1") -> None:
        command, text = [*PALIMP, "capture", "-"], transcript(*texts, session=session)
        done = subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=False, input=text)
        assert done.returncode in (0, 1), done.stderr

    return run


@pytest.fixture
def said(daemon: RunningDaemon, env: dict[str, str], project: Path):
    """Returns the turns of the project, the newest first."""
    return lambda: [row.title for row in turns(env, project)]


def turns(env: dict[str, str], project: Path, **more: Any) -> list[Memory]:
    return ask(env, project, "recall", **{"kind": "conversation", "limit": 50, **more}).memories


def by_itself(env: dict[str, str], project: Path, query: str) -> list[str]:
    """Return what is told of conversations where nobody asks for a kind."""
    return [row.title for row in ask(env, project, "recall", query=query).conversations]


def in_state(env: dict[str, str], text: str) -> list[str]:
    """Return the files of the state folder that have *text*."""
    folder = Path(state_directory(env))
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def session(home: Path, name: str, project: Path, *texts: str) -> Path:
    """Write a session that a client wrote before palimp was there."""
    path = home / ".claude" / "projects" / "-project" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(transcript(*texts, folder=str(project), session=name))
    return path


# --- found ---------------------------------------------------------------------------------------


def test_a_captured_transcript_is_found_where_no_memory_answers_and_not_where_one_does(
    daemon, env, project, palimp, capture
):
    palimp("add", "Money is stored in integer cents.", "--kind", "decision")
    capture(QUESTION, ANSWER, "Store the money in integer cents, please.")
    assert QUESTION in " ".join(by_itself(env, project, "zebrafish exporter"))
    certain = ask(env, project, "recall", query="money is stored in integer cents")
    assert certain.is_certain
    assert certain.conversations == []
    capture(QUESTION, ANSWER, "Store the money in integer cents, please.")
    assert len(turns(env, project)) == 3


def test_a_transcript_that_grows_is_read_on_with_each_turn(env, project, said: Callable[[], list[str]]):
    agent = Agent(env, project)
    agent.says(QUESTION, ANSWER)
    agent.stop()
    wait_until(lambda: len(said()) == 2, 20, lambda: str(said()))
    agent.says("Make the pool larger.", "It has ten connections.")
    agent.stop()
    wait_until(lambda: len(said()) == 4, 20, lambda: str(said()))
    agent.stop()
    agent.end()
    assert sorted(said()) == sorted([QUESTION, ANSWER[:-1], "Make the pool larger", "It has ten connections"])


def test_a_kind_lists_with_session_client_and_date_and_what_was_said_around(daemon, env, project, palimp, capture):
    capture("one word", "two words", "three words")
    listed = turns(env, project)
    assert [row.title for row in listed] == ["three words", "two words", "one word"]
    assert {(row.client, row.kind) for row in listed} == {("claude-code", "conversation")}
    [whole] = ask(env, project, "recall", id=listed[1].id).memories
    assert whole.content == "user: one word\n\nassistant: two words\n\nuser: three words"
    assert whole.session == "s1"
    assert "2025-11-21" in palimp("search", "two", "words", "--kind", "conversation")


def test_turns_without_a_session_are_those_of_the_newest_that_has_some(daemon, env, project, palimp, capture):
    capture("said at first", session="older")
    capture("said at last", session="newer")
    assert "said at last" in palimp("turns")
    palimp("delete", "--session", "newer", "--hard", "--yes")
    assert "said at first" in palimp("turns")


def test_what_was_said_in_a_session_is_printed_slice_by_slice(daemon, env, project, palimp, capture):
    """Fifty turns at a time, from a turn's number on or around one that a search found; none of another project."""
    capture(*[f"word {number}" for number in range(1, 61)])
    first = palimp("turns", "s1")
    assert "word 50\n" in first
    assert "word 51\n" not in first
    rest = palimp("turns", "s", "--from", "51")
    assert rest.count("word") == 10
    [found] = turns(env, project, query="word 57", limit=1)
    assert json.loads(palimp("turns", "s1", "--at", found.id, "--json"))["first"] == 51
    assert palimp("turns", "s1", "--from", "99") == ""
    assert json.loads(palimp("turns", "--at", found.id, "--json"))["first"] == 51
    (elsewhere := project.parent / "elsewhere").mkdir()
    palimp("turns", "s1", folder=elsewhere, code=1)
    palimp("turns", folder=elsewhere, code=1)
    palimp("config", "set", "conversations.keep", "off")
    palimp("turns", "s1", code=2)


def test_ids_of_turns_and_memories_are_viewed_in_their_order(daemon, env, project, palimp, capture):
    capture("one word", "two words")
    palimp("add", "A memory.")
    memory = ask(env, project, "recall").memories[0].id
    two, one = (row.id for row in turns(env, project))
    for names in ([one, memory, two], [memory, two, one]):
        assert [row.id for row in ask(env, project, "recall", ids=names).memories] == names


def test_git_s_messages_are_found(daemon, env, project, palimp):
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "Drop quokka\n\nIt lost keys."]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments], cwd=project, check=True, env=env
        )
    Agent(env, project).start()
    wait_until(lambda: turns(env, project, kind="commit"), 60)
    assert [row.title for row in turns(env, project, kind="commit", query="quokka")] == ["Drop quokka"]


# --- kept out ------------------------------------------------------------------------------------


def test_what_is_said_while_palimp_is_off_stays_out_also_when_it_is_on_again(
    env, project, palimp, said: Callable[[], list[str]]
):
    agent = Agent(env, project)
    agent.says("said before")
    agent.stop()
    wait_until(lambda: said() == ["said before"], 60)
    palimp("off")
    agent.says("said during")
    agent.stop()
    agent.end()
    palimp("on")
    agent.hook("UserPromptSubmit", prompt="said after")
    agent.says("said after")
    agent.stop()
    wait_until(lambda: "said after" in said(), 60)
    assert sorted(said()) == ["said after", "said before"]
    assert "conversations.db" not in in_state(env, "said during")


def test_the_first_look_at_a_session_may_be_while_palimp_is_off(env, project, palimp, said: Callable[[], list[str]]):
    palimp("off")
    agent = Agent(env, project)
    agent.says("said during")
    agent.stop()
    palimp("on")
    agent.hook("UserPromptSubmit", prompt="said after")
    agent.says("said after")
    agent.stop()
    wait_until(lambda: said() == ["said after"], 20, lambda: str(said()))


def test_secrets_and_what_is_private_are_in_no_byte_of_the_store(env, project, said: Callable[[], list[str]]):
    agent = Agent(env, project)
    agent.says(f"The key is {SECRET} here", "Noted <private>the diary</private> well.")
    agent.stop()
    wait_until(lambda: len(said()) == 2, 60)
    assert in_state(env, SECRET) == []
    assert in_state(env, "the diary") == []


def test_with_keep_off_nothing_is_kept_and_recall_says_so(daemon, env, project, home, palimp, capture):
    palimp("config", "set", "conversations.keep", "off")
    session(home, "old", project, "said before")
    agent = Agent(env, project)
    agent.says("said now")
    agent.stop()
    capture("said in a text")
    done = subprocess.run(
        [*PALIMP, "conversations", "--read"], env=env, cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "conversations.keep is off" in done.stderr
    done = subprocess.run(
        [*PALIMP, "search", "said", "--kind", "conversation"], env=env, cwd=project, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert "conversations.keep is off" in done.stderr
    palimp("stop")
    kept = b"".join(file.read_bytes() for file in Path(conversations_path(env)).parent.glob("conversations.*"))
    assert not [said for said in (b"said before", b"said now", b"said in a text") if said in kept]


# --- erased --------------------------------------------------------------------------------------


def test_an_erased_turn_is_in_no_file_and_does_not_come_back(env, project, home, palimp, said):
    """Neither when its session goes on, nor when its file is read from the beginning, nor from the clients' history."""
    agent = Agent(env, project)
    agent.says("Remember the wolverine", "It is remembered.")
    agent.stop()
    wait_until(lambda: len(said()) == 2, 60)
    assert in_state(env, "wolverine")
    [turn] = [row for row in turns(env, project) if "wolverine" in row.title]
    assert "Erased" in palimp("delete", "--hard", "--yes", turn.id)
    assert in_state(env, "wolverine") == []

    agent.says("Go on.")
    agent.stop()
    wait_until(lambda: len(said()) == 2, 60)
    agent.transcript.write_text("{}\n" + agent.transcript.read_text())
    agent.says("Go on again.")
    agent.stop()
    wait_until(lambda: len(said()) == 3, 60)
    assert in_state(env, "wolverine") == []
    assert "wolverine" in agent.transcript.read_text()


@pytest.mark.parametrize("option", [["--session", "old"], ["--containing", "wolverine"], ["--conversations"]])
def test_what_clients_wrote_before_is_erased_and_not_read_again(daemon, env, project, home, palimp, option: list[str]):
    path = session(home, "old", project, "the wolverine sleeps", "the wolverine wakes")
    palimp("conversations", "--read")
    assert len(turns(env, project)) == 2
    assert "Erased 2 turns and commits" in palimp("delete", "--hard", "--yes", *option)
    assert in_state(env, "wolverine") == []
    path.write_text("{}\n" + path.read_text() + transcript("afterwards", first=2, folder=str(project), session="old"))
    palimp("conversations", "--read")
    assert [row.title for row in turns(env, project)] == ["afterwards"]
    assert in_state(env, "wolverine") == []


# --- taken up again, damaged, bounded ------------------------------------------------------------


def test_reading_what_clients_wrote_survives_kills_and_doubles_and_loses_nothing(daemon, env, project, home, palimp):
    wanted = set()
    for number in range(60):
        texts = [f"word{number} turn{place} " + "and so on " * 40 for place in range(40)]
        wanted |= {f"word{number} turn{place}" for place in range(40)}
        session(home, f"s{number:02}", project, *texts)

    def is_read_on(reading: subprocess.Popen[bytes], before: int) -> bool:
        return ask(env, project, "conversations").turns > before or reading.poll() == 0

    kills = 0
    for _ in range(4):
        reading = subprocess.Popen(
            [*PALIMP, "conversations", "--read"], env=env, cwd=project, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        before = ask(env, project, "conversations").turns
        wait_until(partial(is_read_on, reading, before), 60)
        daemon.kill()
        kills += 1
        reading.kill()
        reading.wait()
        daemon.start()

    def is_done() -> bool:
        status = ask(env, project, "conversations")
        return not status.is_reading and status.turns >= len(wanted)

    wait_until(is_done, 120, lambda: str(ask(env, project, "conversations")))
    assert kills == 4
    found: list[str] = []
    while page := turns(env, project, offset=len(found)):
        found += [" ".join(row.title.split()[:2]) for row in page]
    assert sorted(found) == sorted(wanted)
    assert ask(env, project, "conversations").turns == len(wanted)


def test_a_damaged_store_is_put_aside_and_memories_are_served(daemon, env, project, palimp, capture):
    palimp("add", "Money is stored in integer cents.")
    capture("one word")
    assert daemon.stop() == 0  # whatever is in its log is in it
    store = Path(conversations_path(env))
    store.write_bytes(b"\xff" * 50_000)
    daemon.start()
    assert [row.title for row in ask(env, project, "recall", query="integer cents").memories]
    assert turns(env, project) == []
    assert store.with_suffix(".damaged").read_bytes() == b"\xff" * 50_000
    capture("one word")
    assert [row.title for row in turns(env, project)] == ["one word"]


def test_neither_a_backup_nor_an_export_has_them(daemon, env, project, palimp, capture, tmp_path: Path):
    palimp("add", "A memory of marmots.")
    capture("the wolverine sleeps")
    palimp("export", str(tmp_path / "out.jsonl"))
    palimp("backup", str(tmp_path / "copy.db"))
    for name in ("out.jsonl", "copy.db"):
        data = (tmp_path / name).read_bytes()
        assert b"marmots" in data
        assert b"wolverine" not in data


def test_health_and_the_doctor_say_what_is_kept_and_what_could_not_be_read(daemon, env, project, home, palimp):
    torn = session(home, "torn", project, "one word")
    torn.write_bytes(torn.read_bytes() + b'{"type":"user","message":{"role":\n')
    session(home, "good", project, "two words")
    palimp("conversations", "--read")
    health = palimp("health")
    assert "2 turns of 2 sessions" in health
    assert "2 transcripts of claude-code" in health
    palimp("install", "--no-history")
    findings = json.loads(palimp("doctor", "--json"))["findings"]
    assert {each["state"] for each in findings} <= {"well", "note"}, findings
    [found] = [each for each in findings if each["check"] == "conversations"]
    assert str(torn) in found["text"]


def test_what_is_too_old_is_deleted(daemon, env, project, home, palimp):
    session(home, "old", project, "one word")
    palimp("config", "set", "conversations.keep_days", "1")
    palimp("conversations", "--read")
    wait_until(lambda: turns(env, project) == [], 60)


def test_install_reads_what_clients_wrote_when_it_is_told_to(daemon, env, project, home, palimp):
    session(home, "old", project, "one word")
    palimp("install", "--no-history")
    assert turns(env, project) == []
    assert "1 turns" in palimp("install", "--history").replace("1 turn ", "1 turns ")
    assert [row.title for row in turns(env, project)] == ["one word"]
