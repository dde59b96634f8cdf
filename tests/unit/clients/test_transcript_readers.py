"""The clients whose sessions are read, and which of them wrote a transcript."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_sessions import WRITTEN

from palimp_clients.transcript_readers import CLIENTS, client_of
from palimp_clients.transcripts.slices import Slice
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

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


ENTRIES = {
    client: [
        json.loads(line)
        for name, file in WRITTEN.items()
        if name.startswith(client.replace("-", "_"))
        for line in file.read_text().splitlines()
    ]
    for client in ("claude-code", "codex", "copilot", "gemini", "qwen")
}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def changed(entry, draw):
    """Return *entry* with one value in it changed to another thing, or left out: another version's form."""
    if isinstance(entry, dict) and entry:
        key = draw(st.sampled_from(sorted(entry)))
        rest = {name: value for name, value in entry.items() if name != key}
        return rest if draw(st.integers(0, 4)) == 0 else {**rest, key: changed(entry[key], draw)}
    if isinstance(entry, list) and entry and draw(st.booleans()):
        return [changed(entry[0], draw), *entry[1:]]
    return draw(values)


@pytest.mark.parametrize("client", ENTRIES)
@given(data=st.data())
def test_lines_of_another_form_never_fail_and_take_nothing_from_the_others(tmp_path_factory, client, data):
    """Each line changed, damaged or garbage: what a whole line says is found among what is read."""
    path = tmp_path_factory.mktemp("any") / "session-x.jsonl"
    entry = data.draw(st.sampled_from(ENTRIES[client]))
    garbage = data.draw(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=3))
    lines = [json.dumps(changed(entry, data.draw)).encode(), *garbage, json.dumps(entry).encode()]
    whole = {turn.text for turn in read(client, path, [lines[-1]]).turns}
    news = read(client, path, data.draw(st.permutations(lines)))
    assert isinstance(news.key, str)
    # There another line may say that all of it is a subagent's, or have the same id, and stand in its place.
    if client not in {"gemini", "codex", "qwen"}:
        assert whole <= {part for turn in news.turns for part in (turn.text, *turn.text.split("\n\n"))}


def read(client: str, path: Path, lines: list[bytes]):
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return CLIENTS[client].news_of(str(path), Place(), Redactor())


@pytest.mark.parametrize("client", ["claude-code", "qwen"])
def test_the_beginning_is_read_once_for_a_slice(client):
    passes: list[int] = []

    class Opening(list[bytes]):
        def __iter__(self):
            passes.append(1)
            return super().__iter__()

    found_in = CLIENTS[client].found_in
    assert found_in is not None
    found = found_in(Slice("/p/x.jsonl", Opening([b'{"sessionId": "s"}', b'{"cwd": "/w"}']), iter([]), ""))
    assert (found.key, found.folder, len(passes)) == ("s", "/w", 1)


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
    assert [*CLIENTS] == [
        "claude-code",
        "codex",
        "copilot",
        "gemini",
        "qwen",
        "pi",
        "droid",
        "kimi",
        "hermes",
        "opencode",
    ]


def test_a_transcript_named_like_a_folder_of_another_client_is_read_by_where_it_lies():
    assert client_of(str(Path("/home/u/.qwen/projects/-p/chats/rollout.jsonl"))) == "qwen"
