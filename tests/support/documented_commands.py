"""The commands of a page of the documentation, and what it says that they print."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PROGRAMS = ("palimp ", "cd ", "cp ", "rm ", "printf ", "chmod ", "uv ", "pip ", "pipx ", "make ", "systemctl ")
"""What a line of a block begins with that is a command without a prompt."""

_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"(?:^|(?<=Erased ))[mtcn][0-9a-z]{7,11}(?=\s)|\b[mtcn](?=\w*\d)[0-9a-z]{7,11}\b", re.MULTILINE)
"""An id: a word with a digit, or whatever stands in its place, since one by chance may have none."""
_FORGOTTEN = (
    (_ID, "ID"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "COMMIT"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?\b"), "DATE"),
    (re.compile(r"(?<![\w.])(?:~|/(?:home|tmp|root)/[\w.-]+)(?=/)"), "HOME"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|s|MB|kB)\b"), "MEASURED"),
    (re.compile(r"projects/-[\w-]+"), "projects/SLUG"),
    (re.compile(r"\s+"), " "),
)
"""What differs from run to run: ids, commits, dates, homes, times, sizes; and white space, which the width decides."""


class Command(NamedTuple):
    """A command line, and the lines that the page prints below it; None: it prints none."""

    line: str
    output: str | None

    @property
    def bare(self) -> str:
        """The command without the remark behind it."""
        return re.sub(r"\s{2,}#.*", "", self.line)


def commands_of(page: Path) -> list[list[Command]]:
    """Return the commands of each block of *page*, in order; of a block without any, an empty list."""
    return [_commands_in(lines) for lines in blocks_of(page)]


def blocks_of(page: Path) -> list[list[str]]:
    """Return the lines of each block of code of *page*, in order."""
    return [block.rstrip("\n").split("\n") for block in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def _commands_in(lines: Sequence[str]) -> list[Command]:
    if any(line.startswith("$ ") for line in lines):
        return _prompted(lines)
    is_shell = lines[0].startswith(PROGRAMS)  # else it is something that was printed
    return [Command(line, None) for line in lines if is_shell and line.startswith(PROGRAMS)]


def _prompted(lines: Sequence[str]) -> list[Command]:
    found: list[Command] = []
    for line in lines:
        if line.startswith("$ "):
            found.append(Command(line.removeprefix("$ "), None))
        elif found:
            last = found[-1]
            found[-1] = last._replace(output=line if last.output is None else f"{last.output}\n{line}")
    return found


def ids_in(text: str) -> list[str]:
    """Return the ids in *text*, in order."""
    return _ID.findall(text)


def forgetful(text: str) -> str:
    """Return *text* without what differs from run to run."""
    for pattern, word in _FORGOTTEN:
        text = pattern.sub(word, text)
    return text.strip()
