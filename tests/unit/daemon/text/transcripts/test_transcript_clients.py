"""The clients whose sessions are read, and which of them wrote a transcript."""

import json
import os
from pathlib import Path

import pytest

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.clients import CLIENTS, client_of

PLACES = {
    "/home/u/.claude/projects/-home-u-p/0b9c3a5e-1111-4222-8333-444455556666.jsonl": "claude-code",
    "/home/u/.codex/sessions/2026/11/26/rollout-2026-11-26T22-17-01-0b9c.jsonl": "codex",
    "/home/u/.codex/archived_sessions/rollout-2026-11-26T22-17-01-0b9c.jsonl.zst": "codex",
    "/home/u/.copilot/session-state/0b9c/events.jsonl": "copilot",
    "/home/u/.copilot/session-state/0b9c.jsonl": "copilot",
    "/home/u/.gemini/tmp/project/chats/session-2026-11-26T22-17-0b9c3a5e.jsonl": "gemini",
    "/home/u/.gemini/tmp/0b9c/chats/session-2026-11-26T22-17-0b9c3a5e.json": "gemini",
    "/home/u/.qwen/projects/-home-u-p/chats/0b9c.jsonl": "qwen",
    "/home/u/.local/share/opencode/opencode.db#ses_1": "opencode",
    "/home/u/.local/share/opencode/storage/session/global/ses_1.json": "opencode",
    "/home/u/notes.jsonl": None,
}

MESSAGE = {"role": "user", "content": "hi"}
LINES = {
    "claude-code": {"type": "user", "sessionId": "s", "uuid": "u", "message": MESSAGE},
    "codex": {"timestamp": "2026-11-26T22:17:01Z", "type": "session_meta", "payload": {"id": "s"}},
    "copilot": {"type": "session.start", "data": {"sessionId": "s"}, "id": "e"},
    "gemini": {"sessionId": "s", "projectHash": "p", "startTime": "2026-11-26T22:17:01Z"},
    "qwen": {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "parts": [{"text": "hi"}]}},
    None: {"type": "note", "text": "hi"},
}


@pytest.mark.parametrize(("path", "client"), PLACES.items())
def test_where_a_transcript_lies_tells_its_client(path, client):
    assert client_of(path) == client


@pytest.mark.parametrize(("client", "line"), LINES.items())
def test_what_a_copy_elsewhere_begins_with_tells_its_client(tmp_path, client, line):
    path = tmp_path / "copy"
    path.write_text("\n" + json.dumps({"type": "unknown"}) + "\n[]\n" + json.dumps(line) + "\n")
    assert client_of(str(path)) == client


def test_of_what_cannot_be_read_there_is_no_client(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "missing", tmp_path / "pipe", tmp_path, "", "a\0b"):
        assert client_of(str(path)) is None


@pytest.mark.parametrize("client", CLIENTS)
def test_where_a_client_never_ran_there_are_no_sessions(tmp_path, client):
    assert list(CLIENTS[client].session_files(tmp_path, {})) == []
    assert list(CLIENTS[client].session_files(tmp_path / "no", {"HOME": "\0", "CODEX_HOME": "\0x"})) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_not_there_any_more_is_told_in_a_sentence(tmp_path, client):
    place = Place(7, "3-x")
    for name in ("a.jsonl", "a.json", "a.db#ses_1", "a\0b"):
        news = CLIENTS[client].news_of(str(tmp_path / name), place, Redactor())
        assert (news.turns, news.place, news.is_end, news.is_anew) == ([], place, True, False)
        assert news.why.endswith(".")


def test_every_client_is_read_as_itself():
    assert [*CLIENTS] == ["claude-code", "codex", "copilot", "gemini", "qwen", "opencode"]


def test_a_transcript_named_like_a_folder_of_another_client_is_read_by_where_it_lies():
    assert client_of(str(Path("/home/u/.qwen/projects/-p/chats/rollout.jsonl"))) == "qwen"
