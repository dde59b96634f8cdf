"""The command line's parser: errors are a `PalimpError`, with a likely correction."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_shim.cli.commands import HEADINGS

OTHER_NAMES: Final = {
    "remember": "add",
    "new": "add",
    "find": "search",
    "recall": "search",
    "query": "search",
    "ls": "list",
    "log": "list",
    "get": "show",
    "view": "show",
    "cat": "show",
    "read": "show",
    "rm": "delete",
    "remove": "delete",
    "purge": "delete",
    "forget": "delete",
    "unpurge": "restore",
    "settings": "config",
    "set": "config",
    "doc": "docs",
    "status": "health",
    "check": "doctor",
    "summary": "summarize",
    "setup": "install",
    "disable": "off",
    "enable": "on",
    "start": "health",
}
"""Names that other programs, or our other commands, use."""

EXAMPLES: Final = "Examples:"

PROGRAM: Final = "palimp"

_SENTENCES: Final[tuple[tuple[str, str], ...]] = (
    (r"argument (?P<what>.+?): invalid int value: (?P<got>.+)", "{what} must be a whole number (got {got})."),
    (r"argument (?P<what>.+?): expected one argument", "{what} needs a value."),
    (r"argument (?P<what>.+?): expected at least one argument", "{what} needs a value."),
    (r"argument (?P<what>.+?): ignored explicit argument (?P<got>.+)", "{what} takes no value (got {got})."),
    (r"argument (?P<what>.+?): not allowed with argument (?P<got>.+)", "{what} cannot be given together with {got}."),
    (r"ambiguous option: (?P<what>\S+) could match (?P<got>.+)", "{what} could be {got}."),
    (r"one of the arguments (?P<what>.+) is required", "One of these is needed: {what}."),
    (r"the following arguments are required: (?P<what>.+)", "{what} {is} missing."),
    (r"argument (?P<what>.+?): (?P<got>must .+)", "{what} {got}."),
    (r"argument (?P<what>.+?): (?P<got>.+)", "{what}: {got}."),
)


class HelpText(argparse.HelpFormatter):
    """Help with headings in the list of commands, and unwrapped examples, for copying."""

    def _format_action(self, action: argparse.Action) -> str:
        is_of_all = self._prog == PROGRAM and action.nargs != argparse.PARSER
        heading = HEADINGS.get(action.dest, "") if is_of_all else ""
        return (f"\n  {heading}:\n" if heading else "") + super()._format_action(action)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(EXAMPLES) else super()._fill_text(text, width, indent)


def examples_text(examples: str) -> str:
    """Return a help text's end: *examples*, split at `; `, as lines."""
    return EXAMPLES + "".join(f"\n  {each}" for each in examples.split("; "))


class Parser(argparse.ArgumentParser):
    """A parser that raises `PalimpError`; its result's `command` is the name."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=HelpText, **settings)

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse *args*.

        Raises:
            PalimpError: something is unknown.
        """
        self._given = list(sys.argv[1:] if args is None else args)
        found, extra = super().parse_known_args(args, namespace or argparse.Namespace())
        if extra:
            self._refuse(extra[0])
        if not hasattr(found, "command"):  # the innermost parser ends first
            found.command = self.prog.partition(" ")[2]
        return found, extra

    def error(self, message: str) -> NoReturn:
        """Raise argparse's *message* as a sentence."""
        # What is missing may have been taken for an option: "palimp search --no-verify".
        if "required" in message and (unknown := self._unknown_option()):
            self._refuse(unknown)
        for pattern, sentence in _SENTENCES:
            if match := re.fullmatch(pattern, message, re.DOTALL):
                if match.groupdict().get("what") == "COMMAND":
                    self.print_help(sys.stderr)
                    raise self._error(f"{self.prog} needs one of the commands above.")
                found = match.groupdict()
                if "one of" in message:
                    found["what"] = found["what"].replace(" ", " or ")
                if "following" in message:
                    found |= self._missing(found["what"].split(", "))
                raise self._error(sentence.format(**found))
        raise self._error(message[:1].upper() + message[1:] + ".")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(each) for each in action.choices]
        if action.nargs == argparse.PARSER:
            meant = OTHER_NAMES.get(str(value), str(value))
            others = [each for each in choices if OTHER_NAMES.get(each, each) == meant]
            hint = f"Did you mean {others[0]}?" if others else _suggestion(str(value), choices)
            raise PalimpError(
                ErrorCode.BAD_REQUEST, f"{self.prog} has no command {str(value)!r}.", f"{hint} {_help(self)}".lstrip()
            )
        what = "/".join(action.option_strings) or str(action.metavar or action.dest)
        hint = f"{_suggestion(str(value), choices)} It can be {', '.join(choices)}.".lstrip()
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{what} cannot be {str(value)!r}.", hint)

    def _refuse(self, argument: str) -> NoReturn:
        name = argument.partition("=")[0]
        if not argument.startswith("-"):
            meant = self._option_for(argument)
            hint = f"{f'Did you mean {meant}? ' if meant else ''}{_help(self)}"
            text = f"{self.prog} takes nothing more: {argument!r} is too much."
            raise PalimpError(ErrorCode.BAD_REQUEST, text, hint)
        known = [each for each in self._option_string_actions if each.startswith("--")]
        hints = [_suggestion(name, known), _help(self)]
        if " " not in self.prog:
            hints = ["Options go behind the command.", _help(self)]
        elif self._get_positional_actions():
            hints.append(f"Text that begins with a dash goes behind --, as in: {self.prog} -- {argument}")
        hint = " ".join(filter(None, hints))
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{self.prog} has no option {name}.", hint)

    def _option_for(self, argument: str) -> str:
        """Return the option of that name, or with that choice; empty: there is none."""
        if (name := f"--{argument}") in self._option_string_actions:
            return name
        choosing = (each for each in self._actions if each.option_strings and argument in (each.choices or ()))
        return next((f"{each.option_strings[0]} {argument}" for each in choosing), "")

    def _missing(self, names: Sequence[str]) -> dict[str, str]:
        # argparse names those of which there may be none, too
        optional = {each.metavar or each.dest for each in self._actions if each.nargs == argparse.ZERO_OR_MORE}
        missing = [name for name in names if name not in optional] or names
        return {"what": " and ".join(missing), "is": "are" if len(missing) > 1 else "is"}

    def _unknown_option(self) -> str:
        for argument in self._given:
            if argument == "--":
                break
            name = argument.partition("=")[0]
            if len(name) > 1 and name.startswith("-") and not self._is_option(name):
                return argument
        return ""

    def _is_option(self, name: str) -> bool:
        return any(known.startswith(name) for known in self._option_string_actions)

    def _error(self, text: str) -> PalimpError:
        return PalimpError(ErrorCode.BAD_REQUEST, text, _help(self))


def _suggestion(given: str, known: Iterable[str]) -> str:
    import difflib  # noqa: PLC0415  only when something is wrong

    names = {each.lstrip("-"): each for each in sorted(known)}  # two options are not alike for their dashes
    near = [names[each] for each in difflib.get_close_matches(given.lstrip("-").lower(), names, n=2, cutoff=0.6)]
    return f"Did you mean {' or '.join(near)}?" if near else ""


def _help(parser: argparse.ArgumentParser) -> str:
    return f"`{parser.prog} --help` explains it."


def number(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of integers between bounds."""

    def read(text: str) -> int:
        try:
            found = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number (got {text!r})") from None
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(f"must be between {least:,} and {most:,} (got {found:,})")
        return found

    return read
