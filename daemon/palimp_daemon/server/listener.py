"""The listening socket: ours or systemd's, private to the user, handed to ZeroMQ.

libzmq's own `bind("ipc://…")` replaces even another daemon's live socket. So we bind a Unix socket under the database's
lock, and pass it with ZMQ_USE_FD.
"""

import os
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import zmq

from palimp_daemon.runtime.private_dirs import OpenFolderError, make_private
from palimp_protocol.limits import FRAME_BYTES_MAX, PEER_OUTBOX_FRAMES_MAX

BACKLOG: Final = 128
"""Connections waiting to be accepted: sessions started at once."""

HEARTBEAT_MS: Final = 5_000
"""ZeroMQ's own heartbeat, which closes connections to vanished peers."""


class ListenError(Exception):
    """The daemon cannot listen; the text says what to do."""


def listening_socket(path: Path) -> socket.socket:
    """Return a private listening Unix socket at *path*. The caller owns the database.

    Raises:
        ListenError: something that is not a socket lies there, or the folder is not ours.
    """
    _check_folder(path.parent)
    _remove_stale(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ListenError(f"Cannot listen at {path}: {error}. Set PALIMP_SOCKET to another path.") from None
    return listener


@contextmanager
def router(listener: socket.socket, path: Path, user_id: int) -> Generator[zmq.Socket[bytes], None, None]:
    """Serve *listener* as a ZeroMQ ROUTER for processes of *user_id*; close both at the end.

    libzmq owns a duplicate of the descriptor. The path stays: a client that connects then is better refused than told
    that palimp is not installed.
    """
    context = zmq.Context()
    served: zmq.Socket[bytes] = context.socket(zmq.ROUTER)
    try:
        served.setsockopt(zmq.LINGER, 0)
        served.setsockopt(zmq.ROUTER_MANDATORY, 1)
        served.setsockopt(zmq.SNDHWM, PEER_OUTBOX_FRAMES_MAX)
        served.setsockopt(zmq.MAXMSGSIZE, FRAME_BYTES_MAX)
        served.setsockopt(zmq.IPC_FILTER_UID, user_id)
        served.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
        served.setsockopt(zmq.HEARTBEAT_TIMEOUT, 3 * HEARTBEAT_MS)
        served.setsockopt(zmq.USE_FD, os.dup(listener.fileno()))
        served.bind(f"ipc://{path}")
        yield served
    finally:
        served.close()
        context.term()
        listener.close()


def _check_folder(folder: Path) -> None:
    with suppress(OSError):
        owner = folder.stat().st_uid
        if owner != os.getuid():
            raise ListenError(f"{folder} belongs to user {owner}. Set PALIMP_SOCKET to a path in a folder of yours.")
    try:
        make_private(folder)
    except OpenFolderError as error:
        raise ListenError(str(error)) from None
    except OSError as error:
        text = f"{folder} cannot be made private: {error.strerror}. Set PALIMP_SOCKET to another path."
        raise ListenError(text) from None


def _remove_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise ListenError(f"{path} is not a socket. Move it away, or set PALIMP_SOCKET to another path.")
    path.unlink()
