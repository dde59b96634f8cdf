"""One peer's MCP session: two eras side by side, a replay that nobody sees, and answers by frame."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from composed import answer_text
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from palimp_daemon.mcp.list_changed import Changed
from palimp_daemon.mcp.peer_session import STREAM_MESSAGES_MAX, Before, serve_session
from palimp_daemon.mcp.server import TICK_S, build_server
from palimp_daemon.mcp.user_questions import ASK_S
from palimp_daemon.runtime.log import Log
from palimp_daemon.server.peers import Inbox
from palimp_daemon.settings.resolver import Settings
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import PEER_INBOX_FRAMES_MAX
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.digest_messages import Summarized
from palimp_protocol.messages.documents import DocMatches
from palimp_protocol.messages.memory_messages import Recalled, Saved, Similar
from palimp_protocol.operations import Operation

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


class FakeBackend:
    """A dispatcher, and what is around it: answers, notes each request id, or fails, or waits, as a test wants."""

    def __init__(self, prefix: str = "") -> None:
        self.settings = Settings({"HOME": "/nonexistent", "PALIMP_MCP_TOOL_PREFIX": prefix})
        self.switches = SimpleNamespace(is_off=lambda _: False)
        self.usage = SimpleNamespace(note_answer=lambda *_: None)
        self.dispatcher = self
        self.log = Log("error")
        self.request_ids: list[bytes] = []
        self.woken: list[Caller] = []
        self.wake_history = self.woken.append
        self.failure: PalimpError | None = None
        self.gate: trio.Event | None = None
        self.reply: Any = Recalled()

    def begin(self) -> float:
        if self.failure and self.failure.code is ErrorCode.STOPPING:
            raise self.failure
        return 0.0

    async def stopping(self) -> None:
        """It does not stop."""
        await trio.sleep_forever()

    def end(self, *_: Any) -> None:
        """Nobody asks how long it took."""

    def text_of(self, operation: Operation, reply: Any, answer_format: str, _: Caller) -> str:
        return answer_text(operation.name, reply, answer_format)

    async def answer(self, *arguments: Any) -> Recalled:
        self.request_ids.append(arguments[3])
        if self.failure:
            raise self.failure
        if self.gate is not None:
            await self.gate.wait()
        return self.reply


class Session:
    """A served session and what it sent: (frame id, message)."""

    def __init__(
        self, nursery: trio.Nursery, initialize: Any = None, *, initialized: bool = False, prefix: str = ""
    ) -> None:
        self.backend = FakeBackend(prefix)
        self.inbox = Inbox()
        self.sent: list[tuple[bytes, dict[str, Any]]] = []
        self.bugs: list[Exception] = []
        self.raw: Callable[[bytes], None] = lambda _: None
        """Hears of each message as it was sent."""
        self.worked_on: list[bytes] = []
        """The frames of requests that it said are worked on."""

        async def serve() -> None:
            served = (build_server(self.backend, changed := Changed()), changed)
            before = Before(initialize, initialized)
            caller = Caller(session=SessionRef("one", ""))
            await serve_session(served, caller, before, self.inbox.give_to, self._send, self.bugs.append)

        nursery.start_soon(serve)

    def _send(self, frame_id: bytes, message: bytes) -> None:
        self.raw(message)
        if message:
            self.sent.append((frame_id, json.loads(message)))
        else:
            self.worked_on.append(frame_id)

    async def say(self, message: Any, frame_id: bytes = b"f") -> list[tuple[bytes, dict[str, Any]]]:
        """Send a message and return what the session sent when it has nothing left to do."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        before = len(self.sent)
        assert self.inbox.put(frame_id, body)
        await trio.testing.wait_all_tasks_blocked()
        return self.sent[before:]


def call(request_id: Any, *, envelope: bool) -> dict[str, Any]:
    params = {"name": "recall", "arguments": {}} | ({"_meta": ENVELOPE} if envelope else {})
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


@pytest.fixture(params=["by the SDK", "beside it"])
async def session(nursery, request: pytest.FixtureRequest):
    """A session after its handshake, and after the first call, from which on plain ones are answered beside the SDK."""
    opened = Session(nursery)
    await opened.say(INITIALIZE)
    await opened.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    if request.param == "beside it":
        await opened.say(call("first", envelope=False))
        del opened.sent[1:]
        opened.backend.request_ids.clear()
    return opened


