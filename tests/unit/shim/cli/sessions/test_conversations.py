"""`palimp conversations`: what is kept, what clients have, and reading it to its end."""

import argparse
import json
import sys

import pytest
from fake_client import FakeClient
from msgspec.structs import replace

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.conversation_messages import ClientSessions, ConversationStatus, UnreadFile
from palimp_shim.cli import progress
from palimp_shim.cli.main import parser_for
from palimp_shim.cli.sessions import conversations

KEPT = ConversationStatus(
    is_on=True,
    turns=1_200,
    commits=1,
    sessions=30,
    files=30,
    size=2_500_000,
    found=[ClientSessions(client="claude-code", sessions=30, size=90_000_000, oldest_at=1_763_726_400_000)],
)
READ = replace(KEPT, read_files=3, to_read=3, new_turns=7)
"""What a daemon says that has read three sessions."""
HALF = ConversationStatus(is_on=True, is_reading=True, read_files=1, to_read=3)
"""What a daemon says in the middle."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs the command with a client that gives the answers; returns the client and the exit code."""

    def call(arguments: list[str], *answers: ConversationStatus | PalimpError) -> tuple[FakeClient, int]:
        client = FakeClient(answers)
        monkeypatch.setattr(conversations, "Client", client)
        monkeypatch.setattr(progress, "BACKGROUND_LOOK_S", 0.0)
        options: argparse.Namespace = parser_for(["conversations"]).parse_args(["conversations", *arguments])
        return client, options.run(options, {})

    return call


def test_it_says_what_is_kept_and_what_clients_have(run, capsys: pytest.CaptureFixture[str]):
    client, code = run([], KEPT)
    said = capsys.readouterr().out
    assert code == 0
    assert "kept: 1,200 turns of 30 sessions, 1 commit, 2.5 MB\n" in said
    assert "found: claude-code, 30 sessions, 90.0 MB, oldest file of 2025-11-21\n" in said
    assert all(line.startswith(("kept: ", "found: ")) for line in said.splitlines())
    assert [request.read for request in client.asked] == [False]


def test_at_the_first_look_it_says_what_reads_sessions_and_commits(run, capsys: pytest.CaptureFixture[str]):
    run([], ConversationStatus(is_on=True, found=KEPT.found))
    told = capsys.readouterr().err
    assert "No session was read yet.\n        `palimp conversations --read` reads them." in told
    assert "No commit is kept yet.\n        `palimp changes import` reads git's messages." in told


@pytest.mark.parametrize(
    "status",
    [KEPT, ConversationStatus(is_on=False, found=KEPT.found), replace(KEPT, turns=0, sessions=0)],
    ids=["something is kept", "nothing is to be kept", "all was erased"],
)
def test_where_it_would_be_wrong_nothing_of_that_is_said(run, capsys, status: ConversationStatus):
    run([], status)
    assert capsys.readouterr().err == ""


def test_where_clients_keep_nothing_that_is_said(run, capsys: pytest.CaptureFixture[str]):
    run([], ConversationStatus(is_on=True, commits=1))
    told = capsys.readouterr()
    assert "found: no session that a client keeps on this machine" in told.out
    assert "--read" not in told.err


def test_on_a_terminal_it_is_a_table_of_files(run, capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    run([], KEPT)
    head, row = (line.split() for line in capsys.readouterr().out.splitlines()[-2:])
    assert head == ["client", "sessions", "size", "oldest", "file"]
    assert row == ["claude-code", "30", "90.0", "MB", "2025-11-21"]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (READ, "read: 7 new turns of 3 sessions\n"),
        (replace(READ, new_turns=0), "read: no new turn in 3 sessions\n"),
        (KEPT, "read: nothing new; every session was read before\n"),
    ],
)
def test_after_reading_it_says_what_was_new(run, capsys, after: ConversationStatus, said: str):
    run(["--read"], replace(HALF, to_read=0, read_files=0), after)
    assert capsys.readouterr().out.startswith(said)


