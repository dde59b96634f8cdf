"""`palimp install`: whether what clients wrote before is read is asked on a terminal, and never decided for anybody."""

import io
import sys
from pathlib import Path

import pytest
from fake_client import FakeClient

from palimp_protocol.errors import UnreachableError
from palimp_protocol.messages.conversation_messages import ClientSessions, ConversationStatus
from palimp_shim.cli.main import parser_for
from palimp_shim.cli.sessions import history_offer
from palimp_shim.cli.sessions.history_offer import HOW, offer

FOUND = ConversationStatus(is_on=True, found=[ClientSessions(client="codex", sessions=3, size=5_000_000)])
READ = ConversationStatus(is_on=True, turns=7, sessions=3)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment in whose home a client keeps sessions."""
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    return {"HOME": str(tmp_path)}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    made = FakeClient([FOUND, READ])
    monkeypatch.setattr(history_offer, "Client", made)
    return made


def at_terminal(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """Have a person at a terminal who types *answer*."""
    typed = io.StringIO(answer)
    monkeypatch.setattr(typed, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", typed)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


@pytest.mark.parametrize(("arguments", "wanted"), [([], None), (["--history"], True), (["--no-history"], False)])
def test_the_option_says_yes_no_or_nothing(arguments: list[str], wanted: bool | None):
    assert parser_for(["install"]).parse_args(["install", *arguments]).history is wanted


def test_when_it_is_wanted_it_is_read_without_a_question(env, client: FakeClient, capsys):
    offer(True, env)  # noqa: FBT003
    assert [request.read for request in client.asked] == [False, True]
    assert "kept: 7 turns of 3 sessions" in capsys.readouterr().out


def test_when_it_is_not_wanted_nothing_is_asked_or_said(env, client: FakeClient, capsys):
    offer(False, env)  # noqa: FBT003
    assert client.asked == []
    assert capsys.readouterr() == ("", "")


def test_without_a_terminal_nothing_is_read_and_how_is_said(env, client: FakeClient, capsys):
    offer(None, env)
    assert client.asked == []
    assert HOW in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("answer", ["y\n", "YES\n", " yes \n"])
def test_a_person_who_agrees_has_it_read(env, client: FakeClient, monkeypatch, capsys, answer: str):
    at_terminal(monkeypatch, answer)
    offer(None, env)
    assert [request.read for request in client.asked] == [False, True]
    assert "codex: 3 sessions, 5.0 MB" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["\n", "n\n", "", "why?\n"])
def test_a_person_who_does_not_agree_has_nothing_read(env, client: FakeClient, monkeypatch, capsys, answer: str):
    at_terminal(monkeypatch, answer)
    offer(None, env)
    assert [request.read for request in client.asked] == [False]
    assert HOW in " ".join(capsys.readouterr().out.split())


def test_where_no_client_keeps_sessions_nothing_is_said(client: FakeClient, tmp_path: Path, capsys):
    offer(True, {"HOME": str(tmp_path)})  # noqa: FBT003
    assert client.asked == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("status", [ConversationStatus(is_on=False, found=FOUND.found), ConversationStatus(is_on=True)])
def test_where_nothing_is_kept_or_found_nothing_is_read(env, monkeypatch, status: ConversationStatus):
    made = FakeClient([status])
    monkeypatch.setattr(history_offer, "Client", made)
    offer(True, env)  # noqa: FBT003
    assert [request.read for request in made.asked] == [False]


def test_what_was_left_is_said(env, monkeypatch, capsys):
    half = ConversationStatus(is_on=True, to_read=3, read_files=1)
    monkeypatch.setattr(history_offer, "Client", FakeClient([FOUND, half, half]))
    offer(True, env)  # noqa: FBT003
    assert "2 sessions could not be read" in capsys.readouterr().err


def test_a_daemon_that_cannot_be_reached_does_not_fail_the_installation(env, monkeypatch, capsys):
    monkeypatch.setattr(history_offer, "Client", FakeClient([UnreachableError("No daemon.", "")]))
    offer(True, env)  # noqa: FBT003
    assert "were not read: No daemon." in capsys.readouterr().err
