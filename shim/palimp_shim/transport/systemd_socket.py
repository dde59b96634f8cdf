"""Where systemd's units of palimp are, and how they are started: what whoever looks for the daemon must know of them.

Standard library only: relays and hooks import this. What is in the units is in `install/systemd.py`.
"""

from collections.abc import Mapping
from os.path import exists, isfile, join
from typing import Final

from palimp_protocol.env.paths import config_home

SOCKET: Final = "palimp.socket"
SERVICE: Final = "palimp.service"

START: Final = ("systemctl", "--user", "start", SOCKET)
"""Whoever connects to the socket then starts the service."""


def folder(env: Mapping[str, str]) -> str:
    """Return where a user's own units are (systemd.unit(5))."""
    return join(config_home(env), "systemd", "user")


def are_installed(env: Mapping[str, str]) -> bool:
    """Tell whether the user's systemd is to run the daemon."""
    return isfile(join(folder(env), SOCKET))


def are_usable(env: Mapping[str, str]) -> bool:
    """Tell whether a user's service manager is there, too: in a session without one, palimp starts its own daemon."""
    runtime = env.get("XDG_RUNTIME_DIR", "")
    return runtime.startswith("/") and exists(join(runtime, "systemd", "private")) and are_installed(env)
