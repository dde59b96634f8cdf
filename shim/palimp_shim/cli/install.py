"""`palimp install`: palimp in a client's files."""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_shim.cli.arguments import Commands
from palimp_shim.cli.output import print_line, print_remark
from palimp_shim.install import claude_code
from palimp_shim.install.clients import CLIENTS
from palimp_shim.install.files import apply, difference


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "install",
        help="put palimp into Claude Code, or another client",
        description=(
            "Register palimp with Claude Code for this user: the MCP server, the hooks, a skill, and the commands"
            " /recall and /remember. Files are changed in place, with everything else in them as it was; `palimp"
            " uninstall` takes it all back. A second time changes nothing."
        ),
        epilog="Example: palimp install --dry-run; palimp install; palimp install --client codex",
    )
    parser.add_argument(
        "--client",
        choices=CLIENTS,
        default=claude_code.NAME,
        help="the client (default claude-code); others get the server",
    )
    parser.add_argument("--dry-run", action="store_true", help="only print what would be changed, as a diff")
    parser.add_argument("--list", dest="is_list", action="store_true", help="only say what is found and registered")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Decide what is to be changed, and print it or do it."""
    if options.is_list:
        for name, each in CLIENTS.items():
            there = "found" if each.is_there(env) else "-"
            print_line(f"{name:<15} {there:<6} {'registered' if each.is_installed(env) else '-'}")
        return 0
    changes, said = CLIENTS[options.client].changes(env, programs_folder())
    for remark in said:
        print_remark(remark)
    if options.dry_run:
        print_line(difference(changes) or "Nothing would be changed.")
        return 0
    if not changes:
        print_line(f"palimp is in {options.client} already; nothing was changed.")
        return 0
    apply(changes, options.client, env)
    for change in changes:
        print_line(f"{'made   ' if change.before is None else 'changed'}  {change.path}")
    print_line(f"palimp is in {options.client}: start a session anywhere. `palimp uninstall` takes it back.")
    return 0


def programs_folder() -> Path:
    """Return the folder of our commands: absolute, so that they are found without a PATH.

    Raises:
        PalimpError: they are nowhere.
    """
    for folder in (Path(sys.argv[0]).absolute().parent, Path(sys.executable).parent):
        if (folder / "palimp-shim").is_file() and (folder / "palimp").is_file():
            return folder
    if found := shutil.which("palimp-shim"):
        return Path(found).absolute().parent
    text = "The command palimp-shim is not installed."
    raise PalimpError(ErrorCode.BAD_REQUEST, text, "Install palimp with pip or uv.")
