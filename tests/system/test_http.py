"""MCP over HTTP: who may come in, for which project, and that nothing of it hurts the rest."""

import json
import os
import resource
import socket
import stat
import subprocess
import sys
from http.client import HTTPConnection
from itertools import product
from pathlib import Path

import httpx2
import pytest
from http_clients import HttpClient, serve_http
from mcp import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client
from mcp_clients import text_of
from running_daemon import RunningDaemon, wait_until

from palimp_protocol.env.paths import config_path, token_path
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.daemon_messages import Health
from palimp_protocol.messages.introspection import Http, HttpStatus
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]


def http(env: dict[str, str], action: str) -> HttpStatus:
    return Client(env).call(OPERATIONS["http"], Http(action=action), Caller())


@pytest.fixture
def served(daemon, env) -> HttpStatus:
    """HTTP on a port that is free."""
    return serve_http(env)


def save(env: dict[str, str], folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    caller = Caller(ProjectRef(str(folder), folder.name))
    Client(env).call(OPERATIONS["save_memory"], SaveMemory(text=text), caller)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the client's library, under trio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdk_s_client_of_both_eras_saves_and_recalls(served, project: Path, mode: str):
    """The official client, with its own HTTP library."""
    headers = {"Authorization": f"Bearer {served.token}", "X-Palimp-Project": str(project)}
    async with (
        httpx2.AsyncClient(headers=headers) as connection,
        SdkClient(streamable_http_client(served.url, http_client=connection), mode=mode) as client,
    ):
        saved = text_of(await client.call_tool("save_memory", {"text": "HTTP works, too."}))
        found = text_of(await client.call_tool("recall", {"query": "works"}))
        asked = {"text": "Short sentences everywhere.", "scope": "global"}
        for_all = text_of(await client.call_tool("save_memory", asked))

    assert "once the user says yes" in for_all  # who has no session passes for no person
    assert saved.startswith('Saved "HTTP works, too')
    assert "1 of 1" in found


def test_only_the_right_host_origin_and_token_come_in(served):
    """Every combination: one wrong one of the three is enough to be refused, and the refusal says which."""
    port = served.url.split(":")[2].split("/")[0]
    here = (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}")
    strange = ("127.0.0.1", "evil.example", f"evil.example:{port}", f"127.0.0.1:{port}.evil")
    hosts = dict.fromkeys(here, True) | dict.fromkeys(strange, False)
    pages = ("https://evil.example", "null", f"http://localhost:{port}.evil")
    origins = dict.fromkeys(("", *(f"http://{name}" for name in here)), True) | dict.fromkeys(pages, False)
    wrong = ("", "x", served.token[:-1], f"{served.token}x", "é")
    tokens = {served.token: True} | dict.fromkeys(wrong, False)
    client = HttpClient(served.url, "")
    client.headers = {}

    seen = set()
    combinations = product(hosts.items(), origins.items(), tokens.items())
    for (host, host_ok), (origin, origin_ok), (token, token_ok) in combinations:
        headers = {"Host": host, "Authorization": f"Bearer {token}".encode().decode("latin-1")}
        headers |= {"Origin": origin} if origin else {}
        status, text = client.send(b"{}", **headers)
        expected = 421 if not host_ok else 403 if not origin_ok else 401 if not token_ok else 400
        assert status == expected, (host, origin, token, text)
        seen.add(status)
    assert seen == {421, 403, 401, 400}  # 400: let in, and no JSON-RPC


def test_the_token_is_the_owner_s_alone(served, env, project: Path):
    """Made once, shown once, kept in a file that others cannot read; a new one ends the old one."""
    path = Path(token_path(env))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().strip() == served.token
    assert http(env, "enable").token == ""

    renewed = http(env, "new_token").token
    assert renewed not in ("", served.token)
    assert HttpClient(served.url, served.token).send(b"{}")[0] == 401
    assert HttpClient(served.url, renewed).send(b"{}")[0] == 400
    path.chmod(0o644)
    assert HttpClient(served.url, renewed).send(b"{}")[0] == 401  # others could have read it
    path.unlink()
    assert HttpClient(served.url, renewed).send(b"{}")[0] == 401


def test_the_project_is_named_or_there_is_only_one(served, env, home: Path):
    """By a header or in the address; by a folder in it, by its name, or as global; never guessed."""
    client = HttpClient(served.url, served.token)
    assert "No project is named" in client.ask("recall")
    one, other, third = home / "a" / "work", home / "b" / "work", home / "c" / "play"
    save(env, one, "Of the first.")
    assert "Of the first" in client.ask("recall")
    save(env, other, "Of the second.")
    save(env, third, "Of the third.")

    refused = client.ask("recall")
    assert "Several projects are known" in refused
    assert "X-Palimp-Project" in refused
    assert "Of the third" in HttpClient(f"{served.url}?project=play", served.token).ask("recall")
    assert "Several projects are called 'work'" in HttpClient(f"{served.url}?project=work", served.token).ask("recall")
    assert "Of the second" in HttpClient(f"{served.url}?project={other}", served.token).ask("recall")
    assert "Of the second" in HttpClient(served.url, served.token, other).ask("recall")
    assert "Nothing is stored" in HttpClient(f"{served.url}?project=global", served.token).ask("recall")
    assert "is not a folder" in HttpClient(f"{served.url}?project=/proc/nonexistent", served.token).ask("recall")
    assert "No project is called 'x'" in HttpClient(f"{served.url}?project=x", served.token).ask("recall")


def test_bodies_are_bounded_and_bad_ones_refused(served, project: Path):
    """And the next honest request is answered."""
    client = HttpClient(served.url, served.token, project)

    host, port = served.url.split("/")[2].split(":")
    connection = HTTPConnection(host, int(port), timeout=30)
    connection.putrequest("POST", "/mcp")
    for name, value in {**client.headers, "Content-Type": "application/json", "Content-Length": "5000000"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
    assert client.send(b"\xff\xfe")[0] == 400
    assert client.send(b"[" * 20_000)[0] == 400
    assert client.send(b"{}", **{"Content-Type": "text/plain"})[0] == 400
    assert client.ask("recall", query="\0 AND NOT \ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def test_a_port_that_is_taken_is_said_and_the_core_lives(daemon, env, project: Path):
    """Everything else works; another port mends it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        done = subprocess.run(
            [*PALIMP, "http", "enable", "--port", str(number)], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 4
        assert f"Port {number}" in done.stderr
        assert "something else listens there" in done.stderr
        save(env, project, "Saved all the same.")
        assert f"Port {number}" in Client(env).call(OPERATIONS["health"], OPERATIONS["health"].request(), Caller()).http
        status = serve_http(env)
    token = Path(token_path(env)).read_text().strip()
    assert "Saved all the same" in HttpClient(status.url, token, project).ask("recall")


def test_it_is_off_until_asked_for_and_can_be_switched_while_it_runs(daemon, env):
    """By the command, or by editing the file; only this machine can connect."""
    assert http(env, "status") == HttpStatus(is_enabled=False, token_file=token_path(env))
    assert not Path(token_path(env)).exists()
    status = serve_http(env)
    port = int(status.url.split(":")[2].split("/")[0])
    listening = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True, check=True).stdout
    assert f"0100007F:{port:04X} 00000000:0000 0A" in listening
    assert f"00000000:{port:04X} 00000000:0000 0A" not in listening

    path = Path(config_path(env))
    path.write_text(path.read_text().replace("enabled = true", "enabled = false"))
    wait_until(lambda: http(env, "status").url == "", 60)
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
    assert http(env, "disable").is_enabled is False


def test_the_token_is_in_no_log(served, env):
    """Nor what was asked."""
    HttpClient(served.url, served.token).send(json.dumps({"a": served.token}).encode())
    state = Path(token_path(env)).parent
    for path in [Path(env["HOME"]) / "daemon.log", *state.glob("*")]:
        if path.is_file() and path != Path(token_path(env)):
            assert served.token.encode() not in path.read_bytes(), path
    assert os.access(Path(token_path(env)), os.R_OK)


def test_connections_without_a_token_neither_end_the_daemon_nor_keep_others_out(env, home: Path):
    """More than the daemon may have descriptors; over the socket and over HTTP it serves as before."""

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))

    running = RunningDaemon(env)
    running.start(before=few)
    served = serve_http(env)
    port = int(served.url.split(":")[2].split("/")[0])
    boot = Client(env).call(OPERATIONS["health"], Health(), Caller()).boot
    idle = []
    try:
        for number in range(DESCRIPTORS + 50):
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            idle.append(connection)
            if number % 2:
                connection.send(b"GET /mcp HTTP/1.1\r\n")
        save(env, home / "p", "Served beside many who say nothing.")
        assert Client(env).call(OPERATIONS["health"], Health(), Caller()).boot == boot
        client = HttpClient(served.url, served.token, home / "p")
        assert "1 of 1" in client.ask("recall", query="beside")
    finally:
        for each in idle:
            each.close()
    assert running.process.poll() is None
    assert running.stop() == 0


DESCRIPTORS = 200
