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
from collections.abc import Sequence
from pathlib import Path

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
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
    left = list(answers)
    answered = 0
    data = b""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    own = {name: value for name, value in env.items() if name != "COLUMNS"}
    own["TERM"] = "dumb" if env.get("TERM") == "dumb" else "xterm-256color"
    try:
        with subprocess.Popen(
            [*command, *arguments], env=own, cwd=folder, stdin=child, stdout=child, stderr=child, start_new_session=True
        ) as process:
            os.close(child)
            child = -1
            while chunk := _read(parent, process):
                data += chunk
                while left and left[0][0].encode() in data[answered:]:
                    asked, keys = left.pop(0)
                    answered = data.index(asked.encode(), answered) + len(asked.encode())
                    os.write(parent, keys.encode())
            code = process.wait()
    except TimeoutError:
        raise AssertionError(f"it waits for something: {arguments}, {data.decode(errors='replace')!r}") from None
    finally:
        os.close(parent)
        if child >= 0:
            os.close(child)
    return data.decode().replace("\r\n", "\n"), code


def _read(terminal: int, process: subprocess.Popen[bytes]) -> bytes:
    if not select.select([terminal], [], [], SILENT_SECONDS_MAX)[0]:
        process.kill()
        raise TimeoutError
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""
