"""A terminal of a given size for a command, and what arrives on it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
SILENT_SECONDS_MAX = 100.0
"""How long a command may print nothing: what waits for a key that nobody presses fails then, and does not hang."""


def on_terminal(
    arguments: list[str],
    env: dict[str, str],
    folder: Path,
    columns: int,
    command: list[str] = PALIMP,
    answers: Sequence[tuple[str, str]] = (),
) -> tuple[str, int]:
    """Run `palimp` on a terminal of *columns*; return what arrives there from stdout and stderr, and its exit code.

    Of *answers*, each is a text that is waited for and the keys that are then pressed.
    """
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    own, run = environment_on(env), [*command, *arguments]
    with subprocess.Popen(
        run, env=own, cwd=folder, stdin=child, stdout=child, stderr=child, start_new_session=True
    ) as process:
        os.close(child)
        shown = shown_on(parent, arguments, process.kill, answers)
        return shown, process.wait()


def environment_on(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* as it is on a terminal."""
    own = {name: value for name, value in env.items() if name != "COLUMNS"}
    return own | {"TERM": "dumb" if env.get("TERM") == "dumb" else "xterm-256color"}


def shown_on(
    terminal: int, arguments: Sequence[str], kill: Callable[[], None], answers: Sequence[tuple[str, str]] = ()
) -> str:
    """Return what arrives on *terminal* until its other side is closed, and close it; *answers* are typed there."""
    left = list(answers)
    answered = 0
    data = b""
    try:
        while chunk := _read(terminal):
            data += chunk
            while left and left[0][0].encode() in data[answered:]:
                asked, keys = left.pop(0)
                answered = data.index(asked.encode(), answered) + len(asked.encode())
                os.write(terminal, keys.encode())
    except TimeoutError:
        kill()
        raise AssertionError(f"it waits for something: {arguments}, {data.decode(errors='replace')!r}") from None
    finally:
        os.close(terminal)
    return data.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    if not select.select([terminal], [], [], SILENT_SECONDS_MAX)[0]:
        raise TimeoutError
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""
