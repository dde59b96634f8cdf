"""The daemon as a service of the user's systemd.

It has no shell's PATH or variables: units hold program, socket and environment.
"""

import subprocess
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Final

from palimp_clients.install.client_files import Change, text_of
from palimp_protocol.env.paths import socket_path
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_shim.install.our_programs import run_program
from palimp_shim.transport import systemd_socket
from palimp_shim.transport.systemd_socket import SERVICE, SOCKET

NAME: Final = "systemd"

SYSTEMCTL_S: Final = 20.0
"""Seconds for the service manager to act."""

PASSED_ON: Final = (
    "PATH",
    "PALIMP_HOME",
    "PALIMP_SOCKET",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
)
"""Variables with places: of our data, and of programs that a configured command needs."""


def changes(env: Mapping[str, str], programs: Path, user_id: int) -> list[Change]:
    """Return an installation's changes; *programs* is our commands' folder.

    Raises:
        PalimpError: a unit cannot be read.
    """
    texts = {SOCKET: _socket_unit(env, user_id), SERVICE: _service_unit(env, programs)}
    found = [Change(path, text_of(path), texts[path.name].encode(), bytes) for path in _paths(env)]
    return [change for change in found if change.before != change.after]


def present(env: Mapping[str, str]) -> list[Change]:
    """Return the present units."""
    return [Change(path, text_of(path), None, bytes) for path in _paths(env)]


def check_manager(env: Mapping[str, str]) -> None:
    """Check that a service manager answers.

    Raises:
        PalimpError: none does.
    """
    try:
        _systemctl(env, "show", "--property=Version")
    except PalimpError as error:
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"No systemd user manager answers here: {error.text}",
            "Nothing was changed. palimp works without it: clients start its daemon when they need it.",
        ) from None


def enable(env: Mapping[str, str]) -> None:
    """Listen at the socket, now and after each login.

    Raises:
        PalimpError: the manager refuses.
    """
    _systemctl(env, "daemon-reload")
    _systemctl(env, "stop", SOCKET, SERVICE)
    _systemctl(env, "enable", "--now", SOCKET)


def disable(env: Mapping[str, str]) -> None:
    """End and forget daemon and socket; the units stay.

    Raises:
        PalimpError: the manager refuses.
    """
    _systemctl(env, "disable", "--now", SOCKET)
    _systemctl(env, "stop", SERVICE)


def reload(env: Mapping[str, str]) -> None:
    """Read the units again.

    Raises:
        PalimpError: the manager refuses.
    """
    _systemctl(env, "daemon-reload")


def stop(env: Mapping[str, str]) -> bool:
    """Stop listening; return whether it did.

    Raises:
        PalimpError: the manager refuses.
    """
    if not systemd_socket.are_usable(env) or not is_listening(env):
        return False
    _systemctl(env, "stop", SOCKET, SERVICE)
    return True


def is_listening(env: Mapping[str, str]) -> bool:
    """Tell whether the manager listens at our socket."""
    try:
        return _systemctl(env, "is-active", SOCKET) == "active"
    except PalimpError:
        return False


def _paths(env: Mapping[str, str]) -> list[Path]:
    return [Path(systemd_socket.folder(env), name) for name in (SOCKET, SERVICE)]


def _socket_unit(env: Mapping[str, str], user_id: int) -> str:
    path = Path(socket_path(env, user_id=user_id))
    is_usual = path == Path(env.get("XDG_RUNTIME_DIR", "")) / "palimp" / "palimp.sock"
    line = "%t/palimp/palimp.sock" if is_usual else str(path).replace("%", "%%")
    return _with_line(_template(SOCKET), "ListenStream", line)


def _service_unit(env: Mapping[str, str], programs: Path) -> str:
    text = _with_line(_template(SERVICE), "ExecStart", _quote(str(programs / "palimpd"), in_command=True))
    passed = [_quote(f"{name}={env[name]}") for name in PASSED_ON if env.get(name)]
    lines = [f"Environment={each}\n" for each in passed]
    return text.replace("Restart=on-failure\n", "".join([*lines, "Restart=on-failure\n"]))


def _with_line(text: str, key: str, value: str) -> str:
    lines = [f"{key}={value}\n" if line.startswith(f"{key}=") else line for line in text.splitlines(keepends=True)]
    return "".join(lines)


def _quote(text: str, *, in_command: bool = False) -> str:
    """Quote by systemd.syntax(7) and systemd.service(5)."""
    for special, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("\n", "\\n")):
        text = text.replace(special, written)
    return f'"{text.replace("$", "$$") if in_command else text}"'


def _template(name: str) -> str:
    packaged = resources.files("palimp_shim").joinpath("assets", "systemd", name)
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[3] / "systemd" / name).read_text(encoding="utf-8")  # run from a source tree


def _systemctl(env: Mapping[str, str], *arguments: str) -> str:
    try:
        done = run_program(["systemctl", "--user", "--no-ask-password", *arguments], env, SYSTEMCTL_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"systemctl: {error}.") from None
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"systemctl {' '.join(arguments)}: {said}")
    return done.stdout.strip()
