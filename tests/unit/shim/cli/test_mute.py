"""`palimp mute`: what is muted, what is not any more, and the list."""

import argparse
import json

import pytest
from fake_client import FakeClient
from rich.cells import cell_len

from palimp_protocol.messages.links import MarkedMemory, Muted
from palimp_protocol.messages.memory_messages import Similar
from palimp_shim.cli import command, output
from palimp_shim.cli.main import parser_for

LISTED = Muted(muted=[MarkedMemory(id="m1rv0001", title="三回まで再試行する " * 9, at=1_763_726_400_000)], total=1)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs the command with a client that gives the answer; returns the client and the exit code."""

    def call(*given: str, reply: Muted, is_terminal: bool = False) -> tuple[FakeClient, int]:
        client = FakeClient([reply])
        monkeypatch.setattr(command, "Client", client)
        monkeypatch.setattr(output, "is_terminal", lambda: is_terminal)
        monkeypatch.setenv("COLUMNS", "80")
        arguments = ["mute", *given]
        options: argparse.Namespace = parser_for(arguments).parse_args(arguments)
        return client, options.run(options, {})

    return call


def test_what_is_muted_is_named_and_what_is_not_known_is_an_error(run, capsys: pytest.CaptureFixture[str]):
    reply = Muted(memories=[Similar("m1", "One")], unchanged=["m2"], unknown=["m3: no such memory"])
    client, code = run("m1", "m2", "m3", reply=reply)
    said = capsys.readouterr()
    assert (code, said.out) == (1, "Muted m1 One\n")
    assert "m2: muted already\n" in said.err
    assert "m3: no such memory\n" in said.err
    assert [(request.ids, request.off) for request in client.asked] == [(["m1", "m2", "m3"], False)]


def test_mutes_are_taken_off(run, capsys: pytest.CaptureFixture[str]):
    client, code = run("--off", "m1", "m2", reply=Muted(memories=[Similar("m1", "One")], unchanged=["m2"]))
    said = capsys.readouterr()
    assert (code, said.out) == (0, "Not muted any more: m1 One\n")
    assert "m2: not muted\n" in said.err
    assert client.asked[0].off


def test_without_ids_what_is_muted_is_listed(run, capsys: pytest.CaptureFixture[str]):
    run(reply=LISTED)
    assert capsys.readouterr().out == f"m1rv0001\t{LISTED.muted[0].title.strip()}\t2025-11-21\n"
    run(reply=LISTED, is_terminal=True)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["id", "memory", "muted"]
    assert all(cell_len(line) <= 80 for line in shown)
    run("--json", reply=LISTED)
    assert json.loads(capsys.readouterr().out)["total"] == 1


def test_where_nothing_is_muted_it_says_so(run, capsys: pytest.CaptureFixture[str]):
    run(reply=Muted())
    said = capsys.readouterr()
    assert said.out == ""
    assert "Nothing is muted here." in said.err


def test_that_more_are_muted_than_shown_is_said(run, capsys: pytest.CaptureFixture[str]):
    run(reply=Muted(muted=LISTED.muted, total=201))
    assert "1 of 201 muted memories shown." in capsys.readouterr().err
