"""Read commit messages from a shell line: `-m`, `-am`, `--message=`, heredocs (`"$(cat <<'EOF'`, `-F -`)."""

import re
from collections.abc import Iterator
from typing import Final

from palimp_daemon.text.shell_commands import READ_MAX, GivenCommand

_HEREDOC: Final = re.compile(r"<<-?[ \t]*(['\"]?)(\w{1,40})\1[^\n]*\n")
_SHORT: Final = re.compile(r"-[a-zA-Z]*m")

CONVENTIONAL: Final = ("feat", "fix", "chore", "docs", "style", "refactor", "perf", "test", "build", "ci", "revert")
"""Types of Conventional Commits 1.0 and of commitlint's config for them."""


def commit_messages(line: str, commands: list[GivenCommand]) -> list[str]:
    """Return the commit messages of *commands*, read from *line*."""
    return [message for each in commands if _is_commit(each) if (message := _message(line, each))]


def _is_commit(given: GivenCommand) -> bool:
    return given.command.program == "git" and given.command.words[:1] == ("commit",)


def _message(line: str, given: GivenCommand) -> str:
    parts = [_written_out(part, line) for part in _parts(given.given)]
    if not parts and {"-F", "--file"} & {*given.given} and "-" in given.given:
        parts = [*_heredocs(line)][:1]
    return "\n\n".join(part for part in parts if part)


def _parts(given: tuple[str, ...]) -> Iterator[str]:
    for place, word in enumerate(given):
        if word.startswith("--message="):
            yield word.partition("=")[2]
        elif (word == "--message" or _SHORT.fullmatch(word)) and place + 1 < len(given):
            yield given[place + 1]
        elif re.match(r"-m\S", word):
            yield word[2:]


def _written_out(part: str, line: str) -> str:
    if not part.startswith("$(cat <<"):
        return part
    found = _HEREDOC.search(part)
    if found is None:
        return next(_heredocs(line), "")
    return _body(part, found)


def _heredocs(line: str) -> Iterator[str]:
    for found in _HEREDOC.finditer(line[:READ_MAX]):
        yield _body(line[:READ_MAX], found)


def _body(text: str, found: re.Match[str]) -> str:
    lines: list[str] = []
    for each in text[found.end() :].split("\n"):
        if each.strip().rstrip(")\"'") == found[2]:
            break
        lines.append(each)
    return "\n".join(lines).strip()
