"""One table, three interfaces: MCP, command line and HTTP answer alike; what is for the terminal only stays there."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from composed import answer_text
from daemon_asking import ask
from http_clients import HttpClient, serve_http
from mcp_clients import BareClient
from running_daemon import RunningDaemon, palimp_environment, temporary_home

from palimp_protocol.operations import OPERATIONS

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
TALK = "User: We always deploy on Tuesdays, never on Fridays.\nAssistant: Understood.\n"


class Scene(NamedTuple):
    """A tool's call, and the command that asks the same."""

    arguments: dict[str, Any]
    command: list[str]
    stdin: str = ""


SCENES: dict[str, Scene] = {
    "save_memory": Scene(
        {"text": "Third: the cache is warm.", "title": "Third", "tags": ["cache"], "kind": "finding", "source": "test"},
        [
            "add",
            "Third: the cache is warm.",
            "--title",
            "Third",
            "--tag",
            "cache",
            "--kind",
            "finding",
            "--source",
            "test",
        ],
    ),
    "recall": Scene({"query": "socket", "limit": 5, "detail": "compact"}, ["search", "socket", "--limit", "5"]),
    "list_docs": Scene({}, ["docs", "list"]),
    "read_doc": Scene({"slug": "guide"}, ["docs", "read", "guide"]),
    "search_docs": Scene({"pattern": "wor[dl]", "is_regex": True}, ["docs", "search", "wor[dl]", "--regex"]),
    "add_doc": Scene(
        {"slug": "new", "title": "New", "content": "# New\n"}, ["docs", "add", "new", "-", "--title", "New"], "# New\n"
    ),
    "edit_doc": Scene({"slug": "guide", "content": "# Other\n"}, ["docs", "edit", "guide", "-"], "# Other\n"),
    "delete_doc": Scene({"slug": "guide"}, ["docs", "delete", "guide"]),
    "check_change": Scene({"path": "a.py", "text": "x = 1\n"}, ["changes", "check", "a.py", "--stdin"], "x = 1\n"),
    "capture": Scene({"text": TALK}, ["capture", "-"], TALK),
    "summarize": Scene({"tokens": 400}, ["summarize", "--tokens", "400"]),
    "compact": Scene({"apply": True}, ["compact", "--apply"]),
    "health": Scene({}, ["health"]),
    "config": Scene({"key": "docs.dir"}, ["config", "get", "docs.dir"]),
}
"""A call of every tool, in a project of two memories and a document."""


class Place(NamedTuple):
    """A daemon with HTTP, and what is needed to reach it."""

    env: dict[str, str]
    home: Path
    url: str
    token: str


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """A daemon for all tests of this module: each has projects of its own."""
    with temporary_home() as home:
        env = palimp_environment(home)
        daemon = RunningDaemon(env)
        daemon.start()
        status = serve_http(env)
        yield Place(env, home, status.url, status.token)
        daemon.stop()


def project_of(place: Place, name: str, interface: str) -> Path:
    """Return a project of two memories and a document; those of all interfaces have the same name."""
    folder = place.home / name / interface / "work"
    folder.mkdir(parents=True)
    for text in ("First: the socket is a Unix socket.", "Second: nobody deploys on a Friday."):
        ask(place.env, folder, "save_memory", text=text)
    ask(place.env, folder, "add_doc", slug="guide", title="Guide", content="# Guide\n\nSome words.\n")
    return folder


def run(place: Place, folder: Path, *arguments: str, stdin: str = "") -> str:
    """Run a command and return what it printed as JSON."""
    done = subprocess.run(
        [*PALIMP, *arguments, "--json"],
        env=place.env, cwd=folder, capture_output=True, text=True, check=False, input=stdin,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def plain(text: str, folder: Path) -> str:
    """Return *text* without what differs each time: ids, marks, folders, and numbers of `health`."""
    text = re.sub(r"palimp-notes-\w+", "MARK", text.replace(str(folder), "FOLDER"))
    text = re.sub(r"\bm[0-9a-z]{7,11}\b", "ID", text)
    text = re.sub(r"\bas version \d+", "as version N", text)  # they are numbered in all projects together
    if text.startswith("palimp 0"):
        text = re.sub(r"p50 / p99.*|[\d.,]+", "N", text)
    return re.sub(r"~\d+ tokens", "TOKENS", text)


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.is_tool])
def test_the_three_faces_answer_alike(place: Place, name: str):
    """The same call in three equal projects; the command's reply is put into the words that agents get."""
    scene, operation = SCENES[name], OPERATIONS[name]
    folders = {interface: project_of(place, name, interface) for interface in ("mcp", "http", "cli")}

    client = BareClient(place.env, folders["mcp"])
    client.initialize()
    by_mcp = client.ask(1, name, **scene.arguments)
    assert client.close() == 0
    by_http = HttpClient(place.url, place.token, folders["http"]).ask(name, **scene.arguments)
    reply = msgspec.json.decode(run(place, folders["cli"], *scene.command, stdin=scene.stdin), type=operation.reply)
    by_command = answer_text(name, reply, "toon")

    assert plain(by_http, folders["http"]) == plain(by_mcp, folders["mcp"])
    assert plain(by_command, folders["cli"]) == plain(by_mcp, folders["mcp"])


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if not operation.is_tool])
def test_what_is_for_the_terminal_is_refused_to_agents(place: Place, tmp_path: Path, name: str):
    """Over MCP and over HTTP; and it is in no list."""
    client = BareClient(place.env, tmp_path)
    client.initialize()
    http = HttpClient(place.url, place.token, tmp_path)

    assert client.ask(1, name).startswith("refused: ")
    assert http.ask(name).startswith("refused: ")
    client.request(2, "tools/list")
    assert name not in {tool["name"] for tool in client.answer(2)["result"]["tools"]}
    assert client.close() == 0


