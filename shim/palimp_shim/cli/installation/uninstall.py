"""`palimp uninstall`: restore files from before `palimp install`."""

import argparse
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from palimp_clients.claude_code import install as claude_code
from palimp_clients.claude_code.project_file import project_in_journal
from palimp_clients.install.client_files import installed_clients, undo
from palimp_clients.installers import CLIENTS
from palimp_protocol.env.paths import config_path, database_path, is_own_name, state_directory
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.team_messages import Team, TeamStatus
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import count_of
from palimp_shim.cli.arguments import confirm
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.installation.install import client_of
from palimp_shim.cli.installation.stop import stop_daemon
from palimp_shim.cli.output import print_line, print_remark
from palimp_shim.install import systemd
from palimp_shim.transport.daemon_client import Client

RUN: Final = "run"
"""Folder of sockets in the data folder; others use the name, too."""


@command(
    "uninstall",
    "Restore every file that `palimp install` changed to the byte; where somebody else has written to one since, remove"
    " from it exactly what was put in, and say so. The memories are kept, unless --purge-data is given.",
    argument("--client", choices=CLIENTS, help="only from this one"),
    argument(
        "--scope", choices=("user", "project"), default="user", help="project: only from this project's .mcp.json"
    ),
    flag("--purge-data", "delete all memories and settings, too"),
    flag("--yes", "with --purge-data: do not ask"),
    example="palimp uninstall",
    scope=False,
    json=False,
)
def run(typed: Invocation) -> None:
    """Undo the installation."""
    options, env = typed.options, typed.env
    unsent = _not_sent(env) if options.purge_data else ""
    if options.purge_data and not options.yes:
        confirm(f"All memories in {state_directory(env)} will be gone for good.{unsent}", "--purge-data")
    elif unsent:
        print_remark(f"{unsent.strip()} They are lost with the data.")
    done = [line for name in _client_names(options, env) for line in _taken_out(name, env)]
    for line in done:
        print_line(line)
    if not done:
        print_line(f"palimp was in no file of {options.client or 'any client'}.")
    if options.purge_data:
        _purge(env)
        return
    if not options.client and options.scope == "user" and (stopped := stop_daemon(env)):
        print_line(f"The daemon (pid {stopped.pid}) is stopped; a session that is still open starts it again.")
    print_line(f"The memories are kept, in {state_directory(env)}.")


def _client_names(options: argparse.Namespace, env: Mapping[str, str]) -> list[str]:
    if options.scope == "project":
        options.client = options.client or claude_code.NAME
        return [client_of(options, env)[0]]
    return [options.client] if options.client else installed_clients(env) or list(CLIENTS)


def _taken_out(name: str, env: Mapping[str, str]) -> list[str]:
    if name == systemd.NAME:
        return _without_units(env)
    client = project_in_journal(name) or CLIENTS.get(name)
    return undo(client.present(env), name, env) if client else []


def _without_units(env: Mapping[str, str]) -> list[str]:
    done: list[str] = []
    try:
        systemd.check_manager(env)
        is_there = True
    except PalimpError:
        is_there = False
        done.append("No systemd user manager answers; it forgets palimp's units when it starts again.")
    if is_there:
        systemd.disable(env)
    done += undo(systemd.present(env), systemd.NAME, env)
    if is_there:
        systemd.reload(env)
    return done


def _not_sent(env: Mapping[str, str]) -> str:
    if not Path(database_path(env)).exists():
        return ""
    try:
        status: TeamStatus = Client(env).call(OPERATIONS["team"], Team(), Caller())
    except PalimpError:
        return ""
    count = sum(project.not_sent for project in status.projects)
    return f" {count_of(count, 'change')} of yours not sent to the team: `palimp team sync --now`." if count else ""


def _purge(env: Mapping[str, str]) -> None:
    stop_daemon(env)
    settings = Path(config_path(env))
    for folder, more in ((Path(state_directory(env)), ""), (settings.parent, settings.name)):
        if folder.is_dir():
            is_gone = _remove_own(folder, more)
            kept = f"What palimp kept in {folder} is deleted; what else is in it stays."
            print_line(f"{folder} is deleted." if is_gone else kept)


def _remove_own(folder: Path, more: str = "") -> bool:
    """Remove palimp's files, and an empty folder: PALIMP_HOME may hold others, or be a link."""
    for each in [*folder.iterdir()]:
        if not is_own_name(each.name) and each.name != more:
            continue
        if each.is_symlink() or not each.is_dir():
            each.unlink()
        elif each.name == RUN:
            _remove_own(each)
        else:
            shutil.rmtree(each)
    is_empty = not any(folder.iterdir())
    if is_empty:
        with suppress(OSError):  # a link leads to another place
            folder.rmdir()
    return is_empty
