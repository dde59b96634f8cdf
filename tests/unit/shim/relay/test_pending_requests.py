"""Every id is answered exactly once, whatever comes in between."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.errors import MAY_BE_DONE
from palimp_protocol.limits import FRAME_BYTES_MAX, RESENDS_MAX, UNANSWERED_MAX
from palimp_protocol.wire.frames import Frame, Kind, frame_ids
from palimp_shim.relay.hook_calls import HookCall
from palimp_shim.relay.pending_requests import PendingRequests

DEADLINE_S = 10.0
HOOK_S = 0.2


def hook_in(message: dict[str, Any]) -> HookCall | None:
    """Take a call of the tool "edited" for a record of an edit, and one of "asked" for a question."""
    name = message["params"].get("name") if isinstance(message.get("params"), dict) else None
    bodies = {"edited": b"{edit}", "asked": b"{ask}", "unknown": b""}
    return HookCall(bodies[name], HOOK_S, is_kept=name == "edited") if name in bodies else None


def conversation() -> PendingRequests:
    return PendingRequests(frame_ids(b"c" * 16), DEADLINE_S, "Look at the log.", hook_in)


def request(request_id: Any, method: str = "tools/call", **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()


def answer(frame: Frame, request_id: Any) -> Frame:
    return Frame(Kind.MCP, frame.id, json.dumps({"jsonrpc": "2.0", "id": request_id, "result": {}}).encode())


def sent(talk: PendingRequests, line: bytes, now: float = 0.0) -> Frame:
    step = talk.from_client(line, now)
    assert step.to_client is None
    assert step.to_daemon is not None
    return step.to_daemon


def code_of(line: bytes | None) -> int:
    assert line is not None
    return json.loads(line)["error"]["code"]


def test_a_line_is_passed_on_untouched():
    """The bytes of the client are the bytes of the frame."""
    line = b'{"id": 1,   "method":"tools/list", "jsonrpc":"2.0"}'

    assert sent(conversation(), line).body == line


def test_an_answer_reaches_the_client_once():
    """The second answer to a request that was sent again is dropped."""
    talk = conversation()
    frame = sent(talk, request(1))
    first, second = talk.from_daemon(answer(frame, 1)), talk.from_daemon(answer(frame, 1))

    assert first == answer(frame, 1).body
    assert second is None


def test_what_is_unanswered_is_sent_again_under_the_same_ids():
    """Answered requests are not, and the order stays."""
    talk = conversation()
    frames = [sent(talk, request(number)) for number in range(4)]
    talk.from_daemon(answer(frames[1], 1))

    again, errors = talk.resend()

    assert again == [frames[0], frames[2], frames[3]]
    assert errors == []


def test_a_request_that_takes_the_daemon_down_each_time_is_given_up():
    """After RESENDS_MAX attempts the client gets an error instead."""
    talk = conversation()
    sent(talk, request(1))
    for _ in range(RESENDS_MAX):
        assert talk.resend()[1] == []

    frames, errors = talk.resend()

    assert frames == []
    assert json.loads(errors[0])["id"] == 1


@pytest.mark.parametrize(
    ("method", "is_passed_on", "is_unknown"),
    [
        ("tools/call", True, True),
        ("tools/call", False, False),
        ("tools/list", True, False),
    ],
)
def test_a_call_that_a_daemon_was_given_may_have_been_done(method: str, is_passed_on: bool, is_unknown: bool):
    """Whoever is told that none answers should look before saying it again."""
    talk = conversation()
    sent(talk, request(1, method))
    if is_passed_on:
        talk.resend()

    (line,) = talk.refuse_all("No daemon can be started.")

    assert (MAY_BE_DONE in json.loads(line)["error"]["message"]) is is_unknown


def test_a_deadline_is_an_answer():
    """When it passes the client gets an error that says what to do; a late answer is dropped."""
    talk = conversation()
    frame = sent(talk, request("a"), now=0.0)

    assert talk.expire(DEADLINE_S - 0.1) == []
    (line,) = talk.expire(DEADLINE_S)
    error = json.loads(line)

    assert error["id"] == "a"
    assert "Look at the log." in error["error"]["message"]
    assert talk.from_daemon(answer(frame, "a")) is None
    assert talk.next_deadline() is None


def test_who_works_on_a_request_moves_its_deadline():
    """It may take as long as it likes, and no other with it."""
    talk = conversation()
    frame, _ = sent(talk, request(1)), sent(talk, request(2))

    talk.extend_deadline(frame.id, 9.0)
    talk.extend_deadline(b"answered long ago", 9.0)

    (line,) = talk.expire(9.0 + DEADLINE_S - 0.1)
    assert json.loads(line)["id"] == 2
    assert talk.next_deadline() == 9.0 + DEADLINE_S


def test_a_subscription_has_no_deadline_and_is_acknowledged_once():
    """It is sent again after a reconnect, and the second acknowledgement is not passed on."""
    talk = conversation()
    frame = sent(talk, request("listen:0", "subscriptions/listen"))
    meta = {"io.modelcontextprotocol/subscriptionId": "listen:0"}
    acknowledged = json.dumps(
        {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"_meta": meta}}
    ).encode()

    assert talk.next_deadline() is None
    assert talk.is_idle
    assert talk.from_daemon(Frame(Kind.MCP, b"", acknowledged)) == acknowledged
    for _ in range(RESENDS_MAX + 2):
        assert talk.resend() == ([frame], [])
    assert talk.from_daemon(Frame(Kind.MCP, b"", acknowledged)) is None


def test_a_cancelled_request_is_forgotten():
    """It is neither sent again nor answered, and its id may be used again."""
    talk = conversation()
    frame = sent(talk, request(1))
    sent(talk, json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).encode())

    assert talk.resend() == ([], [])
    assert talk.from_daemon(answer(frame, 1)) is None
    sent(talk, request(1))


def test_the_handshake_is_remembered():
    """Initialize and initialized are kept for a reconnect, also after they were answered."""
    talk = conversation()
    frame = sent(talk, request(0, "initialize", protocolVersion="2025-11-25"))
    talk.from_daemon(answer(frame, 0))
    sent(talk, b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    assert talk.initialize is not None
    assert talk.initialize["params"] == {"protocolVersion": "2025-11-25"}
    assert talk.is_initialized


def test_a_number_and_a_text_are_different_ids():
    """1 and "1" may both be in progress."""
    talk = conversation()
    sent(talk, request(1))
    sent(talk, request("1"))

    assert code_of(talk.from_client(request(1), 0).to_client) == -32600


def test_too_many_unanswered_requests_are_refused():
    """The bound holds, and the refusal is an answer."""
    talk = conversation()
    for number in range(UNANSWERED_MAX):
        sent(talk, request(number))

    assert code_of(talk.from_client(request("more"), 0).to_client) == -32000


def test_a_message_longer_than_a_frame_is_answered_by_its_id():
    """The client learns which request was too long."""
    step = conversation().from_client(request(7, text="x" * FRAME_BYTES_MAX), 0)

    assert step.to_client is not None
    assert json.loads(step.to_client)["id"] == 7


def test_a_refusal_of_the_daemon_is_an_answer():
    """An ERROR frame becomes a JSON-RPC error with the request's id."""
    talk = conversation()
    frame = sent(talk, request(5))

    assert code_of(talk.refuse(frame.id, "busy")) == -32000
    assert talk.refuse(frame.id, "busy") is None


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_line_is_forwarded_or_answered(line: bytes):
    """No line makes the relay fail, and every one leads somewhere."""
    step = conversation().from_client(line, 0)

    assert (step.to_daemon is None) != (step.to_client is None)


