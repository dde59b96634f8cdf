"""`palimp hook EVENT`: tell the daemon what happened, print what it answers, and be gone.

Theory
------
A hook stands between an agent and its work, on every edit. So it never fails, never waits longer than its deadline,
and prints one line of JSON or nothing. What went wrong is in the daemon's log; there is nobody here to read it.

The daemon is not waited for while it starts: a session's start has it started, and is answered with nothing.

A record of an edit, or of a session's end, must not be lost: when no receipt comes in time, it is left in a file
(`spool`) that the daemon reads later. It carries the id of its request, so that a record which the daemon had taken
after all is not stored twice.
"""

import json
import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from palimp_protocol.env import paths
from palimp_protocol.env.address import identity_for
from palimp_protocol.env.project import project_from_directory, working_directory
from palimp_protocol.env.state_folder import problem_with
from palimp_protocol.errors import FrameError
from palimp_protocol.hooks import EDITING_TOOLS, HOOK_DEADLINES_S, HOOKS_OFF, KEPT_EVENTS
from palimp_protocol.limits import HOOK_INPUT_BYTES_MAX, HOOK_READ_BYTES_MAX, HOOK_TEXT_CHARACTERS_MAX
from palimp_protocol.surrogates import mended_json
from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.hooks.spool import keep
from palimp_shim.transport.connection import Connection
from palimp_shim.transport.dial import Dialer

STDIN_S: Final = 1.0
"""How long the client may take to say what happened; it has it ready."""

SENT_KEYS: Final = (
    "tool_name",
    "tool_input",
    "tool_use_id",
    "transcript_path",
    "source",
    "prompt",
    "trigger",
    "reason",
    "last_assistant_message",
    "stop_hook_active",
    "agent_id",
    "error",
    "is_interrupt",
)
"""What of a hook's input the daemon is told."""

CUT_KEYS: Final = ("file_path", "notebook_path", "cell_id", "edit_mode")
"""What of a tool's input is sent when all of it is too large."""

UNREAD_EVENT: Final = "PreToolUse"
"""The event at which an agent is told that its input was too large to be read at all."""

CLIENT: Final = "claude-code"


class _TooLargeError(Exception):
    """The input has more than HOOK_READ_BYTES_MAX bytes."""


def main(arguments: list[str]) -> int:
    """Tell the daemon of the event named in *arguments*; return 0 whatever happens."""
    code = 0
    if os.environ.get(HOOKS_OFF):
        return 0  # run by a program that extracts memories: its own session is none of the user's
    if problem := problem_with(os.environ, user_id=os.getuid()):
        sys.stderr.write(f"palimp hook: {problem}\n")
        return 0
    if len(arguments) != 1 or arguments[0] not in HOOK_DEADLINES_S:
        sys.stderr.write(f"palimp hook: name one event of {', '.join(HOOK_DEADLINES_S)}.\n")
        return 0
    try:
        output = _answer(arguments[0], dict(os.environ))
        if output:
            sys.stdout.buffer.write(output.encode() + b"\n")  # JSON is UTF-8, whatever the locale says
            sys.stdout.buffer.flush()
    except BaseException:  # noqa: BLE001  an agent is never stopped by its memory
        code = 0
    # Leaving this way skips taking the interpreter down, a tenth of a hook's time.
    os._exit(code)


