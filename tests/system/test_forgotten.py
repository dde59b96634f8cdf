"""A relay whose daemon has forgotten it, as after a suspend that outlasted what peers are given."""

import json
import os
from pathlib import Path

import zmq
from mcp_clients import BareClient

from palimp_protocol.env.paths import socket_path
from palimp_protocol.versions import running_version
from palimp_protocol.wire.frames import Frame, Kind, decode, encode

WITHIN_MS = 20_000


class ForgetfulDaemon:
    """What a relay takes for a daemon: the test says what it answers."""

    def __init__(self, router: zmq.Socket) -> None:
        self._router = router
        self._identity = b""

    def read(self) -> Frame:
        """Return the next frame of the relay."""
        assert self._router.poll(WITHIN_MS), "the relay said nothing"
        self._identity, *parts = self._router.recv_multipart()
        return decode(parts)

    def answer(self, frame: Frame, kind: Kind, **body: object) -> None:
        """Answer *frame*."""
        self._router.send_multipart([self._identity, *encode(Frame(kind, frame.id, json.dumps(body).encode()))])

    def greeted(self) -> Frame:
        """Return the HELLO, which must be what comes next."""
        hello = self.read()
        assert hello.kind is Kind.HELLO
        return hello

    def welcome(self, hello: Frame) -> None:
        """Answer *hello*."""
        self.answer(hello, Kind.WELCOME, boot="b", version=running_version(), protocol=1)


def test_a_relay_that_is_forgotten_says_hello_once_and_sends_all_again_once(env: dict[str, str]):
    """Though it is told so of every frame: each HELLO would be a session in which all is done again."""
    path = Path(socket_path(env, user_id=os.getuid()))
    path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.bind(f"ipc://{path}")
        path.chmod(0o600)
        daemon, client = ForgetfulDaemon(router), BareClient(env)
        daemon.welcome(daemon.greeted())
        for number in (1, 2):
            client.request(number, "ping")
        frames = [daemon.read(), daemon.read()]
        daemon.answer(frames[0], Kind.RESET)
        hello = daemon.greeted()
        daemon.answer(frames[1], Kind.RESET)  # which was on its way when the relay said HELLO
        daemon.answer(hello._replace(id=b""), Kind.MCP, jsonrpc="2.0", method="notifications/message")
        assert client.read()["method"] == "notifications/message"  # so that the relay has read the RESET before it
        daemon.welcome(hello)
        again = [daemon.read(), daemon.read()]
        for number, frame in enumerate(again, 1):
            daemon.answer(frame, Kind.MCP, jsonrpc="2.0", id=number, result={})

        assert [frame.kind for frame in again] == [Kind.MCP] * 2
        assert again == frames
        assert [client.read()["id"], client.read()["id"]] == [1, 2]
        assert client.close() == 0
        assert daemon.read().kind is Kind.BYE
