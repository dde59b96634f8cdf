"""`palimp stop`: stop the daemon and wait for its end."""

import contextlib
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

from palimp_protocol.env import file_lock, paths
from palimp_protocol.env.paths import lock_path
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import Stop, Stopping
from palimp_protocol.operations import OPERATIONS
from palimp_shim.cli.command import Invocation, command
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.install import systemd
from palimp_shim.transport.daemon_client import Client

STOP_S: Final = 10.0
"""Seconds to wait for the end; the daemon promises 5."""

LOOK_AGAIN_S: Final = 0.02


@command(
    "stop",
    "End the daemon and wait until it is gone. Sessions go on; their next request starts it again.",
    example="palimp stop",
    scope=False,
    unset={"for_version": "a newer palimp says it by itself"},
)
def run(typed: Invocation) -> None:
    """Stop the daemon, if any."""
    reply = stop_daemon(typed.env)
    if typed.is_json:
        print_json(reply)
    else:
        print_line(f"Stopped the daemon (pid {reply.pid})." if reply else "No daemon is running.")


def stop_daemon(env: Mapping[str, str]) -> Stopping | None:
    """End the daemon and return its answer once it is gone; None: there was none.

    systemd's socket ends, too: else the next client would start it again.

    Raises:
        PalimpError: it does not end.
    """
    client = Client(env)
    if not client.is_daemon_there():
        return None
    with _nobody_starts_one(env):
        reply: Stopping = client.call(OPERATIONS["stop"], Stop(), Caller())
        if systemd.stop(env):
            Path(paths.stopped_path(env)).touch()  # a daemon that was started in between has removed it
        wait_until_released(Path(lock_path(env)), reply.pid)
    return reply


@contextlib.contextmanager
def _nobody_starts_one(env: Mapping[str, str]) -> Generator[None]:
    """Lock starting until the old daemon is gone."""
    try:
        lock = file_lock.take(paths.spawn_lock_path(env))
    except OSError:
        lock = None
    try:
        yield
    finally:
        if lock is not None:
            file_lock.release(lock)


def wait_until_released(lock: Path, pid: int) -> None:
    """Wait until daemon *pid* no longer owns the database.

    Raises:
        PalimpError: it still does after STOP_S.
    """
    ends_at = time.monotonic() + STOP_S
    while pid in (file_lock.holders(lock) or [pid]) and file_lock.is_held(lock):
        if time.monotonic() > ends_at:
            text = f"The daemon still owns its database after {STOP_S:g} s."
            raise PalimpError(ErrorCode.DEADLINE, text, "Look at its log, or kill it.")
        time.sleep(LOOK_AGAIN_S)
