"""One blocking request and reply, for the command line."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from palimp_protocol import limits
from palimp_protocol.env import paths
from palimp_protocol.env.address import identity_for
from palimp_protocol.errors import MAY_BE_DONE, ErrorCode, PalimpError, UnreachableError
from palimp_protocol.messages.access import Access
from palimp_protocol.messages.caller import Call, Caller
from palimp_protocol.messages.daemon_messages import Health, Stop
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.versions import is_newer, running_version
from palimp_protocol.wire.decoding import decode_arguments, decode_call, decode_error, decode_reply, encode_call
from palimp_protocol.wire.frames import Frame, Kind, frame_ids
from palimp_shim.transport.connection import Connection
from palimp_shim.transport.dial import Dialer
from palimp_shim.transport.zmtp import RefusedError

STARTING_SAID_S: Final = 1.0
"""Seconds of a daemon's start before a person at a terminal is told. The first start after an installation takes up to
ten, to compile Python; later ones less than one.
"""

STARTING: Final = "palimp: starting, which takes some seconds the first time …\n"

DOUBTFUL: Final = (ErrorCode.UNKNOWN_OPERATION, ErrorCode.BAD_REQUEST, ErrorCode.STORE_UNAVAILABLE)
"""Errors that may come only of another version's daemon."""


class Client:
    """A blocking client of the daemon."""

    def __init__(self, env: Mapping[str, str], *, deadline_s: float = limits.CLIENT_DEADLINE_S) -> None:
        self._env = env
        self._deadline_s = deadline_s
        self._dial_s = min(deadline_s, limits.CLIENT_DEADLINE_S)
        self._ids = frame_ids(os.urandom(16))
        self._dialer = Dialer(env, honours_stop=False)
        self._has_told_start = False
        self._may_be_done = False
        """Whether a daemon that did not answer may have executed the last request."""

    def call(self, operation: Operation, request: Struct, caller: Caller) -> Any:
        """Return *operation*'s reply to *request*, starting the daemon if need be; a write is applied once.

        Raises:
            PalimpError: the answer is an error.
            UnreachableError: there is no daemon, or no answer within the deadline.
        """
        try:
            return self._call(operation, request, caller)
        except PalimpError as error:
            if error.code not in DOUBTFUL or isinstance(request, Health):
                raise
            theirs = str(self._call(OPERATIONS["health"], Health(), Caller()).version)
            ours = running_version()
            if is_newer(theirs, ours):
                hint = f"The daemon is palimp {theirs}, and this command is palimp {ours}: it may be too old."
                raise PalimpError(error.code, error.text, f"{error.hint} {hint}".lstrip()) from None
            is_of_no_use = error.code is ErrorCode.STORE_UNAVAILABLE
            if not is_newer(ours, theirs) or not self._dialer.may_replace(
                ours, time.monotonic(), is_of_no_use=is_of_no_use
            ):
                raise
        # The daemon is older and does not know this yet, or not what a newer one has made of the store.
        self._call(OPERATIONS["stop"], Stop(for_version=ours), Caller())
        return self._call(operation, request, caller)

    def _call(self, operation: Operation, request: Struct, caller: Caller) -> Any:
        frame_id, is_write = next(self._ids), operation.access(request) is not Access.READ
        self._may_be_done = False

        def frame_for(store: str) -> Frame:
            return Frame(Kind.REQUEST, frame_id, encode_call(Call(operation.name, caller=caller, store=store), request))

        # What the daemon would refuse, sooner, and by the field's name.
        decode_arguments(operation, bytes(decode_call(frame_for("").body).arguments))
        answer = self._answer(frame_for, is_write=is_write)
        if answer.kind is Kind.REPLY:
            return decode_reply(operation, answer.body)
        error = decode_error(answer.body)
        if error.code is ErrorCode.STORE_UNAVAILABLE:
            error = PalimpError(error.code, self._with_doubt(error.text), error.hint)
        raise error

    def _answer(self, frame_for: Callable[[str], Frame], *, is_write: bool) -> Frame:
        """Ask the next daemon if one ends without an answer."""
        began = now = time.monotonic()
        ends_at, gives_up_at, broken = now + self._deadline_s, now + self._dial_s, 0
        store = identity_for(self._env)
        frame = frame_for(store)
        while (now := time.monotonic()) < min(ends_at, gives_up_at):
            answer, was_taken = self._exchange(frame, now, ends_at)
            if answer is not None and _is(answer, ErrorCode.OTHER_STORE):
                store = self._identity_instead_of(store)
                frame = frame_for(store)
                continue
            if answer is not None and not _is(answer, ErrorCode.STOPPING):
                return answer
            if was_taken:
                broken += answer is None
                self._may_be_done = is_write and broken > 0
                if broken > limits.RESENDS_MAX:
                    raise self._unreachable(f"went away {broken} times while working on this request")
                gives_up_at = time.monotonic() + self._dial_s
            if self._dialer.is_stuck:
                raise self._unreachable("cannot be started")
            self._rest(began)
        if time.monotonic() < ends_at:
            raise self._unreachable(f"could not be reached within {self._dial_s:g} s")
        raise self._unreachable(f"gave no answer within {self._deadline_s:g} s")

    def _rest(self, began: float) -> None:
        is_told = self._has_told_start or time.monotonic() < began + STARTING_SAID_S
        if self._dialer.is_starting and not is_told:
            self._has_told_start = True
            if sys.stderr.isatty():
                sys.stderr.write(STARTING)
                sys.stderr.flush()
        time.sleep(limits.STARTING_RETRY_S if self._dialer.is_starting else limits.DIAL_RETRY_S)

    def _identity_instead_of(self, refused: str) -> str:
        """A starting daemon may change the store's identity: it replaces another user's lock file."""
        identity = identity_for(self._env)
        if identity == refused:
            self._dialer.avoid()
        return identity

    def _unreachable(self, what: str) -> UnreachableError:
        obstacle = f" ({self._dialer.obstacle})" if self._dialer.obstacle else ""
        text = self._with_doubt(f"The palimp daemon {what}{obstacle}.")
        return UnreachableError(text, f"Its log is {paths.log_path(self._env)}.")

    def _with_doubt(self, text: str) -> str:
        return f"{text} {MAY_BE_DONE}" if self._may_be_done and MAY_BE_DONE not in text else text

    def is_daemon_there(self) -> bool:
        """Whether a daemon listens now. Starts none."""
        connected = self._dialer.connect()
        if connected is not None:
            connected.close()
        return connected is not None

    def _exchange(self, frame: Frame, now: float, ends_at: float) -> tuple[Frame | None, bool]:
        """None: no daemon, or an ending one, which accepts connections and takes nothing."""
        connected = self._dialer.step(now)
        if connected is None:
            return None, False
        with Connection(connected) as connection:
            try:
                return connection.ask(frame, ends_at), True
            except RefusedError as error:
                raise UnreachableError(str(error), "") from None
            except OSError:
                return None, connection.is_ready


def _is(answer: Frame, code: ErrorCode) -> bool:
    return answer.kind is Kind.ERROR and decode_error(answer.body).code is code
