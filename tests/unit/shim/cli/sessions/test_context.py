"""`palimp context`: what a session is given, and why it may be nothing."""

import argparse

import pytest
from fake_client import FakeClient

from palimp_protocol.messages.context_messages import ContextGiven
from palimp_shim.cli import command
from palimp_shim.cli.main import parser_for


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (ContextGiven(text="Standing rules"), 0, ""),
        (ContextGiven(text=""), 1, "no memories yet"),
        (ContextGiven(text="Standing rules", is_off=True), 0, "palimp is off in this project"),
        (ContextGiven(text="", is_off=True), 1, "palimp is off in this project"),
    ],
)
def test_where_palimp_is_off_that_is_said(
    reply: ContextGiven, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(command, "Client", FakeClient([reply]))
    options: argparse.Namespace = parser_for(["context"]).parse_args(["context", "--global"])
    assert options.run(options, {}) == code
    printed = capsys.readouterr()
    assert printed.out.strip() == reply.text
    assert said in printed.err
    assert bool(printed.err) == bool(said)
