"""`palimp-shim`: JSON-RPC lines between a client's stdio and the daemon, for one session.

Clients do not restart servers, so it outlives daemons: a connection broken, or silent for SILENCE_S, is dialled again.
It exits only when its client is gone.
"""

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from palimp_clients.hooks.programs import CLIENT_VARIABLE, client_session
from palimp_protocol import __version__, limits
from palimp_protocol.env import paths
from palimp_protocol.env.address import identity_for
from palimp_protocol.env.project import path_as_text, project_from_directory, working_directory
from palimp_protocol.env.state_folder import problem_with
from palimp_protocol.env.zone import zone_name
from palimp_protocol.errors import ErrorCode, FrameError
from palimp_protocol.versions import is_newer, running_version
from palimp_protocol.wire.frames import Frame, Kind, decode, encode, frame_ids
from palimp_shim.relay.hook_calls import HookCalls
from palimp_shim.relay.line_reader import LineReader
from palimp_shim.relay.line_writer import LineWriter
from palimp_shim.relay.pending_requests import PendingRequests, too_long_line
from palimp_shim.relay.send_window import SendWindow
from palimp_shim.transport.connection import READ_BYTES, Connection
from palimp_shim.transport.dial import Dialer
from palimp_shim.transport.zmtp import RefusedError

RECONNECT_S: Final = 0.02
"""Seconds from a broken connection to the next attempt, to find a restarted daemon at once."""

SILENCE_S: Final = 15.0
"""Seconds without a byte from the daemon before redialling: three of its libzmq's heartbeats."""

EXIT_WRONG: Final = 2


class _Leave(BaseException):
    """Raised by signal handlers, too."""


