"""`palimp`: parse, run the command, turn errors into a sentence and an exit code.

Exit codes: 0 done; 1 nothing found; 2 the request was wrong; 3 no daemon answers; 4 the daemon could
not do it; 130 interrupted.
"""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

from palimp_protocol import __version__
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.state_folder import problem_with

COMMANDS: Final = (
    "add",
    "search",
    "list",
    "show",
    "delete",
    "restore",
    "docs",
    "changes",
    "context",
    "capture",
    "sessions",
    "projects",
    "adopt",
    "summarize",
    "compact",
    "undo",
    "export",
    "import",
    "backup",
    "embed",
    "config",
    "mcp",
    "http",
    "install",
    "uninstall",
    "doctor",
    "health",
    "stop",
)
"""The commands, in the order in which they are listed. Each is a module of this package."""

MODULES: Final = {"save": "add", "list": "listing", "import": "import_"}
"""Modules of commands that cannot be called, or are not only called, by their names."""

EXIT_CODES: Final = {
    ErrorCode.BAD_REQUEST: 2,
    ErrorCode.UNREACHABLE: 3,
}
EXIT_FAILED: Final = 4
EXIT_INTERRUPTED: Final = 130


def main() -> int:
    """Run the command in the program's arguments and return its exit code."""
    _set_encodings(sys.stdin, sys.stdout)
    options = parser_for(sys.argv[1:]).parse_args()
    # The doctor says what is wrong with the folder, and what to do.
    problem = problem_with(os.environ, user_id=os.getuid())
    if problem and sys.argv[1:2] != ["doctor"]:
        sys.stderr.write(f"palimp: {problem}\n")
        return EXIT_CODES[ErrorCode.BAD_REQUEST]
    try:
        code: int = options.run(options, dict(os.environ))
        sys.stdout.flush()  # here, where a reader that left is expected
    except PalimpError as error:
        sys.stderr.write(f"palimp: {error.text}\n")
        if error.hint:
            sys.stderr.write(f"        {error.hint}\n")
        return EXIT_CODES.get(error.code, EXIT_FAILED)
    except UnicodeDecodeError as error:
        sys.stderr.write(f"palimp: What came from stdin is no UTF-8 text (byte {error.start + 1} of it).\n")
        sys.stderr.write("        Convert it first (iconv), or leave that out.\n")
        return EXIT_CODES[ErrorCode.BAD_REQUEST]
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output left (`palimp list | head`): end quietly, also at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _set_encodings(stdin: Any, stdout: Any) -> None:
    """Read UTF-8, whatever the locale says; of what the terminal cannot show write the numbers, as stderr does."""
    if isinstance(stdin, io.TextIOWrapper):
        stdin.reconfigure(encoding="utf-8", errors="strict")
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="backslashreplace")


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return what parses *arguments*: it knows the command that they name, or all when they name none."""
    parser = argparse.ArgumentParser(
        prog="palimp",
        description="A memory that lasts, shared by your coding agents' sessions.",
        epilog="Example: palimp add 'We use ZeroMQ because …' --kind decision; palimp search zeromq",
    )
    parser.add_argument("--version", action="version", version=f"palimp {__version__}")

    def list_commands(*_: object) -> int:
        parser.print_help(sys.stderr)
        return EXIT_CODES[ErrorCode.BAD_REQUEST]

    parser.set_defaults(run=list_commands)
    commands = parser.add_subparsers(required=bool(arguments), metavar="COMMAND")
    named = arguments[0] if arguments else ""
    for name in [named] if named in (*COMMANDS, *MODULES) else COMMANDS:
        module: Any = importlib.import_module(f"palimp_shim.cli.{MODULES.get(name, name)}")
        module.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
