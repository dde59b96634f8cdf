"""Define a command by a decorator: arguments, operation, and a function that prints.

An option sets the request's field of its name; `Invocation.request` makes the first of *asks*.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec import Struct

from palimp_clients.hooks.programs import client_session
from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory, working_directory
from palimp_protocol.env.zone import zone_name
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import CLIENT_DEADLINE_S
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.operations import OPERATIONS
from palimp_shim.cli.commands import ALIASES, SUMMARIES, UNTYPED, CommandBinding
from palimp_shim.cli.output import print_json
from palimp_shim.cli.parsing import examples_text
from palimp_shim.cli.progress import WaitingBar
from palimp_shim.cli.tables import is_terminal
from palimp_shim.transport.daemon_client import Client

EXIT_FAILED: Final = 4

_ASKED_BY: Final = {operation.request: operation for operation in OPERATIONS.values()}


class Argument(NamedTuple):
    """An argument: keywords for `add_argument`, and its request field."""

    names: tuple[str, ...]
    keywords: Mapping[str, Any]
    sets: str

    def add_to(self, parser: Any) -> None:
        """Add it to a parser or a group."""
        parser.add_argument(*self.names, **self.keywords)


class OneOf(NamedTuple):
    """Arguments that exclude each other."""

    arguments: tuple[Argument, ...]
    is_required: bool

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add them to *parser*."""
        group = parser.add_mutually_exclusive_group(required=self.is_required)
        for each in self.arguments:
            each.add_to(group)


def argument(*names: str, sets: str = "", **keywords: Any) -> Argument:
    """Return an argument; it sets the field of its name, or *sets*."""
    return Argument(names, keywords, sets or keywords.get("dest") or names[-1].lstrip("-").replace("-", "_"))


def flag(name: str, text: str, dest: str = "", sets: str = "") -> Argument:
    """Return an option without a value."""
    return argument(name, sets=sets, action="store_true", help=text, **({"dest": dest} if dest else {}))


def choice(name: str, text: str, dest: str, value: Any) -> Argument:
    """Return an option that stores *value* as *dest*."""
    return argument(name, dest=dest, action="store_const", const=value, help=text)


def one_of(*arguments: Argument, required: bool = False) -> OneOf:
    """Return *arguments* that exclude each other."""
    return OneOf(arguments, required)


PROJECT: Final = argument("--project", metavar="DIR", help="the project of DIR instead of the working folder's")
SCOPE: Final = one_of(PROJECT, flag("--global", "the scope outside all projects", "is_global"))
JSON: Final = flag("--json", "print the reply as JSON", "is_json")
IDS: Final = argument("ids", nargs="+", metavar="ID", help="an id or its unambiguous beginning")
ALL: Final = choice("--all", "this project and the global scope (not other projects)", "scope", "all")
MINE: Final = choice("--mine", "only what you saved, on any of your machines", "scope", "mine")
TEAM: Final = choice("--team", "only what other members of your team saved", "scope", "team")


class Invocation:
    """A typed command."""

    def __init__(self, command: "Command", options: argparse.Namespace, env: Mapping[str, str]) -> None:
        self.name = command.name
        self.options = options
        self.env = env
        self.is_json: bool = getattr(options, "is_json", False)
        self._command = command

    @cached_property
    def caller(self) -> Caller:
        """The options' project, else the working folder's; empty for a command without a project.

        Raises:
            PalimpError: the named folder is none, or the working folder is gone.
        """
        return caller_from(self.options, self.env) if hasattr(self.options, "project") else Caller()

    def request(self, **fields: Any) -> Any:
        """Return the request from *fields*, else options, else defaults."""
        kind = OPERATIONS[self._command.asks[0]].request
        given = ((name, getattr(self.options, name, None)) for name in kind.__struct_fields__)
        return kind(**{name: value for name, value in given if value is not None} | fields)

    def ask(self, request: Struct | None = None, *, within_s: float = CLIENT_DEADLINE_S, bar: str = "") -> Any:
        """Return the answer to *request*, by default the command's, showing *bar* meanwhile.

        Raises:
            PalimpError: the answer is an error, or takes longer than *within_s* seconds.
        """
        asked: Struct = request or self.request()
        if is_terminal():
            from palimp_shim.cli.page_links import note_asked  # noqa: PLC0415  a terminal alone has links

            note_asked(self.env, self.caller)
        client = Client(self.env, deadline_s=within_s)
        with WaitingBar(bar) if bar else nullcontext():
            return client.call(_ASKED_BY[type(asked)], asked, self.caller)

    def answer(self, request: Struct | None = None, *, within_s: float = CLIENT_DEADLINE_S, bar: str = "") -> Any:
        """Return the answer; print it if JSON is wanted."""
        reply = self.ask(request, within_s=within_s, bar=bar)
        if self.is_json:
            print_json(reply)
        return reply


Run = Callable[[Invocation], int | None]
"""Runs a command and returns its exit code; None is 0."""


