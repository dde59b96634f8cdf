"""`palimp capture`: whether it waits, and what it says of what goes on without it."""

import argparse
from pathlib import Path

import pytest
from fake_client import FakeClient

from palimp_protocol.messages.session_messages import Captured, CapturedMemory, CaptureFile
from palimp_shim.cli import command, output
from palimp_shim.cli.main import parser_for
from palimp_shim.cli.sessions import capture

STARTED = Captured(memories=[], messages=9, is_started=True)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs the command, perhaps on a terminal; returns its exit code and what it asked the daemon for."""

    def call(*given: str, reply: Captured = STARTED, is_terminal: bool = True) -> tuple[int, CaptureFile]:
        client = FakeClient([reply])
        monkeypatch.setattr(command, "Client", client)
        for module in (capture, output):
            monkeypatch.setattr(module, "is_terminal", lambda: is_terminal)
        arguments = ["capture", *given]
        options: argparse.Namespace = parser_for(arguments).parse_args(arguments)
        code = options.run(options, {})
        [asked] = client.asked
        return code, asked

    return call


@pytest.fixture
def talk(tmp_path: Path) -> str:
    (tmp_path / "talk.txt").write_text("User: 金額は整数のセントで保存する。\n")
    return str(tmp_path / "talk.txt")


def test_on_a_terminal_what_is_long_goes_on_without_it(run, talk: str, capsys: pytest.CaptureFixture[str]):
    code, asked = run(talk)
    assert (code, asked) == (0, CaptureFile(path=talk, waits=False))
    shown = capsys.readouterr()
    assert shown.out.startswith("Started: ")
    assert "palimp sessions" in shown.err


@pytest.mark.parametrize("more", ["--wait", "--json"])
def test_it_waits_where_it_is_told_to(run, talk: str, more: str):
    assert run(talk, more)[1].waits


def test_it_waits_in_a_pipe_and_says_what_was_captured(run, talk: str, capsys: pytest.CaptureFixture[str]):
    made = CapturedMemory(id="m1rv0001", title="整数のセント", kind="decision")
    code, asked = run(talk, reply=Captured(memories=[made], messages=1), is_terminal=False)
    assert (code, asked.waits) == (0, True)
    assert capsys.readouterr().out == "m1rv0001\tdecision\t整数のセント\n"


def test_it_waits_for_what_comes_from_a_pipe_since_the_copy_is_there_only_meanwhile(run, monkeypatch, talk: str):
    with Path(talk).open(encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        _, asked = run("-")
    assert asked.waits
    assert asked.path != talk


@pytest.mark.parametrize("arguments", [(), ("--wait",)])
def test_without_a_file_it_is_the_transcript_of_the_session(run, arguments):
    assert run(*arguments)[1] == CaptureFile(waits=bool(arguments))
