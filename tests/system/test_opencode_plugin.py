"""OpenCode's plugin in Node.js: with a daemon it does what hooks do, without one it says nothing and loses nothing."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from daemon_asking import ask
from nodejs import needs_node
from opencode_plugin import SESSION, OpenCode
from running_daemon import RunningDaemon, end_daemon, owner_pids, wait_until

from palimp_protocol.env.paths import socket_path, spool_directory
from palimp_protocol.operations import operation_named
from palimp_protocol.wire.decoding import decode_arguments, decode_call
from palimp_shim.transport.zmtp import OPENING

PROGRAMS = Path(sys.executable).parent
RETRY = "def retry_later(call, attempts):\n    for delay in range(attempts):\n        wait_for(delay * 2)\n"
"""Code that is worth missing."""

pytestmark = needs_node


@pytest.fixture
def patient(env: dict[str, str]) -> dict[str, str]:
    """An environment in which nothing is late: that is not what these tests are about."""
    return env | {"PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def opencode(patient: dict[str, str], project: Path):
    """A process of OpenCode's."""
    with OpenCode(patient, project, PROGRAMS) as running:
        yield running


def spooled(env: dict[str, str]) -> list[Path]:
    folder = Path(spool_directory(env))
    return sorted(folder.iterdir()) if folder.exists() else []


@contextmanager
def answering(path: str, answer: bytes) -> Iterator[None]:
    """Somebody who is no daemon at the socket *path*: whoever comes is told *answer*, and nothing more."""
    kept: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    kept.append(listener.accept()[0])
                    kept[-1].sendall(answer)
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in kept:
        connection.close()


def test_what_is_remembered_is_in_the_systems_text_of_every_request(daemon, env, project, opencode):
    """But not of the agent that only names the session, nor of a subagent's."""
    ask(env, project, "save_memory", text="Beträge sind ganze Rappen.", kind="decision")
    opencode.event("session.created")
    opencode.event("session.created", "ses_2", parentID=SESSION)
    opencode.prompt("Weiter")
    (told,) = opencode.system()
    assert "Beträge sind ganze Rappen" in told
    assert opencode.system() == [told]
    assert opencode.system("You are a title generator. You output ONLY a thread title.") == []
    assert opencode.system(session="ses_2") == []


def test_removed_code_is_denied_with_its_reason_and_let_through_the_second_time(daemon, project, opencode):
    opencode.prompt("Weiter")
    file = str(project / "größe.py")
    opencode.use("write", filePath=file, content=RETRY)
    opencode.use("write", filePath=file, content="pass\n")
    opencode.event("session.idle")
    opencode.event("session.created", "ses_9")
    opencode.prompt("Mach es robuster", "ses_9")

    def is_denied() -> bool:
        return "code that was removed" in opencode.use("write", "ses_9", filePath=file, content=RETRY)

    wait_until(is_denied, 60, lambda: "it was not denied")  # what a turn took out is watched when it is over
    assert "removed" in opencode.use("write", "ses_9", filePath=file, content=RETRY)
    assert Path(file).read_text() == RETRY


def test_what_is_known_of_a_file_comes_with_the_next_result_of_a_tool(daemon, env, project, opencode):
    """Of the tool itself, or where that one fails, of the next."""
    opencode.prompt("Weiter")
    ask(env, project, "save_memory", text="In zins.py rundet nichts, weil Rappen ganz sind.", kind="decision")
    about = {"tool": "read", "sessionID": SESSION, "callID": "fails"}
    opencode.call("tool.execute.before", about, {"args": {"filePath": str(project / "zins.py")}})
    assert "rundet nichts" in opencode.use("bash", command="true", exit=0)
    assert opencode.use("bash", command="true", exit=0) == ""


def test_the_session_has_its_clients_name(daemon, env, project, opencode):
    opencode.prompt("Weiter")
    opencode.use("write", filePath=str(project / "a.py"), content=RETRY)
    opencode.event("session.idle")
    found = ask(env, project, "sessions").sessions
    assert [(each.key, each.client) for each in found] == [(SESSION, "opencode")]