class Command(NamedTuple):
    """A command, or a group, with a *start* only if it does something alone."""

    name: str
    text: str
    arguments: Sequence[Argument | OneOf]
    asks: Sequence[str]
    example: str
    description: str
    unset: Mapping[str, str]
    """Request fields that no option sets, each with the reason."""
    start: Callable[[argparse.Namespace, Mapping[str, str]], int] | None = None

    def add_to(self, commands: Any) -> argparse.ArgumentParser:
        """Add a parser to *commands*."""
        group, _, last = self.name.rpartition(" ")
        aliases = [each for each, name in ALIASES.items() if name == self.name]
        description = self.description or (f"{self.text[0].upper()}{self.text[1:]}." if group else self.text)
        parser: argparse.ArgumentParser = commands.add_parser(
            last, aliases=aliases, help=self.text if group else SUMMARIES[self.name], description=description
        )
        example = f"{parser.prog} {self.example}".rstrip() if group else self.example
        parser.epilog = example if example.startswith("Example") else examples_text(example)
        for each in self.arguments:
            each.add_to(parser)
        if self.start:
            parser.set_defaults(run=self.start)
        return parser

    def option_of(self, field: str) -> str:
        """Return the argument that sets *field*, or empty."""
        flat = [one for each in self.arguments for one in (each.arguments if isinstance(each, OneOf) else (each,))]
        return next((one.names[-1] for one in flat if one.sets == field), "")


COMMANDS: Final[dict[str, Command]] = {}


def command(  # noqa: PLR0913  each has a name where it is called
    name: str,
    text: str,
    *arguments: Argument | OneOf,
    asks: Sequence[str] | None = None,
    example: str = "",
    scope: bool = True,
    json: bool = True,
    description: str = "",
    unset: Mapping[str, str] | None = None,
) -> Callable[[Run], Run]:
    """Make a function the command *name*.

    *asks*: its operations, by default that of its name; *unset*: as in `Command`.
    """
    if asks is None:
        asks = (name,) if name in OPERATIONS else ()
    every = (*arguments, *((SCOPE,) if scope else ()), *((JSON,) if json else ()))

    def define(run: Run) -> Run:
        def start(options: argparse.Namespace, env: Mapping[str, str]) -> int:
            return run(Invocation(COMMANDS[name], options, env)) or 0

        COMMANDS[name] = Command(name, text, every, asks, example, description, unset or {}, start)
        return run

    return define


def group(name: str, text: str, example: str) -> None:
    """Define a group; its name begins its commands' names."""
    COMMANDS[name] = Command(name, text, (), (), example, "", {})


def add_command(commands: Any, name: str) -> None:
    """Add the imported command *name*, with its group's."""
    whole = COMMANDS[name]
    parser = whole.add_to(commands)
    if inner := [each for each in COMMANDS.values() if each.name.startswith(f"{name} ")]:
        group = parser.add_subparsers(required=whole.start is None, metavar="COMMAND")
        for each in inner:
            each.add_to(group)


def bindings() -> dict[str, list[CommandBinding]]:
    """Return imported commands by operation, in listing order."""
    order = [*SUMMARIES]
    found = {name: [binding] for name, binding in UNTYPED.items()}
    for each in sorted(COMMANDS.values(), key=lambda each: order.index(each.name.partition(" ")[0])):
        for operation in each.asks:
            names = OPERATIONS[operation].request.__struct_fields__
            fields = {name: option for name in names if (option := each.option_of(name))}
            why = {name: text for name, text in each.unset.items() if name in names}
            found.setdefault(operation, []).append(CommandBinding(each.name, fields, why))
    return found


def caller_from(options: argparse.Namespace, env: Mapping[str, str]) -> Caller:
    """Return the options' project, else the working folder's, with session and time zone.

    Raises:
        PalimpError: the named folder is none, or the working folder is gone.
    """
    key = client_session(env)
    session = SessionRef(key, "palimp") if key else None
    if getattr(options, "is_global", False):
        return Caller(None, session, zone_name(env))
    if options.project and not Path(options.project).is_dir():
        raise PalimpError(ErrorCode.BAD_REQUEST, f"--project: {options.project} is not a folder.")
    project = project_from_directory(options.project or here(env), home_directory(env))
    return Caller(ProjectRef(*project) if project else None, session, zone_name(env))


def caller_here(env: Mapping[str, str]) -> Caller:
    """Return the working folder's project, if there."""
    try:
        return caller_from(argparse.Namespace(project=None), env)
    except PalimpError:
        return Caller()


def here(env: Mapping[str, str]) -> str:
    """Return the working folder.

    Raises:
        PalimpError: it is gone.
    """
    try:
        return working_directory(env)
    except OSError as error:
        hint = "Go to another folder, or say --project DIR or --global."
        raise PalimpError(ErrorCode.BAD_REQUEST, f"The working folder is gone ({error.strerror}).", hint) from None
