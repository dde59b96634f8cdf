"""What the router does with each frame, whoever sends it; tests/system/test_wire.py asks a running daemon."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.log import Log
from palimp_daemon.server.peers import Peers
from palimp_daemon.server.router import REFUSING_RESTS_S, TELL_S, Router, Wire
from palimp_daemon.server.zmq_socket import Sent
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import PEER_INBOX_FRAMES_MAX
from palimp_protocol.wire.frames import Frame, Kind, decode, encode

HELLO = {"client": "c" * 32, "version": "0.1.0"}


class Given:
    """A socket that gives a router what a test says."""

    async def serve(self, take, pause, *, task_status=trio.TASK_STATUS_IGNORED) -> None:
        self.take, self.pause = take, pause
        task_status.started()
        await trio.sleep_forever()

    def __init__(self) -> None:
        self.sent: list[list[bytes]] = []
        self.outcome = Sent.DONE

    def send_nowait(self, parts: Sequence[bytes]) -> Sent:
        if self.outcome is Sent.DONE:
            self.sent.append(list(parts))
        return self.outcome

    def send_together(self, send: Callable[[], None]) -> None:
        send()

    def frames(self) -> list[tuple[Kind, bytes]]:
        """Return what was sent: kind and id of each frame."""
        return [(frame.kind, frame.id) for frame in (decode(parts[1:]) for parts in self.sent)]


class Posting:
    """A dispatcher that makes every request a job, and the actor that it is posted to."""

    def __init__(self) -> None:
        self.state = DaemonState(boot="b", started_at=0.0)
        self.dispatcher = self.actor = self
        self.overfull: set[bytes] = set()
        self.posted: list[Job] = []
        self.post = self.posted.append
        self.waiting_jobs = 0
        self.answered = trio.Event()
        self.expected = 0
        self.bug: Exception | None = None
        self.refusal: PalimpError | None = None

    def begin(self) -> float:
        if self.refusal:
            raise self.refusal
        return 0.0

    def expect_calls(self) -> None:
        self.expected += 1

    def end(self, *_: Any) -> None:
        pass

    async def next_answer(self) -> None:
        await self.answered.wait()

    def job_for(self, *_: Any) -> Job:
        if self.bug:
            raise self.bug
        return Job(lambda _: None, is_write=False)


@pytest.fixture
async def given(nursery):
    """A router's socket and what is behind it; its sessions do nothing."""
    socket, core = Given(), Posting()

    async def serve_session(*_: Any) -> None:
        await trio.sleep_forever()

    await nursery.start(Router(Wire(socket, Peers(), core.overfull), core, serve_session, Log("critical")).run)
    yield socket, core
    nursery.cancel_scope.cancel()


async def test_jobs_carry_whose_they_are_so_that_they_can_be_taken_in_turn(given):
    """By connection; what a request says of its session is not asked."""
    socket, core = given
    body = json.dumps({"operation": "recall", "caller": {"session": {"key": "the same"}}}).encode()
    for identity in (b"one", b"one", b"other"):
        socket.take([identity, *encode(Frame(Kind.REQUEST, b"id", body))])

    assert [job.asker for job in core.posted] == [b"one", b"one", b"other"]


async def test_a_session_that_begins_is_announced(given):
    """So that the embedder is there when it searches."""
    socket, core = given
    socket.take([b"one", *encode(Frame(Kind.HELLO, b"id", json.dumps(HELLO).encode()))])

    assert core.expected == 1


async def test_a_bug_in_a_request_is_answered_and_the_next_one_is_served(given):
    """It ends neither the daemon nor the client's turn."""
    socket, core = given
    frame = encode(Frame(Kind.REQUEST, b"id", json.dumps({"operation": "health"}).encode()))
    core.bug = ZeroDivisionError("of ours")
    socket.take([b"one", *frame])
    core.bug = None
    socket.take([b"one", *frame])

    answer = decode(socket.sent[0][1:])
    assert (answer.kind, json.loads(answer.body)["code"]) == (Kind.ERROR, "internal")
    assert "of ours" not in answer.body.decode()
    assert len(core.posted) == 1


async def test_a_stopping_daemon_judges_no_request(given):
    """What it does not know, the next one may: who asked for a newer daemon would take the refusal for the answer."""
    socket, core = given
    core.refusal = PalimpError(ErrorCode.STOPPING, "Shutting down.")
    for body in ({"operation": "of the next version"}, {"operation": "recall", "arguments": {"limit": 0}}, 1):
        socket.take([b"one", *encode(Frame(Kind.REQUEST, b"id", json.dumps(body).encode()))])

    assert [json.loads(decode(parts[1:]).body)["code"] for parts in socket.sent] == ["stopping"] * 3