def test_without_a_daemon_it_says_nothing_and_only_an_edit_and_the_end_are_kept(patient, project, opencode):
    """As requests that a daemon takes later."""
    daemonless = patient | {"PALIMP_HOOKS_PATIENCE": "1"}
    with OpenCode(daemonless, project, Path("/nowhere/bin")) as alone:
        assert alone.prompt("Weiter") == []
        assert alone.system() == []
        assert alone.use("read", filePath="/a.py") == ""
        assert alone.use("bash", command="ls", exit=1) == ""
        assert alone.use("write", filePath=str(project / "a.py"), content=f"{RETRY}\ud800") == ""
        alone.event("session.idle")
        alone.call("experimental.session.compacting", {"sessionID": SESSION}, {"context": []})
        alone.call("dispose")
    found = [decode_call(path.read_bytes()) for path in spooled(patient)]
    requests = [decode_arguments(operation_named(call.operation), bytes(call.arguments)) for call in found]
    assert [each.event for each in requests] == [
        "tool.execute.after",
        "experimental.session.compacting",
        "session.end",
    ]
    assert {path.suffix for path in spooled(patient)} == {".json"}
    assert {path.stat().st_mode & 0o777 for path in spooled(patient)} == {0o600}


def test_what_is_kept_in_one_millisecond_is_kept_in_its_order(patient, project, opencode):
    daemonless = patient | {"PALIMP_HOOKS_PATIENCE": "1"}
    sessions = [f"ses_{number}" for number in range(9)]
    with OpenCode(daemonless, project, Path("/nowhere/bin")) as alone:
        for session in sessions:
            alone.prompt("Weiter", session)
        alone.call("dispose")
    found = [decode_call(path.read_bytes()) for path in spooled(patient)]
    requests = [decode_arguments(operation_named(call.operation), bytes(call.arguments)) for call in found]
    assert [each.input["input"]["sessionID"] for each in requests] == sessions


def test_what_was_kept_is_taken_in_by_the_next_daemon(env, project, patient):
    with OpenCode(env, project, Path("/nowhere/bin")) as alone:
        alone.use("write", filePath=str(project / "a.py"), content=RETRY)
    assert len(spooled(env)) == 1
    daemon = RunningDaemon(env)
    daemon.start()
    try:
        wait_until(lambda: not spooled(env), 60, lambda: "it was not taken in")
        assert [each.client for each in ask(env, project, "sessions").sessions] == ["opencode"]
    finally:
        daemon.stop()


def test_the_start_of_a_session_has_the_daemon_started(env, project, opencode):
    """It is not waited for: what it says is in the next request."""
    opencode.prompt("Weiter")
    try:
        wait_until(lambda: owner_pids(env), 60, lambda: "no daemon was started")
        ask(env, project, "save_memory", text="Beträge sind ganze Rappen.", kind="decision")
        wait_until(lambda: "Rappen" in "".join(opencode.system()), 60, lambda: "nothing was said")
    finally:
        end_daemon(env)


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", OPENING[:40], OPENING, OPENING + b"\x02" + b"\xff" * 8, b"\xff" * 200],
)
def test_whoever_answers_nonsense_is_not_believed_and_not_waited_for(env, project, answer: bytes):
    path = socket_path(env, user_id=0)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with answering(path, answer), OpenCode(env, project, Path("/nowhere/bin")) as opencode:
        assert opencode.prompt("Weiter") == []
        assert opencode.system() == []
        assert opencode.use("write", filePath=str(project / "a.py"), content=RETRY) == ""
        opencode.call("dispose")
    assert len(spooled(env)) == 2


@pytest.mark.parametrize(
    "more",
    [{"PALIMP_HOOKS_OFF": "1"}, {"PALIMP_HOME": "state"}, {"PALIMP_SOCKET": "palimp.sock"}],
)
def test_where_hooks_are_off_or_nothing_can_be_found_it_does_nothing(env, project, more: dict[str, str]):
    with OpenCode(env | more, project, PROGRAMS) as opencode:
        assert opencode.prompt("Weiter") == []
        assert opencode.use("write", filePath=str(project / "a.py"), content=RETRY) == ""
    assert spooled(env) == []


def test_an_edit_that_is_too_large_is_told_without_its_texts(env, project):
    with OpenCode(env, project, Path("/nowhere/bin")) as alone:
        alone.use("write", filePath=str(project / "a.py"), content="x = 1\n" * 500_000)
    (record,) = spooled(env)
    assert record.stat().st_size < 1000
    assert b'"isCut":true' in record.read_bytes()