@pytest.mark.parametrize("request_id", [1.5, None, True, [], {}])
def test_an_id_that_no_answer_could_carry_is_refused(request_id: Any):
    """The SDK would take such a request for a notification and never answer it."""
    assert code_of(conversation().from_client(request(request_id), 0).to_client) == -32600


def test_every_request_of_a_batch_is_answered():
    """Batches exist in one old revision; they are refused, one id at a time."""
    step = conversation().from_client(b"[" + request(1) + b"," + request("b") + b"]", 0)

    assert step.to_client is not None
    assert [json.loads(line)["id"] for line in step.to_client.split(b"\n")] == [1, "b"]


# --- hooks ---------------------------------------------------------------------------------------


def content_of(line: bytes | None) -> list[Any]:
    assert line is not None
    return json.loads(line)["result"]["content"]


def test_a_hook_is_sent_as_the_request_that_its_process_would_send():
    talk = conversation()
    frame = sent(talk, request("h1", name="asked"))
    assert (frame.kind, frame.body) == (Kind.REQUEST, b"{ask}")
    told = json.dumps({"output": '{"größe": "小"}'}).encode()
    assert content_of(talk.from_daemon(Frame(Kind.REPLY, frame.id, told))) == [
        {"type": "text", "text": '{"größe": "小"}'}
    ]
    assert talk.is_idle


def test_a_hook_that_is_told_nothing_is_answered_with_nothing():
    talk = conversation()
    frame = sent(talk, request(1, name="asked"))
    assert content_of(talk.from_daemon(Frame(Kind.REPLY, frame.id, b'{"output": ""}'))) == []
    assert content_of(talk.from_client(request(2, name="unknown"), 0.0).to_client) == []


def test_whatever_happens_to_a_hook_it_is_no_error():
    """Its deadline, a refusal, daemons that go away, too many requests: the client would show each."""
    talk = conversation()
    sent(talk, request(1, name="asked"), now=5.0)
    assert talk.next_deadline() == 5.0 + HOOK_S
    assert [content_of(line) for line in talk.expire(5.0 + HOOK_S)] == [[]]
    frame = sent(talk, request(2, name="asked"))
    assert content_of(talk.refuse(frame.id, "no")) == []
    sent(talk, request(3, name="asked"))
    assert [content_of(line) for line in talk.refuse_all("gone")] == [[]]
    sent(talk, request(4, name="asked"))
    lines = [line for _ in range(RESENDS_MAX + 1) for line in talk.resend()[1]]
    assert [content_of(line) for line in lines] == [[]]
    for number in range(UNANSWERED_MAX):
        sent(talk, request(f"r{number}"))
    assert content_of(talk.from_client(request(5, name="asked"), 0.0).to_client) == []


def test_a_record_that_no_daemon_took_is_kept_once():
    talk = conversation()
    late, taken = sent(talk, request(1, name="edited")), sent(talk, request(2, name="edited"))
    sent(talk, request(3, name="asked"))
    talk.from_daemon(Frame(Kind.REPLY, taken.id, b"{}"))
    talk.expire(1.0)
    assert talk.not_taken() == [late]
    assert talk.not_taken() == []


def test_a_record_is_kept_when_its_client_no_longer_waits_for_it():
    """The edit was made, whether its hook was cancelled or not; of anything else nothing is kept."""
    talk = conversation()
    edited = sent(talk, request(1, name="edited"))
    sent(talk, request(2, name="asked"))
    for number in (1, 2):
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        assert talk.from_client(json.dumps(cancelled).encode(), 0.0).to_client is None
    assert talk.not_taken() == [edited]
    assert talk.is_idle


def test_a_hook_alone_has_no_daemon_started():
    talk = conversation()
    sent(talk, request(1, name="asked"))
    assert not talk.is_idle
    assert not talk.wants_daemon
    sent(talk, request(2))
    assert talk.wants_daemon
