"""`palimp sessions`: what one did, and what it was given, when and why."""

import argparse
import json

import pytest
from fake_client import FakeClient
from rich.cells import cell_len

from palimp_protocol.messages.session_messages import CaptureRun, Given, SessionEvent, SessionList, SessionSummary
from palimp_shim.cli import command, output
from palimp_shim.cli.main import parser_for
from palimp_shim.cli.output import minute
from palimp_shim.cli.sessions import sessions

SESSION = SessionSummary(key="3f8b523d-1", client="claude-code", project="shop", started_at=0, seen_at=0)
EVENT = SessionEvent(at=0, what="decision", id="m1rv0001", title="Three retries")
GIVEN = [
    Given(at=60_000, occasion="start", id="m1rv0002", title="請求書は整数のセントで保存する" * 4, why="pinned"),
    Given(at=120_000, occasion="action", id="m1rv0003", title="Never edit\tit", why="names " + "deep/" * 20 + "ttl.py"),
    Given(at=180_000, occasion="action", id="", title="cargo build -p shop", why="failed in an earlier session"),
]
LIST = SessionList(sessions=[SESSION], total=1, events=[EVENT], given=GIVEN)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs the command with a client that gives the answer, perhaps on a terminal of 80 columns."""

    def call(*given: str, reply: SessionList = LIST, is_terminal: bool = False) -> int:
        monkeypatch.setattr(command, "Client", FakeClient([reply]))
        for module in (sessions, output):
            monkeypatch.setattr(module, "is_terminal", lambda: is_terminal)
        monkeypatch.setenv("COLUMNS", "80")
        arguments = ["sessions", *given]
        options: argparse.Namespace = parser_for(arguments).parse_args(arguments)
        return options.run(options, {})

    return call


def test_in_a_pipe_each_is_a_line_with_tabs(run, capsys: pytest.CaptureFixture[str]):
    assert run("3f8b") == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines() if "given:" in line]
    assert [line[1:3] for line in lines] == [
        ["given:start", "m1rv0002"],
        ["given:action", "m1rv0003"],
        ["given:action", ""],
    ]
    assert lines[0] == [minute(60_000), "given:start", "m1rv0002", GIVEN[0].title, "pinned"]
    assert lines[1][3:] == ["Never edit it", GIVEN[1].why]


def test_the_sessions_that_were_given_a_memory_are_listed_with_what_came_of_it(run, capsys: pytest.CaptureFixture[str]):
    given = [
        Given(at=60_000, occasion="prompt", id="m1", title="t", why="bears", session="3f8b", outcome="opened"),
        Given(at=0, occasion="start", id="m1", title="t", why="pinned", session="77aa", outcome="nothing"),
    ]
    assert run("--given", "m1", reply=SessionList(sessions=[], total=2, given=given)) == 0
    assert [line.split("\t") for line in capsys.readouterr().out.splitlines()] == [
        [minute(60_000), "prompt", "3f8b", "bears", "opened"],
        [minute(0), "start", "77aa", "pinned", ""],
    ]
    assert run("--given", "m1", reply=SessionList(sessions=[], total=0)) == 1
    assert run("--given", "m1", reply=SessionList(sessions=[], total=2, given=given), is_terminal=True) == 0
    assert "3f8b" in capsys.readouterr().out


def test_on_a_terminal_it_is_a_table_that_stands_in_80_columns(run, capsys: pytest.CaptureFixture[str]):
    run("3f8b", is_terminal=True)
    shown = capsys.readouterr().out.splitlines()
    assert all(cell_len(line) <= 80 for line in shown)
    heading = next(place for place, line in enumerate(shown) if "Given to it" in line)
    assert shown[heading + 1].split() == ["when", "with", "id", "memory"]
    assert f"{minute(60_000)}  start   m1rv0002" in shown[heading + 2]
    assert any(line.strip() == "pinned" for line in shown)


def test_for_scripts_it_is_json(run, capsys: pytest.CaptureFixture[str]):
    run("3f8b", "--json")
    said = json.loads(capsys.readouterr().out)
    assert [each["occasion"] for each in said["given"]] == ["start", "action", "action"]


def test_of_a_session_that_was_given_nothing_nothing_is_said(run, capsys: pytest.CaptureFixture[str]):
    run("3f8b", reply=SessionList(sessions=[SESSION], total=1, events=[EVENT]), is_terminal=True)
    assert "Given" not in capsys.readouterr().out


def test_a_list_says_what_each_session_was_about(run, capsys: pytest.CaptureFixture[str]):
    """In 80 columns, and in a pipe with what each number counts."""
    told = SessionSummary(
        key="3f8b523d-1", client="claude-code", project="shop", started_at=0, seen_at=0, turns=1, saves=2, about="Carts"
    )
    listed = SessionList(sessions=[told, SESSION], total=2)

    run(reply=listed, is_terminal=True)
    shown = capsys.readouterr().out.splitlines()
    assert all(cell_len(line) <= 80 for line in shown)
    assert "Carts" in shown[1]
    assert "claude-code · 1 turn · 2 saves · last seen" in shown[2]

    run(reply=listed)
    fields = capsys.readouterr().out.splitlines()[0].split("\t")
    assert fields[5:] == ["1 turn", "2 saves", "0 recalls", "0 pieces removed", "Carts"]


@pytest.mark.parametrize(
    ("capture", "line"),
    [
        (CaptureRun(at=60_000, file="talk.txt", messages=9), "Capture of talk.txt at {}: it is being looked through."),
        (
            CaptureRun(at=60_000, messages=9, memories=1, known=2, is_over=True),
            "Capture of a conversation at {}: 1 memory from 9 messages, 2 known already; `palimp review` shows them.",
        ),
        (
            CaptureRun(at=60_000, file="a\x1b\nb", messages=1, is_over=True),
            "Capture of a b at {}: 0 memories from 1 message.",
        ),
        (
            CaptureRun(at=60_000, messages=9, is_over=True, why="Many requests are waiting."),
            "Capture of a conversation at {} failed: Many requests are waiting.",
        ),
    ],
    ids=["under way", "over", "nothing in it", "failed"],
)
def test_it_is_said_what_came_of_a_capture(run, capsys: pytest.CaptureFixture[str], capture: CaptureRun, line: str):
    run(reply=SessionList(sessions=[SESSION], total=1, captures=[capture]))
    assert line.format(minute(60_000)) in " ".join(capsys.readouterr().err.split())