async def test_both_eras_are_answered_on_one_connection(session: Session):
    """Each request by the era that it belongs to, under the id of its frame."""
    ((old_frame, old),) = await session.say(call(1, envelope=False), b"old")
    ((new_frame, new),) = await session.say(call(2, envelope=True), b"new")

    assert (old_frame, old["id"], new_frame, new["id"]) == (b"old", 1, b"new", 2)
    assert "resultType" in new["result"]
    assert "resultType" not in old["result"]


async def test_a_discovery_may_come_before_the_handshake(nursery):
    """Some clients probe the new era and then use the old one."""
    session = Session(nursery)
    ((_, discovered),) = await session.say(
        {"jsonrpc": "2.0", "id": "p", "method": "server/discover", "params": {"_meta": ENVELOPE}}
    )
    ((_, initialized),) = await session.say(INITIALIZE)

    assert "result" in discovered
    assert initialized["result"]["protocolVersion"] == "2025-11-25"


async def test_a_replayed_handshake_is_not_answered(nursery):
    """The client had its answer from the daemon before; afterwards calls work at once."""
    session = Session(nursery, INITIALIZE, initialized=True)

    answers = await session.say(call(5, envelope=False))

    assert [message["id"] for _, message in session.sent] == [5]
    assert "result" in answers[0][1]


async def test_a_write_is_known_by_its_frame(session: Session):
    """In both eras the id of the frame reaches the call."""
    await session.say(call(1, envelope=False), b"one")
    await session.say(call(2, envelope=True), b"two")

    assert session.backend.request_ids == [b"one", b"two"]


@pytest.mark.parametrize("envelope", [False, True])
async def test_a_cancelled_request_is_not_answered(session: Session, envelope: bool):
    """The cancellation follows the era of the request it names."""
    session.backend.gate = trio.Event()
    await session.say(call("slow", envelope=envelope))
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}}

    answers = await session.say(cancelled)
    session.backend.gate.set()
    await trio.testing.wait_all_tasks_blocked()

    assert answers == []
    assert all(message.get("id") != "slow" for _, message in session.sent)


async def test_a_failure_is_a_tool_error(session: Session):
    """With code, text and hint for the model."""
    session.backend.failure = PalimpError(ErrorCode.BUSY, "Too much.", "Wait.")

    ((_, answer),) = await session.say(call(1, envelope=False))

    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"] == "busy: Too much. Wait."


@pytest.mark.parametrize("tool", ["recall", "a_tool_of_the_next_version"])
async def test_a_stopping_daemon_leaves_the_answer_to_the_next(session: Session, tool: str):
    """The model is not bothered with it; the relay sends the request again. The next daemon may know more tools."""
    session.backend.failure = PalimpError(ErrorCode.STOPPING, "Shutting down.")
    message = call(1, envelope=False)
    message["params"]["name"] = tool

    assert await session.say(message) == []


@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        (b"{", -32700, None),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32600, "\ud800"),
        (b'{"jsonrpc":"2.0","id":true}', -32600, None),
        (b"[]", -32600, None),
    ],
)
async def test_what_is_no_message_is_answered_with_an_error(session: Session, body: bytes, code: int, request_id: Any):
    """By its id where it has one."""
    ((frame_id, answer),) = await session.say(body, b"bad")

    assert frame_id == b"bad"
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)


