"""palimp's systemd units, for relays and hooks: standard library only."""

from collections.abc import Mapping
from os.path import exists, isfile, join
from typing import Final

from palimp_protocol.env.paths import config_home

SOCKET: Final = "palimp.socket"
SERVICE: Final = "palimp.service"

START: Final = ("systemctl", "--user", "start", SOCKET)
"""A connection to the socket then starts the service."""


def folder(env: Mapping[str, str]) -> str:
    """Return the folder of a user's units (systemd.unit(5))."""
    return join(config_home(env), "systemd", "user")


def are_installed(env: Mapping[str, str]) -> bool:
    """Tell whether the user's systemd should run the daemon."""
    return isfile(join(folder(env), SOCKET))


def are_usable(env: Mapping[str, str]) -> bool:
    """Tell whether a service manager is there, too."""
    runtime = env.get("XDG_RUNTIME_DIR", "")
    return runtime.startswith("/") and exists(join(runtime, "systemd", "private")) and are_installed(env)
