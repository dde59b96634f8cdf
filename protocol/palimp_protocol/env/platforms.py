"""Platforms: Linux is tested, macOS is not, Windows lacks palimp's foundations."""

from typing import Final

WINDOWS: Final = (
    "palimp does not run on Windows: it needs Unix sockets and the file locks of Unix."
    " In WSL 2 it does, together with your agent."
)
MACOS: Final = (
    "palimp is tested on Linux only. On macOS clients start its daemon by themselves; a template for launchd is in"
    " palimp_shim/assets/launchd."
)
NO_SYSTEMD: Final = "There is no systemd here: leave --systemd out, and clients start the daemon by themselves."


def refusal_on(platform: str) -> str:
    """Return why palimp does not run on *platform* (`sys.platform`), or empty."""
    return WINDOWS if platform in ("win32", "cygwin") else ""


def warning_on(platform: str) -> str:
    """Return an installation's warning on *platform*, or empty."""
    return "" if platform.startswith("linux") else MACOS
