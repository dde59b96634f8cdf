"""A proxy that adds the bearer token, for test programs that cannot send one.

It listens on a port of its own; where a request names that port in Host or Origin, it names the server's instead, so
that the server's checks see what the program meant. Each connection carries one request.
"""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator

HEAD_END = b"\r\n\r\n"


@contextlib.contextmanager
def token_proxy(port: int, token: str) -> Iterator[int]:
    """Yield the port of a proxy of the server on *port*."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        own = listener.getsockname()[1]
        threading.Thread(target=_accept, args=(listener, own, port, token), daemon=True).start()
        yield own


def _accept(listener: socket.socket, own: int, port: int, token: str) -> None:
    with contextlib.suppress(OSError):  # the listener was closed: the test is over
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_serve, args=(client, own, port, token), daemon=True).start()


def _serve(client: socket.socket, own: int, port: int, token: str) -> None:
    with contextlib.suppress(OSError), client, socket.create_connection(("127.0.0.1", port)) as server:
        head = b""
        while HEAD_END not in head and (data := client.recv(65_536)):
            head += data
        lines, _, body = head.partition(HEAD_END)
        lines = re.sub(rb"(?im)^connection:.*\r\n", b"", lines + b"\r\n").replace(b":%d" % own, b":%d" % port)
        server.sendall(lines + b"Authorization: Bearer %s\r\nConnection: close\r\n\r\n" % token.encode() + body)
        up = threading.Thread(target=_pump, args=(client, server), daemon=True)
        up.start()
        _pump(server, client)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
