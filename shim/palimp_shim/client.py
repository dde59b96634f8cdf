"""One blocking request and its reply, for the command line."""

import os
import time
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from palimp_protocol import __version__, limits, paths
from palimp_protocol.decoding import decode_error, decode_reply
from palimp_protocol.errors import ErrorCode, PalimpError, UnreachableError
from palimp_protocol.frames import Frame, Kind, frame_ids
from palimp_protocol.operations import Call, Caller, Health, Stop
from palimp_protocol.table import OPERATIONS, Operation
from palimp_protocol.versions import is_newer
from palimp_shim.connection import Connection
from palimp_shim.dial import Dialer


class Client:
    """A client of the daemon that waits: `call` returns the reply or raises what went wrong."""

    def __init__(self, env: Mapping[str, str], *, deadline_s: float = limits.CLIENT_DEADLINE_S) -> None:
        self._env = env
        self._deadline_s = deadline_s
        self._ids = frame_ids(os.urandom(16))
        self._dialer = Dialer(env, honours_stop=False)

    def call(self, operation: Operation, request: Struct, caller: Caller) -> Any:
        """Return *operation*'s reply to *request*, starting the daemon if need be.

        The request keeps its id however often it is sent, so a write is applied once.

        Raises:
            PalimpError: the daemon's answer is an error.
            UnreachableError: no answer came within the deadline.
        """
        try:
            return self._call(operation, request, caller)
        except PalimpError as error:
            if error.code not in (ErrorCode.UNKNOWN_OPERATION, ErrorCode.BAD_REQUEST) or isinstance(request, Health):
                raise
            theirs = str(self._call(OPERATIONS["health"], Health(), Caller()).version)
            if is_newer(theirs, __version__):
                hint = f"The daemon is palimp {theirs}, and this command is palimp {__version__}: it may be too old."
                raise PalimpError(error.code, error.text, f"{error.hint} {hint}".lstrip()) from None
            if not is_newer(__version__, theirs) or not self._dialer.may_replace(__version__, time.monotonic()):
                raise
        # The daemon is older and does not know this yet.
        self._call(OPERATIONS["stop"], Stop(for_version=__version__), Caller())
        return self._call(operation, request, caller)

    def _call(self, operation: Operation, request: Struct, caller: Caller) -> Any:
        body = msgspec.json.encode(Call(operation.name, msgspec.Raw(msgspec.json.encode(request)), caller))
        frame = Frame(Kind.REQUEST, next(self._ids), body)
        ends_at = time.monotonic() + self._deadline_s
        while (now := time.monotonic()) < ends_at:
            answer = self._exchange(frame, now, ends_at)
            if answer is None:
                time.sleep(limits.DIAL_RETRY_S)
            elif answer.kind is Kind.REPLY:
                return decode_reply(operation, answer.body)
            else:
                error = decode_error(answer.body)
                if error.code is not ErrorCode.STOPPING:
                    raise error
                time.sleep(limits.DIAL_RETRY_S)  # the next daemon will answer
        raise UnreachableError(
            f"The palimp daemon gave no answer within {self._deadline_s:g} s"
            + (f" ({self._dialer.obstacle})." if self._dialer.obstacle else "."),
            f"Its log is {paths.log_path(self._env)}.",
        )

    def is_daemon_there(self) -> bool:
        """Whether a daemon listens now. Starts none."""
        connected = self._dialer.connect()
        if connected is not None:
            connected.close()
        return connected is not None

    def _exchange(self, frame: Frame, now: float, ends_at: float) -> Frame | None:
        """Send *frame* and return its answer, or None when no daemon is there, or it went away meanwhile."""
        connected = self._dialer.step(now)
        if connected is None:
            return None
        with Connection(connected) as connection:
            try:
                return connection.ask(frame, ends_at)
            except OSError:
                return None