class Relay:
    """A client and its connection to the daemon."""

    def __init__(self, env: Mapping[str, str], output: int) -> None:
        self._client = os.urandom(16)
        self._ids = frame_ids(self._client)
        deadline_s = float(env.get("PALIMP_DEADLINE_S") or limits.CLIENT_DEADLINE_S)
        self._advice = f"Run `palimp doctor`; the daemon's log is {paths.log_path(env)}."
        self._hooks = HookCalls(env, self._client.hex())
        self._pending = PendingRequests(self._ids, deadline_s, self._advice, self._hooks.read)
        self._env = env
        self._input, self._output = 0, output
        self._line_reader = LineReader(limits.LINE_BYTES_MAX)
        self._to_client = LineWriter(output)
        self._to_daemon = SendWindow(self._pending.is_awaited)
        self._parent = os.getppid()
        # Once: the folder may be removed while the session goes on, and says nothing then.
        self._here = _folder_of_session(env)
        self._project = project_from_directory(self._here, paths.home_directory(env))
        self._dialer = Dialer(env, honours_stop=True)
        self._is_known = False
        """HELLO was sent on this connection; the daemon has, or will have, our session."""
        self._hello_id = b""
        self._is_ready = False
        """WELCOME came; the client's messages are passed on."""
        self._is_told_to_stay_away = False
        self._served_by = ""
        self._has_asked_for_newer = False
        self._next_dial_at = self._next_ping_at = self._heard_at = 0.0
        self._leaves_at: float | None = None
        self._connection: Connection | None = None
        self._poll = select.poll()
        self._watched: dict[int, int] = {}

    def run(self) -> None:
        """Relay until the client is gone."""
        try:
            self._dial(time.monotonic())
            while True:
                self._poll_once()
        except _Leave:
            self._pending.refuse_all("")
            self._hooks.keep(self._pending.not_taken())
            self._say_bye()

    # --- the loop --------------------------------------------------------------------------------

    def _poll_once(self) -> None:
        has_room = len(self._to_client) < limits.STDOUT_BYTES_MAX
        may_read = has_room and len(self._to_daemon) < limits.UNANSWERED_MAX and self._leaves_at is None
        self._watch(self._input, select.POLLIN if may_read else 0)
        self._watch(self._output, select.POLLOUT if self._to_client else 0)
        if connection := self._connection:
            wants_out = select.POLLOUT if connection.is_sending else 0
            self._watch(connection.fileno(), (select.POLLIN if has_room else 0) | wants_out)
        ready = dict(self._poll.poll(self._timeout_ms()))
        if connection and (events := ready.get(connection.fileno())):
            self._serve_connection(connection, events)
        if self._input in ready:
            self._read_client()
        self._send_to_daemon()
        self._write_client()
        self._tend(time.monotonic())

    def _watch(self, source: int, events: int) -> None:
        if events == self._watched.get(source, 0):
            return
        self._watched[source] = events
        if events:
            self._poll.register(source, events)
        else:
            self._poll.unregister(source)

    def _timeout_ms(self) -> int:
        now = time.monotonic()
        due = [now + limits.PARENT_CHECK_S, self._pending.next_deadline(), self._leaves_at]
        if not self._is_told_to_stay_away:
            due.append(self._next_ping_at if self._connection else self._next_dial_at)
        return int(max(0.0, min(at for at in due if at is not None) - now) * 1000) + 1

    def _tend(self, now: float) -> None:
        if os.getppid() != self._parent:
            raise _Leave
        for line in self._pending.expire(now):
            self._to_client.put(line)
        self._hooks.keep(self._pending.not_taken())
        if self._leaves_at is not None and (now >= self._leaves_at or self._pending.is_idle):
            self._write_client()
            raise _Leave
        if self._connection:
            self._beat(now)
        elif now >= self._next_dial_at:
            self._dial(now)

    def _beat(self, now: float) -> None:
        # While the client does not take what was said, nothing is read, and silence means nothing.
        if len(self._to_client) >= limits.STDOUT_BYTES_MAX:
            self._heard_at = now
        if now - self._heard_at > SILENCE_S:
            self._hang_up(now)
        elif now >= self._next_ping_at:
            self._next_ping_at = now + limits.HEARTBEAT_INTERVAL_S
            if self._is_ready:
                self._to_daemon.put(Frame(Kind.PING, next(self._ids)))

    # --- the client ------------------------------------------------------------------------------

    def _read_client(self) -> None:
        try:
            chunk = os.read(self._input, READ_BYTES)
        except OSError:  # a socket whose other end left answers unread, a terminal that is gone
            chunk = b""
        if not chunk:
            self._leaves_at = time.monotonic() + limits.EOF_GRACE_S
            return
        now = time.monotonic()
        for line in self._line_reader.feed(chunk):
            if line is None:
                self._to_client.put(too_long_line(limits.LINE_BYTES_MAX))
                continue
            step = self._pending.from_client(line, now)
            if step.to_client is not None:
                self._to_client.put(step.to_client)
            # What is said before WELCOME is kept by the conversation and sent then.
            if step.to_daemon is not None and self._is_ready:
                self._to_daemon.put(step.to_daemon)
            self._is_told_to_stay_away = False

    def _write_client(self) -> None:
        try:
            self._to_client.write()
        except OSError as error:
            raise _Leave from error

    # --- the daemon ------------------------------------------------------------------------------

    def _dial(self, now: float) -> None:
        self._next_dial_at = now + limits.DIAL_RETRY_S
        if self._is_told_to_stay_away:
            return
        connected = self._dialer.step(now, is_wanted=self._pending.wants_daemon)
        if self._dialer.is_starting:
            self._next_dial_at = now + limits.STARTING_RETRY_S
        if connected is None and self._dialer.is_stuck:
            self._refuse_all(f"The palimp daemon cannot be started ({self._dialer.obstacle}). {self._advice}")
        if connected is not None:
            self._connection = Connection(connected)
            self._heard_at = now
            self._next_ping_at = now + limits.HEARTBEAT_INTERVAL_S

    def _hang_up(self, now: float) -> None:
        # One that never took a message may be refusing us.
        was_of_use = self._connection is not None and self._connection.is_ready
        if self._connection:
            self._watch(self._connection.fileno(), 0)
            self._connection.close()
        self._connection = None
        self._is_known = self._is_ready = False
        self._to_daemon.start_over()
        self._next_dial_at = now + (RECONNECT_S if was_of_use else limits.DIAL_RETRY_S)

    def _say_hello(self) -> None:
        self._is_ready = False
        self._to_daemon.start_over()
        self._hello_id = next(self._ids)
        # What is no text in an environment, or half a character in the client's own words, is no JSON of the daemon's.
        hello = json.dumps(self._hello(), ensure_ascii=False).encode("utf-8", "replace")
        self._to_daemon.put(Frame(Kind.HELLO, self._hello_id, hello))
        self._is_known = True

    def _hello(self) -> dict[str, Any]:
        return {
            "client": self._client.hex(),
            "version": __version__,
            "pid": os.getpid(),
            "cwd": path_as_text(self._here)[: limits.PATH_CHARACTERS_MAX],
            "project": self._project._asdict() if self._project else None,
            "session": client_session(self._env),
            "program": path_as_text(self._env.get(CLIENT_VARIABLE, ""))[: limits.SESSION_CHARACTERS_MAX],
            "zone": zone_name(self._env),
            "store": identity_for(self._env),
            "initialize": self._pending.initialize,
            "initialized": self._pending.is_initialized,
            "served_by": self._served_by,
        }

    def _serve_connection(self, connection: Connection, events: int) -> None:
        now = time.monotonic()
        try:
            connection.flush()
            if not events & ~select.POLLOUT:
                return
            messages = connection.receive()
        except OSError as error:
            self._hang_up(now)
            if isinstance(error, RefusedError):
                self._next_dial_at = now + limits.REFUSED_RETRY_S
                self._refuse_all(str(error))
            return
        self._heard_at = now
        if connection.is_ready and not self._is_known:
            self._say_hello()
        for parts in messages:
            try:
                self._receive(decode(parts))
            except FrameError as error:
                _complain(str(error))
                if error.code is ErrorCode.UNSUPPORTED_VERSION:  # no request of ours can ever be answered
                    self._refuse_all(str(error))

    def _receive(self, frame: Frame) -> None:
        line: bytes | None = None
        match frame.kind:
            case Kind.MCP | Kind.REPLY:
                line = self._pending.from_daemon(frame)
            case Kind.WELCOME:
                self._start_over()
                self._send_to_daemon()  # it works on that while versions are compared
                self._settle_version(str(json.loads(frame.body).get("version", "")))
            case Kind.RESET:
                # A daemon that forgot us says so to each frame. Every HELLO is a new session, and has all sent again.
                # Under the id of a HELLO it says that its WELCOME got lost.
                if self._is_ready or frame.id == self._hello_id:
                    self._say_hello()
            case Kind.ERROR:
                line = self._refuse(frame)
            case Kind.BYE:
                self._is_told_to_stay_away = b'"stopped":true' in frame.body and self._pending.is_idle
            case _:  # PONG: of a PING, that it came was the point
                self._pending.extend_deadline(frame.id, time.monotonic())
        if line is not None:
            self._to_client.put(line)

    def _refuse(self, frame: Frame) -> bytes | None:
        if frame.id != self._hello_id:
            return self._pending.refuse(frame.id, _text_of(frame.body))
        now = time.monotonic()
        self._hang_up(now)
        if json.loads(frame.body).get("code") == ErrorCode.OTHER_STORE:
            self._dialer.avoid()  # the right one is looked for
        else:
            self._next_dial_at = now + limits.REFUSED_RETRY_S
            self._refuse_all(_text_of(frame.body))
        return None

    def _refuse_all(self, text: str) -> None:
        for line in self._pending.refuse_all(text):
            self._to_client.put(line)

    def _start_over(self) -> None:
        frames, lines = self._pending.resend()
        self._to_daemon.start_over(frames)
        self._is_ready = True
        self._is_told_to_stay_away = False
        self._next_ping_at = time.monotonic() + limits.HEARTBEAT_INTERVAL_S
        for line in lines:
            self._to_client.put(line)

    def _settle_version(self, version: str) -> None:
        self._served_by = version
        ours = running_version()
        if not is_newer(ours, version):
            self._dialer.stand_down()
        elif not self._has_asked_for_newer and self._dialer.may_replace(ours, time.monotonic()):
            self._has_asked_for_newer = True
            # What was said by the client meanwhile waits for the next daemon: this one takes nothing more.
            call = {"operation": "stop", "arguments": {"for_version": ours}, "caller": {}}
            body = call | {"store": identity_for(self._env)}
            self._to_daemon.put(Frame(Kind.REQUEST, next(self._ids), json.dumps(body).encode()))

    def _send_to_daemon(self) -> None:
        try:
            while self._connection and not self._connection.is_sending and (frame := self._to_daemon.take()):
                self._connection.send(encode(frame))
        except OSError:
            self._hang_up(time.monotonic())

    def _say_bye(self) -> None:
        if self._connection and self._is_known:
            with contextlib.suppress(OSError):  # the daemon will notice our silence
                self._connection.leave(Frame(Kind.BYE, b""), time.monotonic() + limits.BYE_LINGER_S)


def main() -> None:
    """Relay until the client is gone."""
    if problem := problem_with(os.environ, user_id=os.getuid()):
        _complain(problem)
        sys.exit(EXIT_WRONG)
    # Whatever a library prints goes to stderr; only the relay has the way to the client.
    output = os.dup(1)
    os.dup2(2, 1)
    os.set_blocking(output, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    with contextlib.suppress(_Leave):
        Relay(os.environ, output).run()


def _folder_of_session(env: Mapping[str, str]) -> str:
    try:
        return env.get("CLAUDE_PROJECT_DIR") or working_directory(env)
    except OSError as error:
        _complain(f"The working folder is gone ({error}): what is saved is in the global scope.")
        return "/"


def _leave(*_: object) -> NoReturn:
    raise _Leave


def _text_of(body: bytes) -> str:
    fields = json.loads(body)
    return f"{fields.get('code', '')}: {fields.get('text', '')} {fields.get('hint', '')}".rstrip()


def _complain(text: str) -> None:
    sys.stderr.write(f"palimp-shim: {text}\n")


if __name__ == "__main__":
    main()