async def test_who_was_dropped_for_not_reading_is_told_once_it_has_room(given, autojump_clock):
    """Also when it was WELCOME that found no room; then under the id of the HELLO, whose answer is waited for."""
    socket, _ = given
    socket.outcome = Sent.UNREAD
    socket.take([b"one", *encode(Frame(Kind.HELLO, b"first", json.dumps(HELLO).encode()))])
    socket.take([b"one", *encode(Frame(Kind.PING, b"ping"))])
    await trio.sleep(2 * TELL_S)
    assert socket.frames() == []

    socket.outcome = Sent.DONE
    await trio.sleep(2 * TELL_S)
    assert socket.frames() == [(Kind.RESET, b"first")]

    socket.take([b"one", *encode(Frame(Kind.HELLO, b"second", json.dumps(HELLO).encode()))])
    socket.outcome = Sent.UNREAD
    socket.take([b"one", *encode(Frame(Kind.PING, b"ping"))])
    socket.outcome = Sent.DONE
    await trio.sleep(2 * TELL_S)
    assert socket.frames()[1:] == [(Kind.WELCOME, b"second"), (Kind.RESET, b"")]


async def test_who_is_gone_or_came_back_is_not_told(given, autojump_clock):
    socket, _ = given
    for outcome in (Sent.GONE, Sent.UNREAD):
        socket.outcome = outcome
        socket.take([b"one", *encode(Frame(Kind.HELLO, b"lost", json.dumps(HELLO).encode()))])
    socket.outcome = Sent.DONE
    socket.take([b"one", *encode(Frame(Kind.HELLO, b"again", json.dumps(HELLO).encode()))])
    await trio.sleep(2 * TELL_S)

    assert socket.frames() == [(Kind.WELCOME, b"again")]


async def test_who_sends_faster_than_it_is_served_is_told_at_once(given):
    """The frame that found no room may be its last one: nothing it sends later would be answered with RESET."""
    socket, _ = given
    socket.take([b"one", *encode(Frame(Kind.HELLO, b"hello", json.dumps(HELLO).encode()))])
    for number in range(PEER_INBOX_FRAMES_MAX + 1):
        socket.take([b"one", *encode(Frame(Kind.MCP, b"%d" % number, b"{}"))])

    assert socket.frames() == [(Kind.WELCOME, b"hello"), (Kind.RESET, b"%d" % PEER_INBOX_FRAMES_MAX)]


async def test_nothing_is_done_for_who_leaves_too_much_unread(given):
    """It is refused until a refusal arrives; then it is served again."""
    socket, core = given
    body = json.dumps({"operation": "recall"}).encode()

    def asks(number: int) -> None:
        socket.take([b"one", *encode(Frame(Kind.REQUEST, b"%d" % number, body))])

    asks(1)
    core.posted[0].settle("answer")
    socket.outcome = Sent.UNREAD
    core.posted[0].on_settled()
    asks(2)
    socket.outcome = Sent.DONE
    asks(3)
    assert len(core.posted) == 1
    assert socket.frames() == [(Kind.ERROR, b"3")]
    assert json.loads(decode(socket.sent[0][1:]).body)["code"] == "busy"

    asks(4)
    assert len(core.posted) == 2


async def test_while_who_does_not_read_is_refused_the_store_has_its_turn(given, autojump_clock):
    """If it works on something; until it has answered, or for a moment, and once for each batch of refusals."""
    socket, core = given

    async def seconds_of_a_pause() -> float:
        began = trio.current_time()
        await socket.pause()
        return trio.current_time() - began

    def is_refused() -> None:
        socket.take([b"one", *encode(Frame(Kind.REQUEST, b"id", json.dumps({"operation": "recall"}).encode()))])

    socket.outcome = Sent.UNREAD
    socket.take([b"one", *encode(Frame(Kind.MCP, b"id", b"{}"))])  # what it is told, to say HELLO, finds no room
    is_refused()
    assert await seconds_of_a_pause() == 0.0
    core.waiting_jobs = 1
    assert await seconds_of_a_pause() == pytest.approx(REFUSING_RESTS_S)
    assert await seconds_of_a_pause() == 0.0
    is_refused()
    core.answered.set()
    assert await seconds_of_a_pause() == 0.0
    assert not core.posted
    assert b"one" in core.overfull
