"""`palimp delete`: what was said is erased for good or not at all, and what is meant is said before."""

import argparse
import json

import pytest
from fake_client import FakeClient

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_shim.cli import delete
from palimp_shim.cli.main import parser_for

ERASED = Erased(memories=[], turns=3, notes=["A note."])


def parsed(*arguments: str) -> argparse.Namespace:
    return parser_for(["delete"]).parse_args(["delete", *arguments])


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs the command with a client that gives *answer*; returns what was asked and the exit code."""

    def call(*arguments: str, answer: Erased = ERASED) -> tuple[list[Erase], int]:
        client = FakeClient([answer])
        monkeypatch.setattr(delete, "Client", client)
        options = parsed(*arguments)
        return client.asked, options.run(options, {"HOME": "/nowhere", "PWD": "/nowhere"})

    return call


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        (["--session", "s1"], Erase(ids=[], session="s1")),
        (["--containing", "hunter2"], Erase(ids=[], containing="hunter2")),
        (["--conversations"], Erase(ids=[], all_turns=True)),
        (["t1234567", "--session", "s1"], Erase(ids=["t1234567"], session="s1")),
        (["t1234567", "m1234567"], Erase(ids=["t1234567", "m1234567"])),
    ],
)
def test_what_is_named_is_what_is_asked_to_be_erased(run, arguments: list[str], request_: Erase):
    assert run("--hard", "--yes", *arguments) == ([request_], 0)


def test_how_much_was_erased_is_said(run, capsys: pytest.CaptureFixture[str]):
    run("--hard", "--yes", "--conversations")
    told = capsys.readouterr()
    assert "Erased 3 rows of conversations and commits." in told.out
    assert "A note." in told.err


def test_for_scripts_it_is_json(run, capsys: pytest.CaptureFixture[str]):
    run("--hard", "--yes", "--json", "--session", "s1")
    assert json.loads(capsys.readouterr().out)["turns"] == 3


@pytest.mark.parametrize(
    "answer", [Erased(memories=[], unknown=["Nothing is meant."]), Erased(memories=[], turns=1, is_pending=True)]
)
def test_what_is_unknown_or_not_done_is_another_exit_code(run, answer: Erased):
    assert run("--hard", "--yes", "--session", "s1", answer=answer)[1] == 1


@pytest.mark.parametrize("arguments", [["--session", "s1"], ["--containing", "x"], ["--conversations"]])
def test_what_was_said_is_not_purged(run, arguments: list[str]):
    with pytest.raises(PalimpError, match="for good or not at all") as refused:
        run(*arguments)
    assert "--hard" in refused.value.hint


@pytest.mark.parametrize("arguments", [[], ["--hard"], ["--hard", "--yes"], ["--hard", "--session", ""]])
def test_naming_nothing_is_refused(run, arguments: list[str]):
    with pytest.raises(PalimpError, match="No id is named"):
        run(*arguments)


def test_without_a_yes_nothing_is_erased(run):
    with pytest.raises(PalimpError, match="Nothing was deleted"):
        run("--hard", "--conversations")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["m1", "m2"], "2 memories"),
        (["m1", "h1", "t1", "t2", "c1"], "1 memory and 1 piece of removed code and 2 turns and 1 commit"),
        (["--session", "s1"], "what was said in session s1"),
        (["--containing", "a b"], "all that was said with 'a b' in it"),
        (["t1", "--conversations"], "1 turn and all that is kept of this project's conversations and commits"),
    ],
)
def test_what_is_meant_is_said_in_words(arguments: list[str], meant: str):
    assert delete._meant(parsed("--hard", *arguments)) == meant
