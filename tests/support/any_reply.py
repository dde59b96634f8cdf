"""Replies of any content, and the way that they go to the wire: for the tests of the boundary, and for `make fuzz`."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import trio
import trio.testing
from composed import answer_text
from hypothesis import strategies as st

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.mcp.list_changed import Changed
from palimp_daemon.mcp.peer_session import Before, serve_session
from palimp_daemon.mcp.server import build_server
from palimp_daemon.runtime.log import Log
from palimp_daemon.server.peers import Peers
from palimp_daemon.server.router import Router, Wire
from palimp_daemon.server.zmq_socket import Sent
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.wire.frames import Frame, Kind, decode, encode

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(st.characters(), max_size=40),
    st.text(st.characters(categories=("Cs", "Cc", "Cf", "Zl", "Zp")), max_size=10),  # what encoders and terminals mind
    st.binary(max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape")),  # names of files
)
"""Texts of all scripts, and what a file system and JavaScript make of texts."""

INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=True, allow_infinity=True)


def values_of(info: Any) -> st.SearchStrategy[Any]:  # noqa: PLR0911  a case for each kind of type
    """Return values of the type that msgspec describes as *info*, whatever its bounds say: a bug may exceed them."""
    match info:
        case msgspec.inspect.StructType():
            return st.builds(info.cls, **{field.name: values_of(field.type) for field in info.fields})
        case msgspec.inspect.UnionType():
            return st.one_of(*map(values_of, info.types))
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            return st.lists(values_of(info.item_type), max_size=4)
        case msgspec.inspect.TupleType():
            return st.tuples(*map(values_of, info.item_types))
        case msgspec.inspect.DictType():
            return st.dictionaries(values_of(info.key_type), values_of(info.value_type), max_size=4)
        case msgspec.inspect.Metadata():
            return values_of(info.type)
        case _:
            return st.sampled_from(info.values) if hasattr(info, "values") else _SIMPLE[type(info)]


_SIMPLE: dict[type, st.SearchStrategy[Any]] = {
    msgspec.inspect.StrType: TEXTS,
    msgspec.inspect.IntType: INTEGERS,
    msgspec.inspect.FloatType: FLOATS,
    msgspec.inspect.BoolType: st.booleans(),
    msgspec.inspect.NoneType: st.none(),
    msgspec.inspect.BytesType: st.binary(max_size=40),
    msgspec.inspect.RawType: st.just(msgspec.Raw(b"{}")),
    msgspec.inspect.AnyType: st.just({}),
}


def filled(info: Any, text: str) -> Any:  # noqa: C901, PLR0911  a case for each kind of type
    """Return a value of the type *info* whose texts are all *text*."""
    match info:
        case msgspec.inspect.StructType():
            return info.cls(**{field.name: filled(field.type, text) for field in info.fields})
        case msgspec.inspect.UnionType():
            return filled(next(each for each in info.types if not isinstance(each, msgspec.inspect.NoneType)), text)
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType():
            return [filled(info.item_type, text)]
        case msgspec.inspect.TupleType():
            return tuple(filled(each, text) for each in info.item_types)
        case msgspec.inspect.DictType():
            return {filled(info.key_type, text): filled(info.value_type, text)}
        case msgspec.inspect.Metadata():
            return filled(info.type, text)
        case msgspec.inspect.StrType():
            return text
        case msgspec.inspect.LiteralType():
            return info.values[0]
        case msgspec.inspect.BoolType():
            return True
        case _:
            return 1


def _outcomes(name: str) -> st.SearchStrategy[tuple[str, Any]]:
    operation = OPERATIONS[name]
    reply = values_of(msgspec.inspect.type_info(operation.reply))
    failure = st.builds(PalimpError, st.sampled_from(ErrorCode), TEXTS, TEXTS)
    bug = st.builds(ValueError, TEXTS)
    return st.tuples(st.just(name), st.one_of(reply, reply, reply, failure, bug))


def outcomes() -> st.SearchStrategy[tuple[str, Any]]:
    """Return names of operations, each with what one of them came to: mostly a reply, sometimes a failure or a bug."""
    return st.sampled_from(list(OPERATIONS)).flatmap(_outcomes)


class _Socket:
    """Keeps what is sent; a test gives it what comes in."""

    def __init__(self) -> None:
        self.sent: list[Frame] = []
        self.take: Any = None

    async def serve(self, take: Any, _: Any, *, task_status: trio.TaskStatus[None]) -> None:
        self.take = take
        task_status.started()
        await trio.sleep_forever()

    def send_nowait(self, parts: Sequence[bytes]) -> Sent:
        self.sent.append(decode(parts[1:]))
        return Sent.DONE

    def send_together(self, send: Any) -> None:
        send()


class Answering:
    """A dispatcher, and what is around it, that answers whatever is asked with one *outcome*."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome
        self.state = DaemonState(boot="b", started_at=0.0)
        self.actor = self
        self.settings = Settings({"HOME": "/nonexistent"})
        self.log = self
        self.dispatcher = self
        self.bugs: list[Exception] = []
        self.waiting_jobs = 0
        self.bug = self.bugs.append

    def begin(self) -> float:
        return 0.0

    def end(self, *_: Any) -> None:
        pass

    def expect_calls(self) -> None:
        pass

    def text_of(self, operation: Operation, reply: Any, answer_format: str, _: str = "") -> str:
        return answer_text(operation.name, reply, answer_format)

    def job_for(self, *_: Any) -> Job:
        return Job(lambda _: None, is_write=False)

    def post(self, job: Job) -> None:
        """Settle it and tell who waits as the store's thread does: what escapes then ends the run."""
        job.settle(self.outcome)
        trio.lowlevel.current_trio_token().run_sync_soon(job.on_settled)

    async def answer(self, *_: Any) -> Any:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def frames_for(outcome: Any, *frames: Frame) -> list[Frame]:
    """Return what a router sends, whose requests all come to *outcome*, when it is given *frames* by one client.

    Whatever escapes from it is raised here.
    """
    socket, core = _Socket(), Answering(outcome)

    async def session(*_: Any) -> None:
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        await nursery.start(Router(Wire(socket, Peers(), set()), core, session, Log("critical")).run)
        for frame in frames:
            socket.take([b"peer", *encode(frame)])
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return socket.sent


