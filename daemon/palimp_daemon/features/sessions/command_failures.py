"""Find commands that failed because of how they were called, and their remedies.

A failure counts only if a similar line works soon after in the session, without an edit between. Commands that test or
search (`grep`, `diff`) are ignored: their failure is an answer.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.text.command_kinds import READERS
from palimp_daemon.text.shell_commands import CHARACTERS_MAX, SimpleCommand, commands_in
from palimp_protocol.text import one_line, without_control

COMMAND_CHARACTERS_MAX: Final = 240
"""A longer shell line is a program, and not kept. Two fill 200 tokens."""

ERROR_CHARACTERS_MAX: Final = 160
"""Characters kept of an error: the line that states it."""

ERROR_READ_MAX: Final = 8_000
"""Characters read of an error, half of them at its end: others wait while secrets are sought, and commands print
thousands of lines."""

FAILURES_MAX: Final = 6
"""Failures per session that await a success, the newest."""

COMMANDS_BETWEEN_MAX: Final = 12
"""Commands after which a success is unrelated to the failure."""

SHARED_MIN: Final = 0.5
"""Share of a failed command's arguments that a successful other subcommand must have."""

_WORD: Final = re.compile(r"[a-z][\w:-]*")
_TELLING: Final = re.compile(
    r"error|fail|fatal|denied|not found|no such|cannot|can't|unable|unknown|invalid|refused|missing|required|panic"
    r"|exception|timed? ?out|unrecognized|permission",
    re.IGNORECASE,
)
_STATUS: Final = re.compile(r"(?:Exit code|exit status) \d+\s*", re.IGNORECASE)


class Failure(NamedTuple):
    """A line that failed; *age* counts lines run since."""

    line: str
    error: str
    age: int = 0


class Remedy(NamedTuple):
    """A line that failed, its error, and the line that worked."""

    name: str
    failed: str
    error: str
    worked: str


def acting(commands: Iterable[SimpleCommand]) -> list[SimpleCommand]:
    """Return the commands that do something."""
    return [command for command in commands if command.program not in READERS]


def name_of(command: SimpleCommand) -> str:
    """Return the command without its objects: `cargo build`."""
    words = command.words[:1] if command.words and _WORD.fullmatch(command.words[0]) else ()
    return " ".join((command.program, *words))


def names_of(done: Iterable[SimpleCommand]) -> list[str]:
    """Return the names of *done*."""
    return list(dict.fromkeys(map(name_of, done)))


def failure_of(line: str, error: str, redact: Callable[[str], str]) -> Failure | None:
    """Return the redacted failure of *line*; None if *error* says nothing."""
    kept = kept_line(line, redact)
    if not acting(commands_in(kept)):
        return None
    return Failure(kept, _telling_line(redact(without_control(_read_of(error)))))


def kept_line(line: str, redact: Callable[[str], str]) -> str:
    """Return *line* plain and redacted; empty for a program."""
    if len(line) > CHARACTERS_MAX:
        return ""
    kept = redact(without_control(line)).strip()
    return kept if len(kept) <= COMMAND_CHARACTERS_MAX and "\n" not in kept else ""


def _read_of(error: str) -> str:
    """Return whole lines of *error*: a secret's part is not recognised."""
    if len(error) <= ERROR_READ_MAX:
        return error
    half = ERROR_READ_MAX // 2
    return "\n".join((error[:half].rpartition("\n")[0], error[-half:].partition("\n")[2]))


def _telling_line(error: str) -> str:
    lines = [each for each in map(one_line, _STATUS.sub("", error).splitlines()) if each]
    telling = [line for line in lines if _TELLING.search(line)]
    return (telling[0] if telling else lines[-1] if lines else "")[:ERROR_CHARACTERS_MAX]


def remedies(failures: Sequence[Failure], worked: str) -> list[Remedy]:
    """Return the *failures* that *worked* remedies."""
    done = acting(commands_in(worked))
    found: list[Remedy] = []
    for each in failures:
        failed = acting(commands_in(each.line))[-1]
        if each.line != worked and any(_stands_for(command, failed) for command in done):
            found.append(Remedy(name_of(failed), each.line, each.error, worked))
    return found


def left_after(failures: Sequence[Failure], worked: str, learned: Sequence[Remedy]) -> list[Failure]:
    """Return the *failures* still pending after *worked*, which taught *learned*."""
    healed = {worked, *(each.failed for each in learned)}
    return [
        each._replace(age=each.age + 1)
        for each in failures
        if each.line not in healed and each.age + 1 < COMMANDS_BETWEEN_MAX
    ]


def will_fail_alike(about_to: Sequence[SimpleCommand], failed: str, worked: str) -> bool:
    """Tell whether *about_to* does all of *failed*, to the same objects, and not all of *worked*."""
    does_all = all(
        any(
            name_of(command) == name_of(other) and _argument_words(other) <= _argument_words(command)
            for command in about_to
        )
        for other in acting(commands_in(failed))
    )
    return bool(about_to) and does_all and not _all_of(about_to) >= _all_of(acting(commands_in(worked)))


def _all_of(done: Iterable[SimpleCommand]) -> set[tuple[str, frozenset[str]]]:
    return {(name_of(command), _argument_words(command)) for command in done}


def _stands_for(command: SimpleCommand, failed: SimpleCommand) -> bool:
    if command.program != failed.program:
        return False
    if name_of(command) == name_of(failed):
        return (
            not _argument_words(failed)
            or bool(_argument_words(command) & _argument_words(failed))
            or len(_argument_words(failed)) <= 1
        )
    shared, given = _argument_words(command) & _argument_words(failed), _argument_words(failed)
    return bool(given) and len(shared) >= SHARED_MIN * len(given)


def _argument_words(command: SimpleCommand) -> frozenset[str]:
    words = command.words[1:] if name_of(command) != command.program else command.words
    return frozenset([word.rstrip("/").rsplit("/", 1)[-1] for word in words if word.strip("/.")] + [*command.flags])