def _answer(event: str, env: Mapping[str, str]) -> str:
    """Return what the hook prints; nothing when there is no answer in time."""
    try:
        given = _read_input(STDIN_S * _patience(env))
    except _TooLargeError:
        return _unread() if event == UNREAD_EVENT else ""
    if given is None:
        return ""
    directory = _text(given.get("cwd")) or working_directory(env)
    project = project_from_directory(directory, paths.home_directory(env))
    session = _text(given.get("session_id"))
    call: dict[str, Any] = {
        "operation": "hook",
        "arguments": {"event": event, "input": {}, "sent_at": time.time_ns() // 1_000_000},
        "caller": {
            "project": project and {"root": project.root, "name": project.name, "tree": project.tree},
            "session": {"key": session, "client": CLIENT} if session else None,
        },
    }
    if store := identity_for(env):
        call["store"] = store
    body = _body(call, _sent(given))
    frame = Frame(Kind.REQUEST, os.urandom(16) + b"\0" * 8, body)
    answer = _exchange(event, frame, env)
    if answer is None:
        if event in KEPT_EVENTS and given.get("tool_name", "Edit") in EDITING_TOOLS:
            keep(env, frame.id, body)
        return ""
    return _text(json.loads(answer).get("output"))


def _exchange(event: str, frame: Frame, env: Mapping[str, str]) -> bytes | None:
    """Return the body of the daemon's reply, or None when none comes in time."""
    ends_at = time.monotonic() + HOOK_DEADLINES_S[event] * _patience(env)
    dialer = Dialer(env, honours_stop=True)
    connected = dialer.step(time.monotonic(), is_wanted=False) if event == "SessionStart" else dialer.connect()
    if connected is None:
        return None
    try:
        with Connection(connected) as connection:
            answer = connection.ask(frame, ends_at)
    except (OSError, FrameError):
        return None
    return answer.body if answer.kind is Kind.REPLY else None


def _patience(env: Mapping[str, str]) -> int:
    """Return what deadlines are multiplied with: the setting hooks.patience, which hooks take from the environment."""
    given = env.get("PALIMP_HOOKS_PATIENCE", "")
    return max(1, int(given)) if given.isdecimal() else 1


def _sent(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a hook's input is sent: of a tool's answer only the former text of the file."""
    sent = {key: given[key] for key in SENT_KEYS if key in given}
    response: Any = given.get("tool_response")
    if isinstance(response, dict) and isinstance(response.get("originalFile"), str):  # pyright: ignore[reportUnknownMemberType]
        sent["tool_response"] = {"originalFile": response["originalFile"]}
    return sent


def _body(call: dict[str, Any], sent: dict[str, Any]) -> bytes:
    """Return *call* with the input *sent*, as JSON; when it is too large, without the texts that make it so."""
    body = b""
    for fitting in (lambda: sent, lambda: _without(sent, "tool_response"), lambda: _cut(sent)):
        call["arguments"]["input"] = fitting()
        body = mended_json(json.dumps(call, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if len(body) <= HOOK_INPUT_BYTES_MAX:
            break
    return body


def _without(sent: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name != key}


def _cut(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return *sent* with its texts cut, and of a tool's input only what it is about."""
    cut = {key: value[:HOOK_TEXT_CHARACTERS_MAX] for key, value in sent.items() if isinstance(value, str)}
    tool_input: Any = sent.get("tool_input")
    if isinstance(tool_input, dict):
        about = {key: _text(tool_input.get(key))[:HOOK_TEXT_CHARACTERS_MAX] for key in CUT_KEYS if key in tool_input}  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        cut |= {"tool_input": about, "is_cut": True}
    return cut


def _unread() -> str:
    """Return what an agent is told of an edit that was not read: the daemon is not asked about it."""
    most = HOOK_READ_BYTES_MAX // (1024 * 1024)
    text = f"palimp: this edit has more than {most} MiB and was not read: removed code was not looked for in it."
    return json.dumps({"hookSpecificOutput": {"hookEventName": UNREAD_EVENT, "additionalContext": text}})


def _read_input(patience_s: float) -> dict[str, Any] | None:
    """Return what the client writes to stdin; None when it is late, or no JSON object.

    Clients close stdin after it. One that does not is not waited for once the object is whole.

    Raises:
        _TooLargeError: it has more than HOOK_READ_BYTES_MAX bytes.
    """
    ends_at = time.monotonic() + patience_s
    data = bytearray()
    # A process that was stopped for long finds the time over, and the input there: it is read all the same.
    while select.select([0], [], [], max(0.0, ends_at - time.monotonic()))[0]:
        chunk = os.read(0, 1 << 16)
        data += chunk
        if len(data) > HOOK_READ_BYTES_MAX:
            raise _TooLargeError
        if not chunk or (chunk.rstrip().endswith(b"}") and not select.select([0], [], [], 0.0)[0]):
            given = _parsed(data)
            if given is not None or not chunk:
                return given
    return _parsed(data)


def _parsed(data: bytearray) -> dict[str, Any] | None:
    try:
        given: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None  # pyright: ignore[reportUnknownVariableType]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
