"""Validate a check that a person makes, and redact it."""

import re
from typing import Final

from msgspec.structs import asdict, replace

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.rules.task_commands import KINDS
from palimp_protocol.messages.rule_messages import Check

_ONLY_OF: Final[dict[str, tuple[str, ...]]] = {
    "within": ("command",),
    "branches": ("command",),
    "first": ("before",),
    "paths": ("edit", "command"),
    "files": ("edit",),
    "added": ("edit",),
    "lacks": ("message",),
    "begins": ("message", "branch"),
    "style": ("message",),
    "subject_max": ("message",),
    "commands": ("command", "before"),
}
"""Sorts of checks in which a field has a meaning."""

_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "command": ("commands",),
    "before": ("commands", "first"),
    "edit": ("paths", "added"),
    "message": ("lacks", "begins", "style", "subject_max"),
    "branch": ("begins",),
}
"""Fields that a check needs: `before` all of them, others one."""


_NO_PATTERN: Final = re.compile(r"\.[*+]|[()|;^&]")
"""Signs of regular expressions or between commands, which checks cannot have."""


def problem_with(check: Check) -> str:
    """Return the fault of *check* as a sentence, or ""."""
    found = [_foreign_field(check), _missing_field(check), *map(_bad_command, (*check.commands, *check.first))]
    if any(not path.strip(" */.") for path in check.paths) and not check.added:
        found.append("A path that fits every file would be in the way of everything: name a file or a folder.")
    return next(filter(None, found), "")


def check_without_secrets(check: Check, redact: Redactor) -> Check:
    """Return *check* without secrets in any of its texts."""
    fields = asdict(check)
    texts = ("commands", "branches", "first", "paths", "added", "lacks", "begins")
    clean = {name: tuple(redact(each) for each in fields[name]) for name in texts}
    return replace(check, **clean, within=redact(check.within), instead=redact(check.instead))


def _foreign_field(check: Check) -> str:
    given = [field for field, sorts in _ONLY_OF.items() if getattr(check, field) and check.sort not in sorts]
    return f"A check of the sort {check.sort} has no {given[0]}." if given else ""


def _missing_field(check: Check) -> str:
    needed = _NEEDS[check.sort]
    given = [field for field in needed if getattr(check, field)]
    if check.sort == "before" and len(given) < len(needed):
        return "Say both what is not to be run yet, and what has to end well before."
    return "" if given else f"A check of the sort {check.sort} needs {' or '.join(needed)}."


def _bad_command(pattern: str) -> str:
    if pattern.startswith("=") and pattern[1:] not in KINDS:
        return f"{pattern}: no such kind of commands; there are {', '.join(f'={kind}' for kind in sorted(KINDS))}."
    if found := _NO_PATTERN.search(pattern):
        return f"{pattern}: {found[0]} means nothing there. Name one command; `*` stands for any word of it."
    if not pattern.strip(" *="):
        return "A command that fits all of them would be in the way of everything: name a program."
    return ""
