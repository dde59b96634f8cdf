"""Whatever a client or a stranger sends, the answer is an error, and the next request works."""

import contextlib
import json
import os
import random
import re
import socket
import subprocess
import sys

import pytest
import zmq
from mcp_clients import BareClient
from running_daemon import RunningDaemon, palimp_environment, temporary_home

from palimp_protocol.limits import FRAME_BYTES_MAX, LINE_BYTES_MAX
from palimp_protocol.text import without_control
from palimp_protocol.wire.frames import Frame, Kind, encode

DEEP = 20_000


@pytest.fixture(scope="module")
def daemon():
    """One daemon for all these tests: it must live through every one of them."""
    with temporary_home() as home:
        running = RunningDaemon(palimp_environment(home))
        running.start()
        yield running
        running.kill()


@pytest.fixture
def client(daemon):
    """A client after its handshake."""
    bare = BareClient(daemon.env)
    bare.initialize()
    yield bare
    # Whatever the test sent: the daemon is the same one and answers, and so does the relay.
    bare.call("last", "save_memory", text="Still here.")
    while (message := bare.read()).get("id") != "last":
        pass  # an answer to something before, which was slower
    assert "aved" in message["result"]["content"][0]["text"]  # or saved already, by the test before
    assert daemon.process.poll() is None
    assert bare.close() == 0


BAD_TEXTS = {
    "NUL": ("a\0b", "NUL"),
    "empty": ("", "text"),
    "blank": (" \n\t ", "blank"),
    "too long": ("x" * 10_001, "at most 10,000 characters"),
    "ten megabytes": ("x" * 10_000_000, "smaller pieces"),
}


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_a_text_that_cannot_be_saved_is_refused_with_the_reason(client, name: str):
    """The answer says what is wrong with the text."""
    text, reason = BAD_TEXTS[name]

    client.call(1, "save_memory", text=text)
    answer = client.answer(1)

    said = answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]["message"]
    assert reason in said


GOOD_TEXTS = {
    "markup": "<script>alert(1)</script> & </note>",
    "right to left": "שלום \u202eevil\u202c",
    "combining": "Z" + "\u0301" * 5_000,
    "astral": "𝕊𝕢𝕝 👩‍👩‍👧‍👦 is fine",
    "byte order mark": "\ufeffstarts with a mark",
    "lines": "one\r\ntwo\u2028three\x0bfour",
    "sql": "'; DROP TABLE memories; --",
    "control": "bell \x07 escape \x1b[31m red",
}


@pytest.mark.parametrize("name", GOOD_TEXTS)
def test_any_other_text_is_kept_as_it_is(client, name: str):
    """Text goes in and comes out unchanged but for control characters, and every line on stdout stays one message."""
    saved = client.ask(1, "save_memory", text=GOOD_TEXTS[name], title=name)

    found = client.ask(2, "recall", title=name, detail="full")

    assert saved.startswith("Saved")
    assert without_control(GOOD_TEXTS[name]).strip() in re.sub("(?m)^> ", "", found)  # the mark of stored lines


QUERIES = [
    "",
    "   ",
    "the of and",
    "!?-*",
    "👍",
    "a AND OR NOT",
    "NEAR(a b)",
    "title:x",
    "-x",
    "^x",
    'un"closed',
    "(",
    "x*",
]
QUERIES += [
    "\ufeff",
    "' OR 1=1",
    "https://example.org/" + "a/" * 2_000,
    "word " * 1_900,
    "é̄" * 100,
    "\u202e",
    "%_%",
    "{x}",
]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_any_query_is_answered(client, query: str):
    """No query is a syntax error."""
    client.ask(1, "save_memory", text="Something to search in: the and of title x.")

    client.call(2, "recall", query=query)

    assert client.answer(2)["result"]["isError"] is False