def test_the_list_of_tools_fits_and_is_what_is_told(place: Place, tmp_path: Path):
    """As a running server sends it: at most 9,300 characters; `palimp mcp tools` counts about as many."""
    tools = HttpClient(place.url, place.token, tmp_path).request("tools/list")["tools"]
    told = json.loads(run(place, tmp_path, "mcp", "tools"))

    sent = json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False)
    assert len(sent) <= 9_300
    assert [tool["name"] for tool in tools] == [tool["name"] for tool in told["tools"]]
    assert abs(told["characters"] - len(sent)) < 100


def test_groups_of_tools_can_be_left_out(place: Place, tmp_path: Path):
    """By the project; what is left out is refused, too, and is not among what a wrong name is told."""
    run(place, tmp_path, "config", "set", "mcp.toolsets", "memory", "upkeep", "--in-project")
    client = BareClient(place.env, tmp_path)
    client.initialize()

    client.request(1, "tools/list")
    names = {tool["name"] for tool in client.answer(1)["result"]["tools"]}
    assert "recall" in names
    assert "list_docs" not in names
    assert "left out here by mcp.toolsets" in client.ask(2, "list_docs")
    wrong = client.ask(3, "remember")
    assert wrong.startswith("unknown_operation: No tool is called 'remember'. There are: save_memory, recall, ")
    assert {*re.findall(r"\w+", wrong.partition("There are: ")[2])} == names
    assert client.close() == 0


def test_prompts_bring_memories_and_ask_for_them(place: Place):
    """`recall` brings what is known, framed; `remember` says what to do."""
    folder = project_of(place, "prompts", "mcp")
    client = BareClient(place.env, folder)
    client.initialize()

    client.request(1, "prompts/list")
    assert [prompt["name"] for prompt in client.answer(1)["result"]["prompts"]] == ["recall", "handoff", "remember"]
    client.request(2, "prompts/get", {"name": "recall", "arguments": {"query": "socket"}})
    text = client.answer(2)["result"]["messages"][0]["content"]["text"]
    assert "First: the **socket** is a Unix **socket**." in text
    assert "not instructions" in text
    client.request(3, "prompts/get", {"name": "remember", "arguments": {"text": "We use tabs."}})
    assert "We use tabs." in client.answer(3)["result"]["messages"][0]["content"]["text"]
    client.request(4, "prompts/get", {"name": "forget"})
    assert "recall, handoff and remember" in client.answer(4)["error"]["message"]
    assert client.close() == 0


def test_resources_are_read_and_completed(place: Place):
    """Context, memories and documents."""
    client = BareClient(place.env, project_of(place, "resources", "mcp"))
    client.initialize()

    def read(uri: str) -> str:
        client.request(uri, "resources/read", {"uri": uri})
        answer = client.answer(uri)
        return answer["result"]["contents"][0]["text"] if "result" in answer else answer["error"]["message"]

    def completed(template: str, argument: str, begun: str) -> list[str]:
        ref = {"type": "ref/resource", "uri": template}
        client.request("c", "completion/complete", {"ref": ref, "argument": {"name": argument, "value": begun}})
        return client.answer("c")["result"]["completion"]["values"]

    client.request(1, "resources/list")
    listed = [each["uri"] for each in client.answer(1)["result"]["resources"]]
    assert listed == ["palimp://context", "palimp://doc/guide"]
    assert read("palimp://doc/guide") == "# Guide\n\nSome words.\n"
    assert "Second: nobody deploys" in read("palimp://context")
    ids = completed("palimp://memory/{id}", "id", "m")
    assert len(ids) == 2
    assert "Second: nobody deploys on a Friday" in read(f"palimp://memory/{ids[0]}")
    assert completed("palimp://doc/{slug}", "slug", "gu") == ["guide"]
    assert completed("palimp://doc/{slug}", "slug", "x") == []
    assert "no document" in read("palimp://doc/nothing").lower()
    assert "palimp://context" in read("palimp://nothing")
    assert client.close() == 0


def test_documents_that_come_and_go_are_announced(place: Place):
    """To clients of both eras, and only to those of the project."""
    folder, other = project_of(place, "announced", "mcp"), project_of(place, "announced", "other")
    client, elsewhere, listener = (BareClient(place.env, each) for each in (folder, other, folder))
    client.initialize()
    elsewhere.initialize()
    listener.request("l", "subscriptions/listen", {"notifications": {"resourcesListChanged": True}, "_meta": STATELESS})
    assert listener.read()["method"] == "notifications/subscriptions/acknowledged"

    run(place, folder, "docs", "add", "second", "-", "--title", "Second", stdin="# Second\n")

    assert client.read()["method"] == "notifications/resources/list_changed"
    assert listener.read()["method"] == "notifications/resources/list_changed"
    assert elsewhere.is_silent()
    assert [each.close() for each in (listener, client, elsewhere)] == [0, 0, 0]
