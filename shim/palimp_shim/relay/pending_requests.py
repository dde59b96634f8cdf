"""A client's requests, and the relay's decisions: no I/O, no clock.

Each request id is answered once, also over a daemon's restart: unanswered requests are sent again under their frame
ids, and HELLO carries `initialize`.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, cast

from palimp_protocol.errors import MAY_BE_DONE
from palimp_protocol.limits import FRAME_BYTES_MAX, RESENDS_MAX, UNANSWERED_MAX
from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.relay.hook_calls import HookCall, result_line

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
UNAVAILABLE: Final = -32000
"""JSON-RPC's first server-defined code: the request is valid, but there is no daemon."""

CALL: Final = "tools/call"
LISTEN: Final = "subscriptions/listen"
SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"


class Step(NamedTuple):
    """A line's result: a frame for the daemon, a line for the client, or nothing."""

    to_daemon: Frame | None = None
    to_client: bytes | None = None


class Waiting:
    """A request without an answer."""

    __slots__ = ("deadline", "frame", "hook", "is_acknowledged", "json_id", "method", "sends")

    def __init__(
        self, frame: Frame, message: dict[str, Any], deadline: float | None, hook: HookCall | None = None
    ) -> None:
        self.frame = frame
        self.json_id: str | int = message["id"]
        self.method: str = message["method"]
        self.deadline = deadline
        self.hook = hook
        self.sends = 1
        self.is_acknowledged = False
        """The client was told that its subscription is on; if resent, it is told again."""


