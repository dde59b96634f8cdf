"""A hook never stops an agent: whatever happens it exits with 0, in time, and prints nothing it should not."""

import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zmq
from claude_hooks import PALIMP, Agent
from daemon_asking import ask
from running_daemon import RunningDaemon, wait_until

from palimp_protocol.env.paths import database_path, socket_path
from palimp_protocol.hooks import HOOK_DEADLINES_S
from palimp_protocol.limits import HOOK_INPUT_BYTES_MAX, HOOK_READ_BYTES_MAX, HOOK_SPOOL_BYTES_MAX
from palimp_protocol.wire.frames import Kind

EVENTS = tuple(HOOK_DEADLINES_S)
WITHIN_S = 60
"""What a loaded machine may take to start and end a process; the hook's own deadline is a fraction of a second."""


def told(project: Path, event: str, **more) -> bytes:
    given = {"file_path": str(project / "a.py"), "content": "call_something(1)\n"}
    base = {
        "session_id": "s1",
        "cwd": str(project),
        "hook_event_name": event,
        "tool_name": "Write",
        "tool_input": given,
    }
    return json.dumps(base | more).encode()


def hook(env: dict[str, str], event: str, data: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = [*PALIMP, "hook", event, *options]
    return subprocess.run(command, env=env, input=data, capture_output=True, timeout=WITHIN_S, check=False)


def is_silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("event", EVENTS[1:])
def test_without_a_daemon_a_hook_is_silent(env, project, event):
    assert is_silent(hook(env, event, told(project, event)))


def test_what_a_hook_prints_is_utf_8_whatever_the_locale(daemon, env, project):
    """It is JSON; in another encoding nothing of it could be said."""
    ask(env, project, "save_memory", text="Die Größe zählt.", kind="decision")
    odd = env | {"PYTHONIOENCODING": "ascii", "PALIMP_HOOKS_PATIENCE": "50"}
    done = hook(odd, "SessionStart", told(project, "SessionStart", source="startup"))
    assert "Die Größe zählt" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("source", ["startup", "resume"])
def test_that_the_store_is_refused_is_said_at_a_sessions_start_only(env, project, source: str):
    """To the agent and to its user, so that somebody notices; every other hook is silent."""
    path = Path(database_path(env))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    patient = env | {"PALIMP_HOOKS_PATIENCE": "50"}  # of the hook and of the daemon
    RunningDaemon(patient, is_forked=True).start()
    said = json.loads(hook(patient, "SessionStart", told(project, "SessionStart", source=source)).stdout)
    given = said["hookSpecificOutput"]
    assert given["hookEventName"] == "SessionStart"
    for text in (given["additionalContext"], said["systemMessage"]):
        assert "is damaged" in text
        assert "palimp doctor --fix" in text
        assert "\n" not in text
    for event in EVENTS:
        if event != "SessionStart":
            assert is_silent(hook(patient, event, told(project, event, prompt="What did we decide?")))


def test_a_record_that_a_daemon_of_another_protocol_refuses_is_kept(env, project):
    """For the daemon of the next version."""
    path = Path(socket_path(env, user_id=os.getuid()))
    path.parent.mkdir(parents=True, exist_ok=True)
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.setsockopt(zmq.LINGER, 0)
        router.bind(f"ipc://{path}")
        with ThreadPoolExecutor(1) as pool:
            patient = env | {"PALIMP_HOOKS_PATIENCE": "50"}  # it is the answer that counts, not that none came
            done = pool.submit(hook, patient, "PostToolUse", told(project, "PostToolUse"))
            assert router.poll(WITHIN_S * 1000)
            identity, _, frame_id, _ = router.recv_multipart()
            router.send_multipart([identity, bytes((99, Kind.REPLY)), frame_id, b"{}"])
            assert is_silent(done.result())
    assert len(list((Path(env["PALIMP_HOME"]) / "spool").glob("*.json"))) == 1


def test_only_the_start_of_a_session_starts_a_daemon(env, project):
    for event in EVENTS[1:]:
        hook(env, event, told(project, event))
    state = Path(env["PALIMP_HOME"])
    assert not (state / "palimp.address").exists()
    assert is_silent(hook(env, "SessionStart", told(project, "SessionStart")))
    wait_until((state / "palimp.address").exists, 60)


def test_beside_a_daemon_that_hangs_a_hook_is_silent(daemon, env, project):
    os.kill(daemon.pid, signal.SIGSTOP)
    try:
        assert [event for event in EVENTS if not is_silent(hook(env, event, told(project, event)))] == []
    finally:
        os.kill(daemon.pid, signal.SIGCONT)


@pytest.mark.parametrize("event", EVENTS)
def test_a_daemon_that_dies_meanwhile_is_no_failure(daemon, env, project, event):
    os.kill(daemon.pid, signal.SIGSTOP)
    patient = {**env, "PALIMP_HOOKS_PATIENCE": "100"}
    with subprocess.Popen(
        [*PALIMP, "hook", event], env=patient, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as waiting:
        assert waiting.stdin
        waiting.stdin.write(told(project, event))
        waiting.stdin.close()
        wait_until(lambda: _is_connected(waiting.pid), WITHIN_S)
        daemon.kill()
        assert waiting.wait(timeout=WITHIN_S) == 0


def _is_connected(pid: int) -> bool:
    """Tell whether a process holds a socket."""
    try:
        return any("socket:" in str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


TOLD = {
    "nothing": b"",
    "no json": b"no json",
    "a list": b"[1, 2]",
    "wrong types": b'{"session_id": 5, "cwd": {}, "tool_input": []}',
    "half a character": b'{"tool_name": "Edit", "tool_input": {"file_path": "\\ud800"}, "session_id": "s", "cwd": "/"}',
    "deep": b"[" * 100_000,
    "5 MB": b'{"a": "' + b"x" * (5 * 1024 * 1024) + b'"}',
}


def test_whatever_it_is_told_it_is_silent(daemon, env):
    for name, data in TOLD.items():
        assert [event for event in EVENTS if not is_silent(hook(env, event, data))] == [], name


def test_it_does_not_wait_for_stdin_to_be_closed(daemon, env, project):
    for event in EVENTS:
        with subprocess.Popen([*PALIMP, "hook", event], env=env, stdin=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(told(project, event))
            process.stdin.flush()
            assert process.wait(timeout=WITHIN_S) == 0, event


def test_it_does_not_wait_for_a_client_that_says_nothing(daemon, env):
    with subprocess.Popen([*PALIMP, "hook", "Stop"], env=env, stdin=subprocess.PIPE) as process:
        assert process.wait(timeout=WITHIN_S) == 0


def test_a_program_that_extracts_memories_runs_none(daemon, env, project):
    """What it starts may be a client with our hooks; they would start it again."""
    quiet = {**env, "PALIMP_HOOKS_OFF": "1"}
    assert is_silent(hook(quiet, "SessionStart", told(project, "SessionStart")))
    assert not (Path(env["PALIMP_HOME"]) / "spool").exists()
    assert is_silent(hook(quiet, "PostToolUse", told(project, "PostToolUse")))
    assert not (Path(env["PALIMP_HOME"]) / "spool").exists()


def test_an_event_that_nobody_knows_is_said_and_does_no_harm(env):
    done = hook(env, "Nonsense", b"{}")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"SessionStart" in done.stderr


def test_an_input_that_is_too_long_is_let_through(daemon, env, project):
    content = "x = 1\n" * (HOOK_INPUT_BYTES_MAX // 6)
    assert is_silent(hook(env, "PreToolUse", told(project, "PreToolUse", tool_input={"content": content})))


def test_what_waits_for_a_daemon_is_bounded(env, project):
    spool = Path(env["PALIMP_HOME"]) / "spool"
    spool.mkdir(parents=True)
    with (spool / "0-00.json").open("wb") as file:
        file.truncate(HOOK_SPOOL_BYTES_MAX)
    assert is_silent(hook(env, "PostToolUse", told(project, "PostToolUse")))
    assert len(list(spool.iterdir())) == 1


def test_a_record_that_was_taken_late_is_not_stored_twice(daemon, env, project):
    """The daemon hangs, the hook leaves its record in a file; the daemon wakes up and has both."""
    (project / "a.py").write_text("call_something(1)\n" * 3)
    os.kill(daemon.pid, signal.SIGSTOP)
    given = {"file_path": str(project / "a.py"), "old_string": "gone_for_good(now)", "new_string": ""}
    done = hook(env, "PostToolUse", told(project, "PostToolUse", tool_name="Edit", tool_input=given))
    assert is_silent(done)
    spool = Path(env["PALIMP_HOME"]) / "spool"
    assert len(list(spool.glob("*.json"))) == 1
    os.kill(daemon.pid, signal.SIGCONT)
    wait_until(lambda: not list(spool.iterdir()), 60)
    Agent(env, project).end()
    wait_until(lambda: _log(env, project)["total"] > 0, 60)
    assert _log(env, project)["total"] == 1


def _log(env: dict[str, str], project: Path) -> dict:
    command = [*PALIMP, "changes", "log", "--json"]
    return json.loads(subprocess.run(command, env=env, cwd=project, capture_output=True, check=False).stdout)


LARGE = "call_something(1, 2, 3)\n" * (HOOK_INPUT_BYTES_MAX // 20)


def test_an_edit_that_is_too_large_to_be_checked_is_said_in_one_line(env, project):
    """And only then: its prompt, its other hooks, and what is no edit of a file stay silent."""
    RunningDaemon(env | {"PALIMP_HOOKS_PATIENCE": "100"}).start()  # reading so much takes a loaded machine its time
    agent = Agent(env, project)
    given = {"file_path": str(project / "a.py"), "content": LARGE}
    said = agent.hook("PreToolUse", tool_name="Write", tool_input=given)
    assert "removed code was not looked for" in said["additionalContext"]
    assert "\n" not in said["additionalContext"]
    assert agent.hook("PostToolUse", tool_name="Write", tool_input=given, tool_response={}) == {}
    assert agent.hook("PreToolUse", tool_name="Write", tool_input=given | {"content": "x = 1\n"}) == {}
    assert agent.hook("PreToolUse", tool_name="Bash", tool_input={"command": LARGE}) == {}
    assert agent.hook("UserPromptSubmit", prompt=LARGE) == {}


def test_an_input_that_is_too_large_to_be_read_is_said_without_a_daemon(env, project):
    content = "x" * HOOK_READ_BYTES_MAX
    given = {"file_path": str(project / "a.py"), "content": content}
    done = hook(env, "PreToolUse", told(project, "PreToolUse", tool_input=given))
    assert "was not read" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert is_silent(hook(env, "PostToolUse", told(project, "PostToolUse", tool_input=given)))
    done = hook(env, "preToolUse", told(project, "preToolUse", tool_input=given), "--client", "copilot")
    assert "was not read" in json.loads(done.stdout)["additionalContext"]


def test_a_small_edit_that_a_client_tells_of_at_length_is_recorded(daemon, env, project):
    """With the file before and after it, and a patch of all of it, which is more than is sent."""
    agent = Agent(env, project)
    lost = "def retry_with_backoff(call):\n    return call(attempts=5)\n"
    rest = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    (project / "a.py").write_text(lost + rest)
    given = {"file_path": str(project / "a.py"), "old_string": lost, "new_string": ""}
    agent.hook("PreToolUse", tool_name="Edit", tool_input=given)
    (project / "a.py").write_text(rest)
    response = {"originalFile": lost + rest, "structuredPatch": [rest.splitlines()] * 8}
    agent.hook("PostToolUse", tool_name="Edit", tool_input=given, tool_response=response)
    agent.end()
    wait_until(lambda: _log(env, project)["total"] > 0, 60)
    assert _log(env, project)["hunks"][0]["first"].startswith("def retry_with_backoff")
