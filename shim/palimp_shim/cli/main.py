"""`palimp`: parse, run, turn errors into a sentence and an exit code."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

from palimp_protocol import __version__
from palimp_protocol.env.state_folder import problem_with
from palimp_protocol.errors import ArgumentError, ErrorCode, PalimpError
from palimp_shim.cli import streams
from palimp_shim.cli.command import COMMANDS, EXIT_FAILED, add_command, bindings
from palimp_shim.cli.commands import ALIASES, SUMMARIES, CommandBinding, module_of
from palimp_shim.cli.parsing import PROGRAM, Parser, examples_text

EXIT_CODES: Final = {
    ErrorCode.NOT_FOUND: 1,
    ErrorCode.CONFLICT: 1,
    ErrorCode.BAD_REQUEST: 2,
    ErrorCode.UNREACHABLE: 3,
}
EXIT_INTERRUPTED: Final = 130


def main() -> int:
    """Run the command; return its exit code. A reader of stdout may leave early."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # `__main__` had set it aside while modules came in
    streams.prepare()
    try:
        code = _run(_with_help_last(sys.argv[1:]))
        sys.stdout.flush()  # here, where it is expected that it fails
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except streams.OutputError as error:
        streams.give_up_stdout()
        if error.is_reader_gone:
            return 0
        _say(f"stdout cannot be written: {error.why}.", "The request was done, but its answer is incomplete.")
        return EXIT_FAILED
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter's end has nothing to tell of it
    return code


def _with_help_last(arguments: Sequence[str]) -> Sequence[str]:
    """Take `help COMMAND` as `COMMAND --help`."""
    return [*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments


def _run(arguments: Sequence[str]) -> int:
    options = argparse.Namespace(command="")
    try:
        options = parser_for(arguments).parse_args(arguments)
        # The doctor says what is wrong with the folder, and what to do.
        problem = problem_with(os.environ, user_id=os.getuid())
        if problem and arguments[:1] != ["doctor"]:
            raise PalimpError(ErrorCode.BAD_REQUEST, problem)
        code: int = options.run(options, dict(os.environ))
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except PalimpError as error:
        text = _in_words_of_the_command(error, options.command) if isinstance(error, ArgumentError) else error.text
        return _fail(arguments, error.code, text, error.hint, error.lines)
    except UnicodeDecodeError as error:
        text = f"The input from stdin is no UTF-8 text (byte {error.start + 1} of it)."
        return _fail(arguments, ErrorCode.BAD_REQUEST, text, "Convert it first (iconv), or leave that out.")
    except OSError as error:
        return _fail(arguments, ErrorCode.REFUSED, f"{error.filename or 'The system'}: {error.strerror or error}.")
    return code


def _fail(arguments: Sequence[str], code: ErrorCode, text: str, hint: str = "", lines: str = "") -> int:
    """Print the error, also as JSON if wanted; return the exit code."""
    _say(text, hint)
    if lines:
        sys.stderr.write(f"{lines.rstrip()}\n")
    if "--json" in takewhile(lambda argument: argument != "--", arguments):
        from palimp_shim.cli.output import print_json  # noqa: PLC0415  what it imports, a command has imported already

        print_json({"error": {"code": str(code), "text": text, "hint": hint}})
    return EXIT_CODES.get(code, EXIT_FAILED)


def _say(text: str, hint: str = "") -> None:
    from palimp_shim.cli.output import print_remark  # noqa: PLC0415  what it imports, a command has imported already

    print_remark(text, hint)


def _in_words_of_the_command(error: ArgumentError, name: str) -> str:
    command = COMMANDS.get(name)
    option = command.option_of(error.field) if command and error.operation in command.asks else ""
    return f"{option} {error.problem}" if option else error.text


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of *arguments*, importing only their command."""
    first = arguments[0] if arguments else ""
    named = ALIASES.get(first, first)
    parser, commands = _parser(is_command_needed=bool(arguments))
    if named in SUMMARIES:
        importlib.import_module(module_of(named))
        add_command(commands, named)
    else:
        for name, summary in SUMMARIES.items():
            commands.add_parser(name, help=summary, aliases=[each for each, of in ALIASES.items() if of == name])
    return parser


def whole_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and options."""
    parser, commands = _parser(is_command_needed=False)
    for name in SUMMARIES:
        importlib.import_module(module_of(name))
        add_command(commands, name)
    return parser


def operation_map() -> dict[str, list[CommandBinding]]:
    """Return operations' commands, with options for fields."""
    for name in SUMMARIES:
        importlib.import_module(module_of(name))
    return bindings()


def _parser(*, is_command_needed: bool) -> tuple[argparse.ArgumentParser, Any]:
    parser = Parser(
        prog=PROGRAM,
        description="A memory that lasts, shared by your coding agents' sessions.",
        epilog=examples_text("palimp add 'We use ZeroMQ because …' --kind decision; palimp search zeromq"),
    )
    parser.add_argument("--version", action="version", version=f"palimp {__version__}")

    def list_commands(*_: object) -> int:
        parser.print_help(sys.stderr)
        return EXIT_CODES[ErrorCode.BAD_REQUEST]

    parser.set_defaults(run=list_commands)
    return parser, parser.add_subparsers(required=is_command_needed, metavar="COMMAND")


if __name__ == "__main__":
    sys.exit(main())