class PendingRequests:
    """A client's requests and answers; *hook_in* finds a hook."""

    def __init__(
        self,
        frame_ids: Iterator[bytes],
        deadline_s: float,
        advice: str,
        hook_in: Callable[[dict[str, Any]], HookCall | None],
    ) -> None:
        self._frame_ids = frame_ids
        self._deadline_s = deadline_s
        self._advice = advice
        """Advice for the user when the daemon does not answer."""
        self._hook_in = hook_in
        self._not_taken: list[Frame] = []
        self._waiting: dict[bytes, Waiting] = {}
        self._json_ids: set[tuple[type, str | int]] = set()
        self._was_passed_on = False
        """Whether a daemon received requests, and so may have executed them."""
        self.initialize: dict[str, Any] | None = None
        self.is_initialized = False

    @property
    def is_idle(self) -> bool:
        """Whether the client waits for subscriptions at most."""
        return all(waiting.deadline is None for waiting in self._waiting.values())

    @property
    def wants_daemon(self) -> bool:
        """Whether the client waits for a daemon; hooks do without."""
        return any(waiting.deadline is not None and waiting.hook is None for waiting in self._waiting.values())

    def not_taken(self) -> list[Frame]:
        """Return, once each, untaken requests that must not be lost."""
        frames, self._not_taken = self._not_taken, []
        return frames

    def is_awaited(self, frame_id: bytes) -> bool:
        """Tell whether *frame_id* still needs an answer."""
        waiting = self._waiting.get(frame_id)
        return waiting is not None and waiting.deadline is not None

    # --- from the client -------------------------------------------------------------------------

    def from_client(self, line: bytes, now: float) -> Step:
        """Decide about a client's *line*."""
        try:
            message: Any = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            return _refusal(None, PARSE_ERROR, f"The line is not JSON: {reason}")
        if isinstance(message, list):
            return _refuse_batch(cast("list[Any]", message))
        if not isinstance(message, dict):
            return _refusal(None, INVALID_REQUEST, "A JSON-RPC message is an object.")
        fields = cast("dict[str, Any]", message)
        if "method" in fields and "id" in fields:
            return self._request(fields, line, now)
        if len(line) > FRAME_BYTES_MAX:
            return _refusal(None, INVALID_REQUEST, _too_long(line))
        self._notice(fields)
        return Step(to_daemon=Frame(Kind.MCP, next(self._frame_ids), line))

    def _request(self, message: dict[str, Any], line: bytes, now: float) -> Step:
        json_id, method = message["id"], message["method"]
        if isinstance(json_id, bool) or not isinstance(json_id, str | int):
            return _refusal(None, INVALID_REQUEST, "A request's id is a string or a whole number.")
        if not isinstance(method, str):
            return _refusal(json_id, INVALID_REQUEST, "A request's method is a string.")
        if (type(json_id), json_id) in self._json_ids:
            return _refusal(json_id, INVALID_REQUEST, "This id belongs to a request that is still in progress.")
        if hook := self._hook_in(message):
            return self._hook(message, hook, now)
        return self._forward(message, line, now)

    def _forward(self, message: dict[str, Any], line: bytes, now: float) -> Step:
        json_id, method = message["id"], message["method"]
        if len(line) > FRAME_BYTES_MAX:
            return _refusal(json_id, INVALID_REQUEST, _too_long(line))
        if len(self._waiting) >= UNANSWERED_MAX:
            return _refusal(json_id, UNAVAILABLE, f"{UNANSWERED_MAX} requests are unanswered. {self._advice}")
        if method == "initialize":
            self.initialize = message
        frame = Frame(Kind.MCP, next(self._frame_ids), line)
        return self._send_step(Waiting(frame, message, None if method == LISTEN else now + self._deadline_s))

    def _hook(self, message: dict[str, Any], hook: HookCall, now: float) -> Step:
        frame = Frame(Kind.REQUEST, next(self._frame_ids), hook.body)
        waiting = Waiting(frame, message, now + hook.deadline_s, hook)
        if not hook.body or len(self._waiting) >= UNANSWERED_MAX:
            return Step(to_client=self._given_up(waiting, ""))
        return self._send_step(waiting)

    def _send_step(self, waiting: Waiting) -> Step:
        self._waiting[waiting.frame.id] = waiting
        self._json_ids.add((type(waiting.json_id), waiting.json_id))
        return Step(to_daemon=waiting.frame)

    def _notice(self, message: dict[str, Any]) -> None:
        if message.get("method") == "notifications/initialized":
            self.is_initialized = True
        elif message.get("method") == "notifications/cancelled":
            cancelled = _params(message).get("requestId")
            for waiting in list(self._waiting.values()):
                if type(waiting.json_id) is type(cancelled) and waiting.json_id == cancelled:
                    self._given_up(waiting, "")  # nobody waits for its line; what it tells of has happened all the same

    # --- from the daemon -------------------------------------------------------------------------

    def from_daemon(self, frame: Frame) -> bytes | None:
        """Return the client's line for *frame*; None: drop it."""
        if not frame.id:
            return self._notification(frame.body)
        waiting = self._waiting.get(frame.id)
        if waiting is None:
            return None  # answered before, cancelled, or past its deadline
        self._forget(waiting)
        return result_line(waiting.json_id, frame.body) if waiting.hook else frame.body

    def refuse(self, frame_id: bytes, text: str) -> bytes | None:
        """Return the error line for a refused request."""
        waiting = self._waiting.get(frame_id)
        return None if waiting is None else self._given_up(waiting, text)

    def _given_up(self, waiting: Waiting, text: str) -> bytes:
        self._forget(waiting)
        if waiting.hook is None:
            return _error_line(waiting.json_id, UNAVAILABLE, text)
        if waiting.hook.is_kept:
            self._not_taken.append(waiting.frame)
        return result_line(waiting.json_id)

    def extend_deadline(self, frame_id: bytes, now: float) -> None:
        """Extend *frame_id*'s deadline, if any."""
        waiting = self._waiting.get(frame_id)
        if waiting is not None and waiting.deadline is not None:
            waiting.deadline = now + self._deadline_s

    def _notification(self, body: bytes) -> bytes | None:
        # One kind concerns the relay; looking for its name is cheaper than parsing everything.
        is_acknowledgement = b"subscriptions/acknowledged" in body
        return None if is_acknowledgement and not self._first_acknowledgement(json.loads(body)) else body

    def _first_acknowledgement(self, message: dict[str, Any]) -> bool:
        subscription = _meta(message).get(SUBSCRIPTION_KEY)
        for waiting in self._waiting.values():
            if waiting.method == LISTEN and waiting.json_id == subscription:
                was_acknowledged, waiting.is_acknowledged = waiting.is_acknowledged, True
                return not was_acknowledged
        return True

    # --- time and reconnects ---------------------------------------------------------------------

    def resend(self) -> tuple[list[Frame], list[bytes]]:
        """Return frames to send again, in order, and errors for those sent too often."""
        frames: list[Frame] = []
        lines: list[bytes] = []
        self._was_passed_on = True
        for waiting in list(self._waiting.values()):
            # A subscription outlives any number of daemons; it cannot be what takes them down.
            if waiting.sends > RESENDS_MAX and waiting.method != LISTEN:
                text = f"The daemon went away {waiting.sends} times while working on this request. {self._advice}"
                lines.append(self._lost_line(waiting, text))
            else:
                waiting.sends += 1
                frames.append(waiting.frame)
        return frames, lines

    def expire(self, now: float) -> list[bytes]:
        """Return errors for requests past their deadlines."""
        late = [entry for entry in self._waiting.values() if entry.deadline is not None and entry.deadline <= now]
        text = f"palimp gave no answer within {self._deadline_s:g} s. {self._advice}"
        return [self._lost_line(waiting, text) for waiting in late]

    def refuse_all(self, text: str) -> list[bytes]:
        """Return errors with *text* for all requests."""
        return [self._lost_line(waiting, text) for waiting in list(self._waiting.values())]

    def _lost_line(self, waiting: Waiting, text: str) -> bytes:
        """Its fate is unknown."""
        is_unknown = text and self._was_passed_on and waiting.method == CALL
        return self._given_up(waiting, f"{text} {MAY_BE_DONE}" if is_unknown else text)

    def next_deadline(self) -> float | None:
        """Return the next time for `expire`."""
        return min((entry.deadline for entry in self._waiting.values() if entry.deadline is not None), default=None)

    def _forget(self, waiting: Waiting) -> None:
        self._waiting.pop(waiting.frame.id, None)
        self._json_ids.discard((type(waiting.json_id), waiting.json_id))


def too_long_line(length: int) -> bytes:
    """Return the error for a line of *length* bytes."""
    return _error_line(None, INVALID_REQUEST, f"The line has more than {length:,} bytes; send less at once.")


def _refuse_batch(batch: list[Any]) -> Step:
    """Batches exist in one old revision only; no client sends them."""
    objects = [cast("dict[str, Any]", entry) for entry in batch if isinstance(entry, dict)]
    ids = [entry["id"] for entry in objects if isinstance(entry.get("id"), str | int)] or [None]
    lines = [_error_line(json_id, INVALID_REQUEST, "Batches are not supported; send one by one.") for json_id in ids]
    return Step(to_client=b"\n".join(lines))


def _refusal(json_id: str | int | None, code: int, text: str) -> Step:
    return Step(to_client=_error_line(json_id, code, text))


def _error_line(json_id: str | int | None, code: int, text: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": json_id, "error": {"code": code, "message": text}}).encode()


def _too_long(line: bytes) -> str:
    return f"The message has {len(line):,} bytes; at most {FRAME_BYTES_MAX:,} can be sent. Send it in smaller pieces."


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return cast("dict[str, Any]", params) if isinstance(params, dict) else {}


def _meta(message: dict[str, Any]) -> dict[str, Any]:
    meta = _params(message).get("_meta")
    return cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}
