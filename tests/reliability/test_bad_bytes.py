"""B1 to B3: what is no frame and no message, by the thousand; the daemon lives, and the next honest request is fast."""

import contextlib
import json
import random
import socket
import time

import pytest
import zmq
from daemon_asking import ask
from lanes import many
from mcp_clients import BareClient

from palimp_protocol.limits import FRAME_BYTES_MAX, FRAME_ID_BYTES_MAX
from palimp_protocol.wire.frames import PROTOCOL_VERSION, Kind

RAW, FRAMES, LINES = many(100_000, 2_000_000), many(20_000, 1_000_000), many(20_000, 1_000_000)

GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
"""As ZMTP 3.0 begins (rfc.zeromq.org/spec/23): what is wrong behind it reaches further in."""

REQUEST = {"operation": "recall", "arguments": {"query": "x", "limit": 3}}


@pytest.fixture
def afterwards(daemon, env, project, tally):
    """Asks an honest question after all, and says how long that took."""

    def check(catalogue_id: str, what: str, **counts: int) -> None:
        began = time.monotonic()
        assert ask(env, project, "save_memory", text="Still here.").id
        assert daemon.process.poll() is None
        took = (time.monotonic() - began) * 1000
        tally(catalogue_id, what, **counts, crashes=0, honest_ms=round(took, 1))

    return check


def test_b1_bytes_that_are_no_zeromq(daemon, afterwards):
    """Also behind a greeting that is one."""
    chance = random.Random(1)
    for number in range(RAW):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(daemon.socket))
            stranger.sendall((GREETING if number % 2 else b"") + chance.randbytes(chance.randint(1, 600)))
    afterwards("B1", "raw connections", count=RAW)


def test_b2_messages_that_are_no_frames(daemon, afterwards):
    """Parts too many and too few, kinds, versions, ids and bodies that are none, and ones at every bound."""
    chance = random.Random(2)
    body = json.dumps(REQUEST).encode()
    bounds = [FRAME_ID_BYTES_MAX - 1, FRAME_ID_BYTES_MAX, FRAME_ID_BYTES_MAX + 1]
    with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.setsockopt(zmq.LINGER, 0)
        dealer.connect(f"ipc://{daemon.socket}")
        for number in range(FRAMES):
            head = bytes(
                (chance.choice([PROTOCOL_VERSION, PROTOCOL_VERSION, chance.randrange(256)]), chance.randrange(14))
            )
            frame_id = chance.randbytes(chance.choice([0, 1, 24, *bounds]))
            mutated = bytearray(body)
            for _ in range(chance.randint(0, 3)):
                mutated[chance.randrange(len(mutated))] = chance.randrange(256)
            parts = [head, frame_id, bytes(mutated)]
            if chance.random() < 0.1:
                parts = parts[: chance.randint(0, 2)] or [b""]
            elif chance.random() < 0.1:
                parts += [b""] * chance.randint(1, 50)
            dealer.send_multipart(parts)
            with contextlib.suppress(zmq.Again):
                while number % 16 == 0:
                    dealer.recv_multipart(zmq.NOBLOCK)
        dealer.send_multipart([b""] * 10_000)
        for size in (FRAME_BYTES_MAX, FRAME_BYTES_MAX + 1):
            dealer.send_multipart([bytes((PROTOCOL_VERSION, Kind.REQUEST)), b"1", b" " * size])
        dealer.poll(1_000)
    afterwards("B2", "frames", count=FRAMES)


def test_b3_lines_that_are_no_json_rpc(env, afterwards):
    """Through a real relay: mutated, joined, cut, with ids that are used, huge or no ids."""
    chance = random.Random(3)
    client = BareClient(env)
    client.initialize()
    call = {"name": "recall", "arguments": {"query": "x", "limit": 3}}
    answered = 0
    for number in range(LINES):
        request_id = chance.choice([number, 0, str(number), 2**70, 1.5, None, "x" * 200])
        message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": call}
        if chance.random() < 0.1:
            message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number - 1}}
        line = bytearray(json.dumps([message, message] if chance.random() < 0.02 else message).encode())
        for _ in range(chance.choice([0, 1, 1, 2, 4])):
            line[chance.randrange(len(line))] = chance.randrange(256)
        client.write(bytes(line).replace(b"\n", b" ") + b"\n")
        while number % 64 == 0 and not client.is_silent():
            client.read()
            answered += 1
    client.call("end", "health")
    while client.read().get("id") != "end":
        answered += 1
    assert client.close() == 0
    afterwards("B3", "lines through a relay", count=LINES, answered=answered)
