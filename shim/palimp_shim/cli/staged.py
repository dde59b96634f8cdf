"""What git would commit now: the lines that it adds, by file."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError

GIT_S: Final = 30
"""Seconds that git may take to say what is staged."""

_DIFF: Final = (
    *("git", "-c", "core.quotepath=off", "diff", "--cached", "--unified=0", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"),
)

_HUNK: Final = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,(\d+))? @@")
"""How many lines come with a hunk; one, if it is not said."""


def staged_texts() -> dict[str, str]:
    """Return the lines that are about to be committed, by the path of their file.

    Raises:
        PalimpError: git cannot say.
    """
    try:
        done = subprocess.run(_DIFF, capture_output=True, timeout=GIT_S, check=False)
        top = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, timeout=GIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"git cannot be asked: {error}.", "Is it installed?") from None
    if done.returncode:
        raise PalimpError(ErrorCode.BAD_REQUEST, "This is no git repository.", "Run it inside one.")
    root = Path(top.stdout.decode("utf-8", "replace").rstrip("\n"))
    added = added_lines(done.stdout.decode("utf-8", "replace"))
    return {str(root / path): "\n".join(lines) for path, lines in added.items()}


def added_lines(diff: str) -> Mapping[str, list[str]]:
    """Return what a *diff* without context adds, by file. Its lines may look like headers; hunks say how many come."""
    added: dict[str, list[str]] = {}
    path, coming = "", 0
    for line in diff.split("\n"):  # not splitlines: a line of code may hold what that splits at
        if coming and line.startswith("+"):
            coming -= 1
            if path:
                added.setdefault(path, []).append(line[1:].removesuffix("\r"))
        elif line.startswith("+++ "):
            path = _path_in(line[4:])
        elif match := _HUNK.match(line):
            coming = int(match[1] or 1)
    return added


def _path_in(name: str) -> str:
    """Return the path that a header names; nothing for a file that is gone."""
    name = name.removesuffix("\t")  # behind a name with spaces
    if name.startswith('"'):  # one with quotes, backslashes or control characters, as in C
        name = name[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
    return name.removeprefix("b/") if name.startswith("b/") else ""
