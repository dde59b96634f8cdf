"""`palimp uninstall`: every file as it was before `palimp install`."""

import argparse
import shutil
import sys
from collections.abc import Mapping

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.paths import config_path, state_directory
from palimp_shim.cli.arguments import Commands
from palimp_shim.cli.output import print_line
from palimp_shim.cli.stop import stop_daemon
from palimp_shim.install import systemd
from palimp_shim.install.clients import CLIENTS
from palimp_shim.install.files import installed_clients, undo


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "uninstall",
        help="take palimp out of all clients, or one",
        description=(
            "Restore every file that `palimp install` changed to the byte; where somebody else has written to one"
            " since, take out of it exactly what was put in, and say so. The memories are kept, unless --purge-data is"
            " given."
        ),
        epilog="Example: palimp uninstall",
    )
    parser.add_argument("--client", choices=CLIENTS, help="only out of this one")
    parser.add_argument("--purge-data", action="store_true", help="delete all memories and settings, too")
    parser.add_argument("--yes", action="store_true", help="with --purge-data: do not ask")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Take back what was done."""
    if options.purge_data:
        _confirm(options, env)
    clients = [options.client] if options.client else installed_clients(env) or list(CLIENTS)
    done = [line for name in clients if name != systemd.NAME for line in undo(CLIENTS[name].present(env), name, env)]
    if systemd.NAME in clients:
        done += _without_units(env)
    for line in done:
        print_line(line)
    if not done:
        print_line(f"palimp was in no file of {options.client or 'any client'}.")
    if options.purge_data:
        _purge(env)
    else:
        print_line(f"The memories are kept, in {state_directory(env)}.")
    return 0


def _without_units(env: Mapping[str, str]) -> list[str]:
    """Take the units out of the user's systemd; return what was done, a line each."""
    done: list[str] = []
    try:
        systemd.check_manager(env)
        is_there = True
    except PalimpError:
        is_there = False
        done.append("No systemd user manager answers: what it knows of palimp, it forgets when it starts again.")
    if is_there:
        systemd.disable(env)
    done += undo(systemd.present(env), systemd.NAME, env)
    if is_there:
        systemd.reload(env)
    return done


def _confirm(options: argparse.Namespace, env: Mapping[str, str]) -> None:
    if options.yes:
        return
    if sys.stdin.isatty():
        sys.stderr.write(f"All memories in {state_directory(env)} will be gone for good. Type yes to go on: ")
        sys.stderr.flush()
        if sys.stdin.readline().strip() == "yes":
            return
    raise PalimpError(ErrorCode.BAD_REQUEST, "Nothing was deleted.", "--purge-data needs a yes, or --yes.")


def _purge(env: Mapping[str, str]) -> None:
    """Stop the daemon and delete what palimp keeps."""
    stop_daemon(env)
    for path in (state_directory(env), config_path(env).parent):
        if path.exists():
            shutil.rmtree(path)
            print_line(f"{path} is deleted.")