def summarize(request_id: int, meta: dict[str, Any]) -> dict[str, Any]:
    params = {"name": "summarize", "arguments": {}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


@pytest.mark.parametrize(("meta", "told"), [({"progressToken": "t"}, [1, 2, 3, 4]), ({}, [])])
async def test_a_long_call_gives_signs_of_life(autojump_clock, session: Session, meta: dict[str, Any], told: list[int]):
    """The relay is told to wait on; a client that asked for it with growing numbers, too; then comes the answer."""
    session.backend.gate = trio.Event()
    session.backend.reply = Summarized(text="Much.", memories=1)
    await session.say(summarize(1, meta))
    await trio.sleep(4 * TICK_S + 1)
    session.backend.gate.set()
    await trio.testing.wait_all_tasks_blocked()

    *signs, (_, answer) = session.sent[1:]
    assert [sign["params"]["progress"] for _, sign in signs] == told
    assert session.worked_on == [b"f"] * 4
    assert "Much." in answer["result"]["content"][0]["text"]
    await trio.sleep(10 * TICK_S)
    assert len(session.sent) == 2 + len(told)
    assert len(session.worked_on) == 4


@pytest.mark.parametrize(
    ("tool", "arguments", "signs"),
    [
        ("search_docs", {"pattern": "x", "ranked": True}, 2),
        ("recall", {"query": "x", "kind": "doc"}, 2),
        ("recall", {"query": "x"}, 0),
    ],
)
async def test_searches_in_documents_may_take_long(
    autojump_clock, session: Session, tool: str, arguments: dict[str, Any], signs: int
):
    """Thousands may have to be read first; memories need not."""
    session.backend.gate = trio.Event()
    session.backend.reply = DocMatches(matches=[], total=0) if tool == "search_docs" else Recalled()
    params = {"name": tool, "arguments": arguments}
    await session.say({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    await trio.sleep(2 * TICK_S + 1)
    session.backend.gate.set()
    await trio.testing.wait_all_tasks_blocked()

    assert len(session.worked_on) == signs
    assert "error" not in session.sent[-1][1]


async def test_a_request_that_came_twice_is_answered_once(session: Session):
    """The second answer would have no frame's id, and so reach the client as something new."""
    session.backend.gate = trio.Event()
    session.backend.reply = Summarized(text="Much.", memories=1)
    for _ in range(2):
        await session.say(summarize(1, {}))
    session.backend.gate.set()
    await trio.testing.wait_all_tasks_blocked()

    ((frame_id, answer),) = session.sent[1:]
    assert (frame_id, answer["id"]) == (b"f", 1)
    assert "Much." in answer["result"]["content"][0]["text"]


async def test_a_long_call_that_fails_is_a_tool_error(session: Session):
    """Like every other."""
    session.backend.failure = PalimpError(ErrorCode.BAD_REQUEST, "since: no day.", "Name one.")

    ((_, answer),) = await session.say(summarize(1, {}))

    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"] == "bad_request: since: no day. Name one."


async def test_what_comes_after_the_end_of_a_session_is_dropped():
    """In either era, opened before or not: a daemon that stops has frames on their way to sessions that are gone."""
    async with trio.open_nursery() as ending:
        session = Session(ending)
        await session.say(INITIALIZE)
        ending.cancel_scope.cancel()
    before = len(session.sent)

    for envelope in (False, True):
        assert session.inbox.put(b"late", json.dumps(call(1, envelope=envelope)).encode())
    assert len(session.sent) == before


async def test_a_client_that_sends_faster_than_it_is_served_is_told_from_others(session: Session):
    """There is room for what may wait before a session begins, and no more."""
    message = json.dumps({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}).encode()
    taken = 0
    while session.inbox.put(b"", message):
        taken += 1
        assert taken <= STREAM_MESSAGES_MAX + 1  # one is with who waits for it
    assert taken >= PEER_INBOX_FRAMES_MAX


UNCLEAR = [Similar("m1aaaaaa", "Zehn Minuten")]


def save(request_id: Any) -> dict[str, Any]:
    params = {"name": "save_memory", "arguments": {"text": "Neunzig Minuten"}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


async def asking_session(nursery: trio.Nursery) -> Session:
    """Return a session whose client can ask, and whose saves are unclear."""
    opened = Session(nursery)
    able = {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": {"elicitation": {}}}}
    await opened.say(able)
    await opened.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    opened.backend.reply = Saved(id="m1bbbbbb", title="Neunzig Minuten", similar=UNCLEAR, unclear=UNCLEAR)
    return opened


async def test_a_user_who_does_not_react_holds_a_call_up_for_a_while_only(autojump_clock, nursery):
    """The relay is told to wait meanwhile, the question is withdrawn, and a late answer is nobody's."""
    session = await asking_session(nursery)
    ((_, asked),) = await session.say(save(1))
    await trio.sleep(ASK_S + 1)

    *_, (_, withdrawn), (frame_id, answer) = session.sent
    assert len(session.worked_on) == ASK_S // TICK_S
    assert asked["method"] == "elicitation/create"
    assert withdrawn["params"]["requestId"] == asked["id"]
    assert (frame_id, answer["id"]) == (b"f", 1)
    assert "m1aaaaaa" in answer["result"]["content"][0]["text"]
    late = {"action": "accept", "content": {"m1aaaaaa": "replace"}}
    assert await session.say({"jsonrpc": "2.0", "id": asked["id"], "result": late}) == []
    ((_, second),) = await session.say(save(2))
    assert second["id"] == 2, "it was asked again"
    assert session.backend.request_ids == [b"f", b"f"]


@pytest.mark.parametrize("answer_id", [1, "1", "palimp-00000000-1", "palimp-", "", -1])
async def test_an_answer_to_what_was_not_asked_is_dropped(nursery, answer_id: Any):
    session = await asking_session(nursery)
    await session.say(save(1))
    answer = {"jsonrpc": "2.0", "id": answer_id, "result": {"action": "accept", "content": {"m1aaaaaa": "replace"}}}
    await session.say(answer)

    asked = session.sent[-1][1]
    assert asked["method"] == "elicitation/create"
    assert await session.say(answer | {"id": asked["id"].rpartition("-")[0] + "-" + "9" * 5_000}) == []
    assert session.backend.request_ids == [b"f"]


@pytest.mark.parametrize("result", [{}, {"action": "burn"}, {"action": "accept", "content": {"m1aaaaaa": {"a": 1}}}])
async def test_an_answer_that_is_none_decides_nothing(nursery, result: dict[str, Any]):
    session = await asking_session(nursery)
    ((_, asked),) = await session.say(save(1))
    ((_, answer),) = await session.say({"jsonrpc": "2.0", "id": asked["id"], "result": result})

    assert "m1aaaaaa" in answer["result"]["content"][0]["text"]
    assert session.backend.request_ids == [b"f"]


async def test_a_prefix_reaches_what_palimp_says_and_not_what_is_stored(nursery):
    """Instructions, in both eras; answers; errors. The stored text is what it was."""
    session = Session(nursery, prefix="our_")
    [(_, initialized)] = await session.say(INITIALIZE)
    [(_, discovered)] = await session.say(
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}
    )
    for told in (initialized, discovered):
        assert told["result"]["instructions"].startswith("Long-term project memory. Call `our_recall` before")
    asked = {"name": "our_recall", "arguments": {}}
    session.backend.reply = Saved(
        id="m1bbbbbb", title="Neu", similar=[Similar(id="m1aaaaaa", title="see recall(id=1)")]
    )
    [(_, answer)] = await session.say(
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": asked | {"name": "our_save_memory", "arguments": {"text": "x"}},
        }
    )
    text = answer["result"]["content"][0]["text"]
    assert "our_save_memory(text=" in text
    assert "see recall(id=1)" in text
    session.backend.failure = PalimpError(ErrorCode.REFUSED, "No.", "Use read_doc, or recall(query=…).")
    [(_, answer)] = await session.say({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": asked})
    assert answer["result"]["content"][0]["text"] == "refused: No. Use our_read_doc, or our_recall(query=…)."


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("failure", [None, PalimpError(ErrorCode.NOT_FOUND, "Nothing. \ud800", "Look – there.")])
async def test_a_call_is_answered_beside_the_sdk_to_the_byte_as_by_it(nursery, version: str, failure: Any):
    session = Session(nursery)
    await session.say({**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": version}})
    await session.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    session.backend.reply = Recalled(notes=['Zwölf – 十二 "\\\u2028'])
    session.backend.failure = failure
    messages: list[bytes] = []
    session.sent = SimpleNamespace(append=lambda _: None)  # pyright: ignore[reportAttributeAccessIssue]
    session.raw = messages.append
    for _ in range(2):
        assert session.inbox.put(b"f", json.dumps(call(7, envelope=False)).encode())
        await trio.testing.wait_all_tasks_blocked()
    by_sdk, beside = messages
    assert beside.decode() == by_sdk.decode()


async def test_a_new_handshake_is_the_sdks_to_accept(session: Session):
    await session.say(call(1, envelope=False))
    ((_, refused),) = await session.say({**INITIALIZE, "id": 2, "params": {"protocolVersion": 7}})
    assert refused["error"]["code"] == -32602
    ((_, answer),) = await session.say(call(3, envelope=False))
    assert answer["id"] == 3


async def test_calls_that_are_sent_without_waiting_are_begun_in_their_order(session: Session):
    session.backend.gate = trio.Event()
    for number in range(5):
        body = json.dumps(call(number, envelope=False)).encode()
        assert session.inbox.put(b"%d" % number, body)
    await trio.testing.wait_all_tasks_blocked()
    assert session.backend.request_ids == [b"0", b"1", b"2", b"3", b"4"]
    session.backend.gate.set()
    await trio.testing.wait_all_tasks_blocked()
    assert {(frame_id, answer["id"]) for frame_id, answer in session.sent[1:]} == {(b"%d" % n, n) for n in range(5)}


async def test_a_save_that_raises_a_question_is_made_known_to_the_sdk_under_the_same_frame(nursery):
    session = await asking_session(nursery)
    unclear, session.backend.reply = session.backend.reply, Recalled()
    await session.say(call(1, envelope=False), b"a")
    session.backend.reply = unclear
    ((_, asked),) = await session.say(save(2), b"b")
    assert asked["method"] == "elicitation/create"
    assert session.backend.request_ids == [b"a", b"b", b"b"]