@pytest.mark.parametrize("action", ["view", "purge", "restore"])
def test_a_call_that_names_only_what_there_is_not_is_an_error(client, action: str):
    """Which says of each name why; one that names something besides is answered, and says the same."""
    known = re.findall(r"\((m\w+)\)", client.ask(1, "save_memory", text="The ledger uses integer cents."))[0]
    names = ["m0000000", "not an id!"]

    client.call(2, "recall", ids=names, action=action)
    refused = client.answer(2)["result"]
    client.call(3, "recall", ids=[known, *names], action=action)
    answered = client.answer(3)["result"]

    assert (refused["isError"], answered["isError"]) == (True, False)
    for said in (refused["content"][0]["text"], answered["content"][0]["text"]):
        assert "m0000000: no such memory" in said
        assert "not an id!: not an id; search for a title or words" in said
    assert "Nothing was changed." in refused["content"][0]["text"]


RAW_LINES = {
    "not JSON": (b"hello", -32700),
    "cut off": (b'{"jsonrpc":"2.0","id":1,', -32700),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
    "nested deeply": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b"[" * DEEP + b"]" * DEEP + b"}", -32700),
    "not a number": (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', -32700),
    "no object": (b"42", -32600),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    "a float id": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    "a null id": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    "a method that is none": (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
    "wrong version": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    "an id of half a character": (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32600),
    "longer than a frame": (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * FRAME_BYTES_MAX + b'"}', -32600),
    "longer than a line": (b"x" * (LINE_BYTES_MAX + 2), -32600),
}


@pytest.mark.parametrize("name", RAW_LINES)
def test_a_line_that_is_no_message_is_answered_with_an_error(client, name: str):
    """The relay or the daemon answers with the JSON-RPC error that fits, by id where there is one."""
    line, code = RAW_LINES[name]

    client.write(line + b"\n")

    assert client.read()["error"]["code"] == code


def test_an_id_that_is_in_use_is_refused(daemon):
    """Two requests with one id get one answer and one refusal."""
    client = BareClient(daemon.env)
    client.initialize()
    client.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 2)

    answers = [client.read() for _ in range(2)]

    assert sorted("error" in answer for answer in answers) == [False, True]
    assert client.close() == 0


def test_random_mutations_of_messages_do_no_harm(client):
    """2,000 mutated messages are each answered or dropped; the relay and the daemon live on."""
    chance = random.Random(7)
    call = {"name": "recall", "arguments": {"query": "x", "limit": 3}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    for _ in range(2_000):
        mutated = bytearray(message)
        for _ in range(chance.randint(1, 4)):
            mutated[chance.randrange(len(mutated))] = chance.randrange(256)
        client.write(bytes(mutated).replace(b"\n", b" ") + b"\n")
    client.call("end", "health")
    while client.read().get("id") != "end":
        pass


def test_a_stranger_on_the_socket_does_no_harm(client, daemon):
    """Raw bytes, and palimp frames that are none, are refused or ignored."""
    chance = random.Random(11)
    for _ in range(300):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(daemon.socket))
            stranger.sendall(chance.randbytes(chance.randint(1, 400)))
    with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.setsockopt(zmq.LINGER, 0)
        dealer.connect(f"ipc://{daemon.socket}")
        for _ in range(2_000):
            parts = [chance.randbytes(chance.randint(0, 40)) for _ in range(chance.randint(1, 6))]
            dealer.send_multipart(parts)
            with contextlib.suppress(zmq.Again):
                while True:
                    dealer.recv_multipart(zmq.NOBLOCK)
        for kind in Kind:
            dealer.send_multipart(encode(Frame(kind, b"\0" * 24, b"{")))


def test_another_user_is_not_served(daemon):
    """A process of another user cannot connect, even when permissions would let it."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user: run the tests as root to see this one")
    for folder in daemon.socket.parents:
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o777)
    daemon.socket.chmod(0o777)
    # A greeting as ZMTP has it: an accepted peer gets one back, a refused one is cut off.
    script = (
        "import os, socket, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); "
        "s = socket.socket(socket.AF_UNIX); s.settimeout(5); s.connect(sys.argv[1]); "
        "s.sendall(b'\\xff' + bytes(8) + b'\\x7f' + b'\\x03'); sys.exit(len(s.recv(64)) > 0)"
    )

    stranger = subprocess.run([sys.executable, "-c", script, str(daemon.socket)], capture_output=True, check=False)

    assert stranger.returncode == 0 or b"BrokenPipe" in stranger.stderr or b"ConnectionReset" in stranger.stderr
