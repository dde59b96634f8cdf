"""`palimp hook EVENT`: report an event to the daemon, and print its answer.

A hook never fails or exceeds its deadline, since an agent waits for it, nor waits for a starting daemon. A record that
must not be lost is kept in a file (`spool`) under its request's id, to be stored once.
"""

import json
import os
import select
import sys
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from palimp_clients.claude_code import dialect as claude
from palimp_clients.dialects import CLIENTS, client_in, dialect_named
from palimp_clients.hooks.event import Dialect, HookReply
from palimp_protocol.env.state_folder import problem_with
from palimp_protocol.errors import FrameError
from palimp_protocol.hooks import HOOK_DEADLINES_S, HOOKS_OFF, patience
from palimp_protocol.limits import HOOK_READ_BYTES_MAX
from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.events.request import body_of, is_kept
from palimp_shim.transport.connection import Connection
from palimp_shim.transport.dial import Dialer

STDIN_S: Final = 1.0
"""Seconds for the client to send the event, which it has ready."""

UNREAD_EVENT: Final = "PreToolUse"
"""Event at which an agent is told that its input was too large to read."""

_USAGE: Final = f"""\
palimp hook: name one event of {", ".join(HOOK_DEADLINES_S)}, or with --client NAME one of that client's own.
"""


class _TooLargeError(Exception):
    """The input is over HOOK_READ_BYTES_MAX."""


class _Arguments(NamedTuple):
    """Empty client: the input tells, since others run Claude Code's hooks, too."""

    event: str
    client: str
    via: str


def main(arguments: list[str]) -> int:
    """Report the event in *arguments*; always return 0."""
    if os.environ.get(HOOKS_OFF):
        return 0  # run by a program that extracts memories: its own session is none of the user's
    if problem := problem_with(os.environ, user_id=os.getuid()):
        sys.stderr.write(f"palimp hook: {problem}\n")
        return 0
    arguments_given = _arguments(arguments)
    if arguments_given is None:
        sys.stderr.write(_USAGE)
        return 0
    try:
        output = _answer(arguments_given, dict(os.environ))
        if output:
            sys.stdout.buffer.write(output.encode() + b"\n")  # JSON is UTF-8, whatever the locale says
            sys.stdout.buffer.flush()
    finally:
        # Whatever was raised: an agent is never stopped by its memory. Leaving this way skips taking the interpreter
        # down, too, a tenth of a hook's time.
        os._exit(0)


def _arguments(arguments: list[str]) -> _Arguments | None:
    options = {"--client": "", "--via": ""}
    events: list[str] = []
    left = iter(arguments)
    for argument in left:
        name, has_value, value = argument.partition("=")
        if name in options:
            options[name] = value if has_value else next(left, "")
        else:
            events.append(argument)
    client, via = options["--client"], options["--via"]
    if len(events) != 1 or (client and client not in CLIENTS) or (not client and events[0] not in HOOK_DEADLINES_S):
        return None
    return _Arguments(events[0], client, via or client)


def _answer(arguments_given: _Arguments, env: Mapping[str, str]) -> str:
    try:
        hook_input = _read_input(STDIN_S * patience(env))
    except _TooLargeError:
        return _unread(arguments_given)
    if hook_input is None:
        return ""
    dialect = dialect_named(arguments_given.client or client_in(hook_input))
    event = dialect.event_of(arguments_given.event, hook_input) if dialect else None
    if dialect is None or event is None or (dialect.is_own_work and dialect.is_own_work(event, env)):
        return ""
    if dialect.transcript_of and (path := dialect.transcript_of(event.session, env)):
        event.input.setdefault("transcript_path", path)
    body = body_of(event, dialect.client, arguments_given.via, env)
    frame = Frame(Kind.REQUEST, os.urandom(16) + b"\0" * 8, body)
    answer = _exchange(event.event, frame, env)
    if answer is None:
        if is_kept(event):
            from palimp_shim.events.spool import keep  # noqa: PLC0415  few hooks find no daemon

            keep(env, frame.id, body)
        return ""
    return _render(dialect, event.event, json.loads(answer).get("output"))


def _render(dialect: Dialect, event: str, output: Any) -> str:
    if not isinstance(output, str) or not output:
        return ""
    return output if dialect is claude.DIALECT else dialect.output_of(event, claude.reply_in(output))


def _exchange(event: str, frame: Frame, env: Mapping[str, str]) -> bytes | None:
    ends_at = time.monotonic() + HOOK_DEADLINES_S[event] * patience(env)
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


def _unread(arguments_given: _Arguments) -> str:
    dialect = dialect_named(arguments_given.client or claude.DIALECT.client)
    if dialect is None or arguments_given.event.lower() != UNREAD_EVENT.lower():  # "preToolUse", as Copilot has it
        return ""
    most = HOOK_READ_BYTES_MAX // (1024 * 1024)
    text = f"palimp: this edit has more than {most} MiB and was not read: removed code was not looked for in it."
    return dialect.output_of(UNREAD_EVENT, HookReply(text))


def _read_input(patience_s: float) -> dict[str, Any] | None:
    """None: late, or no JSON object. A whole object suffices: some clients do not close stdin."""
    ends_at = time.monotonic() + patience_s
    data = bytearray()
    # A process that was stopped for long finds the time over, and the input there: it is read all the same.
    while select.select([0], [], [], max(0.0, ends_at - time.monotonic()))[0]:
        chunk = os.read(0, 1 << 16)
        data += chunk
        if len(data) > HOOK_READ_BYTES_MAX:
            raise _TooLargeError
        if not chunk or (chunk.rstrip().endswith(b"}") and not select.select([0], [], [], 0.0)[0]):
            hook_input = _parse(data)
            if hook_input is not None or not chunk:
                return hook_input
    return _parse(data)


def _parse(data: bytearray) -> dict[str, Any] | None:
    try:
        given: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None  # pyright: ignore[reportUnknownVariableType]
