"""Write checks as sentences, for people."""

from collections.abc import Sequence
from typing import Final

from palimp_protocol.messages.rule_messages import Check

_KINDS: Final = {
    "test": "tests",
    "all-tests": "all tests",
    "serve": "a development server",
    "lint": "a linter",
    "format": "a formatter",
    "build": "a build",
    "dependency": "a new dependency",
    "migrate": "a migration",
}
"""Kinds of commands (`task_commands`) in words; others go by name."""


def in_words(check: Check) -> str:
    """Return *check* as a sentence: when a session is reminded."""
    match check.sort:
        case "command":
            said = f"do not run {_commands(check.commands)}{_on(check.branches)}"
            said += f" in {_texts(check.paths)}" if check.paths else ""
            said += f" but under `{check.within}`" if check.within else ""
        case "before":
            said = f"before {_commands(check.commands)} run {_commands(check.first)}"
        case "edit" if check.added:
            said = f"do not add {_texts(check.added)}" + (f" in {_texts(check.paths)}" if check.paths else "")
        case "edit":
            verb = {"new": "make", "existing": "change", "": "touch"}[check.files]
            said = f"do not {verb} {_texts(check.paths) if check.paths else 'files'}"
        case "message":
            said = f"commit messages {_message(check)}"
        case "branch":
            said = f"names of branches begin with {_texts(check.begins)}"
    return said + (f"; instead: {_commands([check.instead])}" if check.instead else "")


def _commands(patterns: Sequence[str]) -> str:
    return " or ".join(_KINDS.get(each[1:], each[1:]) if each.startswith("=") else f"`{each}`" for each in patterns)


def _texts(texts: Sequence[str]) -> str:
    return " or ".join(f"`{each}`" for each in texts)


def _on(branches: Sequence[str]) -> str:
    return f" on {_texts(branches)}" if branches else ""


_STYLES: Final = {
    "imperative": "in the imperative",
    "no-emoji": "without emoji",
    "no-period": "without a full stop",
    "lowercase": "beginning in lower case",
    "ticket": "with the number of a ticket",
    "": "",
}


def _message(check: Check) -> str:
    parts = [
        f"without {_texts(check.lacks)}" if check.lacks else "",
        f"beginning with {_texts(check.begins)}" if check.begins else "",
        _STYLES.get(check.style, f"in {check.style.title()}"),
        f"with a first line of at most {check.subject_max} characters" if check.subject_max else "",
    ]
    return ", ".join(filter(None, parts))
