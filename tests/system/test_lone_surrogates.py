"""Half a character, wherever it comes in, is U+FFFD and costs nothing else: through every edge of a real daemon."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent
from http_clients import HttpClient, serve_http
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_clients import BareClient
from running_daemon import wait_until

from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.surrogates import mend_surrogates
from palimp_shim.transport.daemon_client import Client

HALVES = ["\ud83d", "\ude00", "\udfff\ud800", "\ud83d\ude00"]
texts = st.tuples(
    st.text(st.characters(categories=["L", "N"]), min_size=3, max_size=12),
    st.sampled_from(HALVES),
    st.text(st.characters(categories=["L", "N"]), max_size=12),
).map(" ".join)


def stored(env: dict[str, str], project: Path) -> list[str]:
    """Return the texts of what the project has, newest first."""
    reply = Client(env).call(
        OPERATIONS["recall"], Recall(detail="full", limit=50), Caller(ProjectRef(str(project), project.name))
    )
    return [memory.content for memory in reply.memories]


def run(env: dict[str, str], folder: Path, *arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, check=False)


@pytest.mark.parametrize("is_escaped", [True, False], ids=["escaped", "as bytes"])
def test_over_mcp_it_is_taken(daemon, env, project: Path, is_escaped: bool):
    """Generated texts in the arguments of tools; as escapes and as the bytes that UTF-8 would have for them."""
    client = BareClient(env, project)
    client.initialize()
    number = iter(range(1, 10_000))

    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(texts)
    def saved(generated: str) -> None:
        request_id = next(number)
        text = f"{request_id} {generated}"  # two that are mended to the same are saved once
        arguments = {"text": text, "tags": [text[:9]]}
        call = {"name": "save_memory", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": call}
        client.write(json.dumps(message, ensure_ascii=is_escaped).encode("utf-8", "surrogatepass") + b"\n")
        assert "Saved" in client.answer(request_id)["result"]["content"][0]["text"]
        assert mend_surrogates(text).strip() in stored(env, project)

    saved()
    assert client.close() == 0


def test_a_client_whose_name_has_half_a_character_is_served(daemon, env, project: Path):
    """Its name travels with the greeting, also to the next daemon."""
    client = BareClient(env, project)
    info = {"name": "c\ud83d", "version": "1"}
    client.request(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
    assert "result" in client.answer(0)
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    daemon.kill()
    daemon.start()
    assert "Saved" in client.ask(1, "save_memory", text="After the restart.")
    assert client.close() == 0


def test_over_http_it_is_taken(daemon, env, project: Path):
    served = serve_http(env)
    client = HttpClient(served.url, served.token, project)
    assert "Saved" in client.ask("save_memory", text="cut \ud83d here \ud83d\ude00")
    assert "cut \ufffd here 😀" in stored(env, project)


def test_on_the_command_line_bytes_of_half_a_character_are_taken(daemon, env, project: Path):
    text = b"cut \xed\xa0\xbd here"
    assert run(env, project, "add", text).returncode == 0
    assert "cut \ufffd here" in stored(env, project)


def test_an_edit_with_half_a_character_is_recorded(daemon, env, project: Path):
    """In the edit, in what was said before it, and in a prompt; JavaScript writes U+FFFD into the file."""
    agent = Agent(env, project)
    kept = "def retry_with_backoff(call):\n    return call(attempts=5)  # \ufffd\n"
    (project / "a.py").write_text(kept + "x = 1\n")
    agent.transcript.write_text(
        json.dumps({"type": "user", "message": {"role": "user", "content": "drop the retry \ud83d helper"}}) + "\n"
    )
    agent.hook("UserPromptSubmit", prompt="drop \ud83d")
    old = kept.replace("\ufffd", "\ud83d")
    given_ = {"file_path": str(project / "a.py"), "old_string": old, "new_string": ""}
    agent.hook("PreToolUse", tool_name="Edit", tool_input=given_)
    (project / "a.py").write_text("x = 1\n")
    agent.hook("PostToolUse", tool_name="Edit", tool_input=given_, tool_response={"originalFile": old + "x = 1\n"})
    agent.end()

    def removed() -> list[dict]:
        return json.loads(run(env, project, "changes", "log", "--json").stdout)["hunks"]

    wait_until(removed, 60)
    assert "drop the retry \ufffd helper" in removed()[0]["reason"]


@pytest.mark.parametrize("half", HALVES)
def test_a_session_with_half_a_character_is_captured_on(daemon, env, project: Path, half: str):
    """In a message of either side, before and after what is worth keeping."""
    agent = Agent(env, project)
    said = [
        ("user", f"why does it print {half} here?"),
        ("assistant", f"cut {half}"),
        ("user", f"From now on always use pnpm instead of npm, because npm breaks the build {half}."),
        ("assistant", "Ok"),
    ]
    agent.transcript.write_text(
        "".join(json.dumps({"type": role, "message": {"role": role, "content": text}}) + "\n" for role, text in said)
    )
    agent.end()
    expected = f"breaks the build {mend_surrogates(half)}"
    wait_until(lambda: any(expected in text for text in stored(env, project)), 60)


def test_an_import_with_half_a_character_is_whole(daemon, env, project: Path, tmp_path: Path):
    records = [
        {"type": "entity", "name": f"{number} {half}", "entityType": half, "observations": [f"{number} {half}"]}
        for number, half in enumerate(HALVES)
    ]
    (tmp_path / "graph.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert run(env, project, "import", str(tmp_path / "graph.jsonl")).returncode == 0
    assert set(stored(env, project)) == {mend_surrogates(f"{number} {half}") for number, half in enumerate(HALVES)}


def test_a_vault_at_a_path_that_is_no_text_is_imported(daemon, env, project: Path, tmp_path: Path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/v\xff"))
    folder.mkdir()
    (folder / os.fsdecode(b"n\xfe.md")).write_text("A note.")
    done = run(env, project, "import", os.fsencode(folder))
    assert done.returncode == 0, done.stderr
    assert stored(env, project) == ["A note."]


def test_a_document_with_half_a_character_is_written(daemon, env, project: Path):
    client = BareClient(env, project)
    client.initialize()
    client.ask(1, "add_doc", slug="notes", title="T\ud83d", content="# Cut \ud83d\n\nWhole \ud83d\ude00.\n")
    assert "Cut \ufffd" in client.ask(2, "read_doc", slug="notes")
    assert client.close() == 0
