"""A command that failed, what worked then, and whether a command is about to fail the same way. Plain functions.

Theory
------
A command fails because of how it is called, or because of the code that it runs. Only the first is worth telling
another session, so a failure counts only when a similar line works soon after it in the same session, in which nothing
was edited meanwhile, and which is not the same line. What looks at things (`grep`, `test`, `diff`) fails as an answer.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.text.command_kinds import READERS
from palimp_daemon.text.shell_commands import SimpleCommand, commands_in
from palimp_protocol.text import one_line, without_control

COMMAND_CHARACTERS_MAX: Final = 240
"""A longer line for the shell is a program, and not kept. Two of them are told at once, in 200 tokens."""

ERROR_CHARACTERS_MAX: Final = 160
"""What is kept of an error: the line that says it."""

FAILURES_MAX: Final = 6
"""Failures of a session that wait for what works, the newest."""

COMMANDS_BETWEEN_MAX: Final = 12
"""Commands after which what works has nothing to do with what failed."""

SHARED_MIN: Final = 0.5
"""Part of what a command was given that one with another subcommand must have in common with it."""

_WORD: Final = re.compile(r"[a-z][\w:-]*")
_TELLING: Final = re.compile(
    r"error|fail|fatal|denied|not found|no such|cannot|can't|unable|unknown|invalid|refused|missing|required|panic"
    r"|exception|timed? ?out|unrecognized|permission",
    re.IGNORECASE,
)
_STATUS: Final = re.compile(r"(?:Exit code|exit status) \d+\s*", re.IGNORECASE)


class Failure(NamedTuple):
    """A line that failed; *age* counts the lines that were run since."""

    line: str
    error: str
    age: int = 0


class Remedy(NamedTuple):
    """A line that failed in a session, why, and the line that worked then. *name* is what was to be done."""

    name: str
    failed: str
    error: str
    worked: str


def acting(line: str) -> list[SimpleCommand]:
    """Return the commands of *line* that do something."""
    return [command for command in commands_in(line) if command.program not in READERS]


def name_of(command: SimpleCommand) -> str:
    """Return what *command* does, without what it does it to: `cargo build`."""
    words = command.words[:1] if command.words and _WORD.fullmatch(command.words[0]) else ()
    return " ".join((command.program, *words))


def names_in(line: str) -> list[str]:
    """Return the names of all that *line* does."""
    return list(dict.fromkeys(map(name_of, acting(line))))


def failure_of(line: str, error: str, redact: Callable[[str], str]) -> Failure | None:
    """Return that *line* failed with *error*, both without secrets; None where that says nothing."""
    kept = _kept(line, redact)
    return Failure(kept, _telling_line(redact(error))) if kept and acting(kept) else None


def _kept(line: str, redact: Callable[[str], str]) -> str:
    kept = without_control(redact(line)).strip()
    return kept if len(kept) <= COMMAND_CHARACTERS_MAX and "\n" not in kept else ""


def _telling_line(error: str) -> str:
    """Return the line of *error* that says what was wrong."""
    lines = [each for each in (one_line(without_control(line)) for line in _STATUS.sub("", error).splitlines()) if each]
    telling = [line for line in lines if _TELLING.search(line)]
    return (telling or lines or [""])[-1 if not telling else 0][:ERROR_CHARACTERS_MAX]


def remedies(failures: Sequence[Failure], line: str, redact: Callable[[str], str]) -> list[Remedy]:
    """Return which of *failures* the *line*, which worked, is what should have been run instead."""
    kept = _kept(line, redact)
    done = acting(kept) if kept else []
    return [
        Remedy(name_of(acting(each.line)[-1]), each.line, each.error, kept)
        for each in failures
        if done and each.line != kept and any(_stands_for(command, acting(each.line)[-1]) for command in done)
    ]


def left_after(failures: Sequence[Failure], line: str, redact: Callable[[str], str]) -> list[Failure]:
    """Return which of *failures* still wait after *line* worked."""
    kept = _kept(line, redact)
    healed = {each.failed for each in remedies(failures, line, redact)}
    return [
        each._replace(age=each.age + 1)
        for each in failures
        if each.line != kept and each.line not in healed and each.age + 1 < COMMANDS_BETWEEN_MAX
    ]


def will_fail_alike(line: str, failed: str) -> bool:
    """Tell whether *line* does all that *failed* did, to the same things."""
    about_to = acting(line)
    return bool(about_to) and all(
        any(name_of(command) == name_of(other) and _given(other) <= _given(command) for command in about_to)
        for other in acting(failed)
    )


def is_remedied(line: str, worked: str) -> bool:
    """Tell whether *line* is what *worked*."""
    return _all_of(line) >= _all_of(worked)


def _all_of(line: str) -> set[tuple[str, frozenset[str]]]:
    return {(name_of(command), _given(command)) for command in acting(line)}


def _stands_for(command: SimpleCommand, failed: SimpleCommand) -> bool:
    if command.program != failed.program:
        return False
    if name_of(command) == name_of(failed):
        return not _given(failed) or bool(_given(command) & _given(failed)) or len(_given(failed)) <= 1
    shared, given = _given(command) & _given(failed), _given(failed)
    return bool(given) and len(shared) >= SHARED_MIN * len(given)


def _given(command: SimpleCommand) -> frozenset[str]:
    """Return what *command* is given: of paths their last parts, flags without values."""
    words = command.words[1:] if name_of(command) != command.program else command.words
    return frozenset([word.rstrip("/").rsplit("/", 1)[-1] for word in words if word.strip("/.")] + [*command.flags])