async def messages_for(outcome: Any, *lines: bytes, initialize: Any = None) -> list[dict[str, Any]]:
    """Return what an MCP session sends, whose requests all come to *outcome*, when its client says *lines*."""
    backend, sent = Answering(outcome), list[dict[str, Any]]()

    def send(_: bytes, message: bytes) -> None:
        if message:
            sent.append(json.loads(encode(Frame(Kind.MCP, b"f", message))[2]))

    def give_to(take: Any) -> None:
        taking.append(take)

    taking: list[Any] = []
    changed = Changed()
    async with trio.open_nursery() as nursery:
        served = (build_server(backend, changed), changed)
        nursery.start_soon(serve_session, served, Caller(), Before(initialize), give_to, send, backend.bug)
        await trio.testing.wait_all_tasks_blocked()
        for line in lines:
            taking[0](b"f", line)
            await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return sent


ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def tool_call(operation: Operation) -> bytes:
    """Return a call of *operation* as a tool, with the arguments that it needs at least."""
    needed = {
        field.encode_name: "x" for field in msgspec.structs.fields(operation.request) if field.required
    }  # what does not fit its type is refused, which is an answer, too
    params = {"name": operation.name, "arguments": needed, "_meta": ENVELOPE}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


ANSWERS_OF_A_BUG = ("internal", "too_large")


def check_outcome(name: str, outcome: Any) -> None:
    """Fail unless *outcome* of the operation *name* comes to exactly one answer on either way to the wire."""
    request = Frame(Kind.REQUEST, b"id", b'{"operation":"health"}')
    [frame] = trio.run(frames_for, outcome, request)
    assert frame.id == b"id"
    body = json.loads(frame.body)
    if frame.kind is Kind.REPLY:
        msgspec.json.decode(frame.body, type=dict)
        assert not isinstance(outcome, Exception)
    else:
        expected = (outcome.code,) if isinstance(outcome, PalimpError) else ANSWERS_OF_A_BUG
        assert (frame.kind, body["code"] in expected) == (Kind.ERROR, True)
    if isinstance(outcome, PalimpError) and outcome.code is ErrorCode.STOPPING:
        return  # the relay asks the next daemon, so nothing is said
    [message] = trio.run(messages_for, outcome, tool_call(OPERATIONS[name]))
    assert message["id"] == 1
    assert ("result" in message) != ("error" in message)
