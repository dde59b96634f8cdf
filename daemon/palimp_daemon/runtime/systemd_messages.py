"""Talk to systemd, if there: readiness and watchdog messages (sd_notify), and the passed listening socket."""

import os
import socket
from collections.abc import Mapping

FIRST_PASSED_FD = 3
"""SD_LISTEN_FDS_START of sd_listen_fds(3)."""


def notify(env: Mapping[str, str], state: str) -> None:
    """Send *state*, such as `READY=1`, to systemd, if there."""
    address = env.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading @ names an abstract socket (sd_notify(3)).
    name = "\0" + address[1:] if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        sender.connect(name)
        sender.sendall(state.encode())


def watchdog_interval_s(env: Mapping[str, str]) -> float | None:
    """Return half the watchdog's timeout in seconds, or None."""
    if env.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = env.get("WATCHDOG_USEC", "")
    return int(microseconds) / 2e6 if microseconds.isdigit() and int(microseconds) else None


def is_activated(env: Mapping[str, str]) -> bool:
    """Tell whether systemd passed a listening socket (sd_listen_fds(3))."""
    count = env.get("LISTEN_FDS", "")
    return env.get("LISTEN_PID") == str(os.getpid()) and count.isdigit() and int(count) > 0


def passed_listener(env: Mapping[str, str]) -> socket.socket | None:
    """Return the listening socket from systemd, or None."""
    if not is_activated(env):
        return None
    os.set_inheritable(FIRST_PASSED_FD, False)  # noqa: FBT003  its only form
    return socket.socket(fileno=FIRST_PASSED_FD)
