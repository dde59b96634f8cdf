"""Find our commands, and run a program to its end."""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError


def programs_folder() -> Path:
    """Return our commands' absolute folder: clients have no PATH.

    Raises:
        PalimpError: they are nowhere.
    """
    for folder in (Path(sys.argv[0]).absolute().parent, Path(sys.executable).parent):
        if (folder / "palimp-shim").is_file() and (folder / "palimp").is_file():
            return folder
    if found := shutil.which("palimp-shim"):
        return Path(found).absolute().parent
    text = "The command palimp-shim is not installed."
    raise PalimpError(ErrorCode.BAD_REQUEST, text, "Install palimp with pip or uv.")


def run_program(
    command: Sequence[str], env: Mapping[str, str], within_s: float | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run *command* without input; return exit code and output.

    Raises:
        OSError: it cannot be run.
        subprocess.TimeoutExpired: it takes longer.
    """
    return subprocess.run(
        command,
        env=dict(env),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=within_s,
        check=False,
        stdin=subprocess.DEVNULL,
    )
