"""Where a session is whose client tells only its id."""

import hashlib
import json
from datetime import datetime
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.transcript_readers import CLIENTS, client_of, transcript_of
from palimp_clients.transcripts import session_places

FOLDER = "/home/ann/my.shop/店"
UUID_4 = "a192ad09-dd00-4f27-b0f6-2a01c70f3ef4"
UUID_7 = "01a21ad4-d45c-7f40-a9fd-ea950a5cb881"
BEGAN = datetime.fromtimestamp(int(UUID_7.replace("-", "")[:12], 16) / 1000)  # noqa: DTZ006  as the client's folders
HASH = hashlib.sha256(FOLDER.encode()).hexdigest()

PLACES = [
    ("claude-code", UUID_4, f".claude/projects/-home-ann-my-shop--/{UUID_4}.jsonl"),
    ("claude-code", UUID_4, f".claude/projects/-of-another-folder/{UUID_4}.jsonl"),
    ("claude-code", UUID_4, f".config/claude/projects/-home-ann-my-shop--/{UUID_4}.jsonl"),
    ("codex", UUID_7, f".codex/sessions/{BEGAN:%Y/%m/%d}/rollout-{BEGAN:%Y-%m-%dT%H-%M-%S}-{UUID_7}.jsonl"),
    ("copilot", UUID_4, f".copilot/session-state/{UUID_4}/events.jsonl"),
    ("copilot", UUID_4, f".copilot/session-state/{UUID_4}.jsonl"),
    ("gemini", UUID_4, f".gemini/tmp/{HASH}/chats/session-2026-11-27T08-47-{UUID_4[:8]}.jsonl"),
    ("gemini", UUID_4, f".gemini/tmp/shop/chats/session-2026-11-27T08-47-{UUID_4[:8]}.jsonl"),
    ("qwen", UUID_4, f".qwen/projects/-home-ann-my-shop--/chats/{UUID_4}.jsonl"),
    ("qwen", UUID_4, f".qwen/projects/-of-another-folder/chats/{UUID_4}.jsonl"),
]


def put(home: Path, name: str, text: str) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(("client", "session", "place"), PLACES)
def test_a_session_is_found_by_its_id(tmp_path, client, session, place):
    env = {"HOME": str(tmp_path)}
    assert transcript_of(client, session, FOLDER, env) == ""
    put(tmp_path, ".gemini/projects.json", json.dumps({"projects": {FOLDER: "shop"}}))
    path = put(tmp_path, place, json.dumps({"sessionId": session}) + "\n")
    assert transcript_of(client, session, FOLDER, env) == str(path)
    assert client_of(str(path)) == client
    assert transcript_of(client, session[:-1] + "0", FOLDER, env) == ""


def test_a_session_is_found_where_a_variable_says(tmp_path):
    path = put(tmp_path, f"else/session-state/{UUID_4}/events.jsonl", "{}\n")
    env = {"HOME": str(tmp_path), "COPILOT_HOME": str(tmp_path / "else")}
    assert transcript_of("copilot", UUID_4, FOLDER, env) == str(path)


def test_of_sessions_that_are_named_alike_the_one_that_is_meant_is_found(tmp_path):
    """Gemini CLI names a file by eight characters of the id, and another one for each time that it goes on."""
    other = f"{UUID_4[:8]}-0000-4000-8000-000000000000"
    chats = f".gemini/tmp/{HASH}/chats/session-2026"
    put(tmp_path, f"{chats}-11-29T01-01-{UUID_4[:8]}.jsonl", json.dumps({"sessionId": other}) + "\n")
    newest = put(tmp_path, f"{chats}-11-28T01-01-{UUID_4[:8]}.jsonl", json.dumps({"sessionId": UUID_4}) + "\n")
    put(tmp_path, f"{chats}-11-27T01-01-{UUID_4[:8]}.jsonl", json.dumps({"sessionId": UUID_4}) + "\n")
    assert transcript_of("gemini", UUID_4, FOLDER, {"HOME": str(tmp_path)}) == str(newest)
    assert transcript_of("gemini", UUID_4, f"{FOLDER}/src", {"HOME": str(tmp_path)}) == str(newest)


def test_a_session_in_a_database_is_found(tmp_path):
    folder = tmp_path / ".local/share/opencode"
    folder.mkdir(parents=True)
    (folder / "opencode-a.db").write_text("no database")
    connection = apsw.Connection(str(folder / "opencode.db"))
    connection.execute(
        "CREATE TABLE session (id, directory, parent_id); INSERT INTO session VALUES ('ses_1', '/p', NULL)"
    )
    connection.close()
    env = {"HOME": str(tmp_path)}
    assert transcript_of("opencode", "ses_1", FOLDER, env) == f"{folder}/opencode.db#ses_1"
    assert transcript_of("opencode", "ses_2", FOLDER, env) == ""
    assert sorted(path.name for path in folder.iterdir()) == ["opencode-a.db", "opencode.db"]


def test_only_so_much_of_a_folder_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(session_places, "FOLDERS_MAX", 3)
    for number in range(9):
        put(tmp_path, f".qwen/projects/-p{number}/chats/{number}.jsonl", "{}\n")
    found = [transcript_of("qwen", str(number), FOLDER, {"HOME": str(tmp_path)}) for number in range(9)]
    assert len([path for path in found if path]) == 3


@pytest.mark.parametrize("session", ["", "..", "../b", "../../etc/passwd", "a/b", "a\0b", "é", "x" * 201, "*", "a.b"])
@pytest.mark.parametrize("client", CLIENTS)
def test_an_id_that_leads_elsewhere_is_none(tmp_path, client, session):
    put(tmp_path, ".copilot/b.jsonl", "{}\n")
    (tmp_path / ".copilot/session-state").mkdir()
    assert transcript_of(client, session, FOLDER, {"HOME": str(tmp_path)}) == ""


@given(st.sampled_from([*CLIENTS, "cursor"]), st.text(max_size=12), st.text(max_size=12))
def test_any_words_are_survived(client, session, folder):
    assert transcript_of(client, session, folder, {"HOME": "/nonexistent", "CODEX_HOME": folder}) == ""


def test_every_day_that_an_id_can_name_is_survived():
    for session in ("00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff"):
        assert transcript_of("codex", session, FOLDER, {"HOME": "/nonexistent"}) == ""