def test_files_of_which_something_could_not_be_read_are_named(run, capsys: pytest.CaptureFixture[str]):
    unread = [
        UnreadFile(path="/a\x1b[2J.jsonl", client="codex", skipped=1, why=""),
        UnreadFile(path="/b.jsonl", client="codex", skipped=0, why="It is torn."),
    ]
    run([], ConversationStatus(is_on=True, unread=unread))
    told = capsys.readouterr()
    assert "/b.jsonl: It is torn." in told.err
    assert "1 line could not be read" in told.err
    assert "\x1b" not in told.err + told.out


def test_that_nothing_is_kept_is_said(run, capsys: pytest.CaptureFixture[str]):
    run([], ConversationStatus(is_on=False))
    assert "(conversations.keep is off)" in capsys.readouterr().out


def test_a_store_that_cannot_be_used_is_said_with_another_exit_code(run, capsys: pytest.CaptureFixture[str]):
    _, code = run([], ConversationStatus(is_on=True, problem="It is damaged."))
    assert code == 4
    assert "PROBLEM  It is damaged." in capsys.readouterr().out


def test_reading_waits_until_everything_is_read(run, capsys: pytest.CaptureFixture[str]):
    reading = ConversationStatus(is_on=True, is_reading=True, to_read=3)
    client, code = run(["--read"], reading, reading, READ)
    assert code == 0
    assert [request.read for request in client.asked] == [True, False, False]
    assert "kept: 1,200 turns" in capsys.readouterr().out


def test_where_there_is_no_terminal_lines_say_how_far_it_is(run, capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "LINE_S", 0.0)
    reading = ConversationStatus(is_on=True, is_reading=True, read_files=1, to_read=3)
    run(["--read"], reading, reading, READ)
    assert "reading: 1 of 3 sessions" in capsys.readouterr().err


def test_on_a_terminal_a_bar_does(run, capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    reading = ConversationStatus(is_on=True, is_reading=True, read_bytes=1, bytes_to_read=3)
    client, code = run(["--read"], reading, reading, READ)
    assert (code, len(client.asked)) == (0, 3)


def test_what_a_daemon_left_that_ended_in_the_middle_is_asked_for_again(run, capsys: pytest.CaptureFixture[str]):
    """The next one says only that it is not reading."""
    rest = replace(READ, read_files=2, to_read=2)
    client, code = run(["--read"], HALF, KEPT, replace(HALF, to_read=0), rest)
    assert [request.read for request in client.asked] == [True, False, True, False]
    assert code == 0
    assert "could not be read" not in capsys.readouterr().err


def test_what_is_left_all_the_same_is_said_with_another_exit_code(run, capsys: pytest.CaptureFixture[str]):
    client, code = run(["--read", "--json"], HALF, KEPT, replace(HALF, read_files=2), KEPT)
    told = capsys.readouterr()
    assert [request.read for request in client.asked] == [True, False, True, False]
    assert code == 4
    assert "1 session could not be read: the daemon stopped reading them." in told.err
    assert json.loads(told.out)["turns"] == 1_200


def test_a_daemon_that_stops_in_the_middle_and_lives_is_asked_again(run):
    """Its store could not be written for a moment."""
    client, code = run(["--read"], HALF, replace(HALF, is_reading=False), READ)
    assert ([request.read for request in client.asked], code) == ([True, False, True], 0)


def test_for_scripts_it_is_json(run, capsys: pytest.CaptureFixture[str]):
    run(["--json"], KEPT)
    said = json.loads(capsys.readouterr().out)
    assert (said["turns"], said["found"][0]["client"]) == (1_200, "claude-code")


def test_a_refusal_is_passed_on(run):
    refusal = PalimpError(ErrorCode.BAD_REQUEST, "Conversations are not kept here: conversations.keep is off.")
    with pytest.raises(PalimpError, match="keep is off"):
        run(["--read"], refusal)


@pytest.mark.parametrize("at", [0, 1, 10**17, -(10**17), 10**25 % 2**63])
def test_no_time_of_a_file_is_too_odd_to_be_said(run, at: int):
    found = [ClientSessions(client="codex", sessions=1, size=1, oldest_at=at)]
    assert run([], ConversationStatus(is_on=True, found=found))[1] == 0
