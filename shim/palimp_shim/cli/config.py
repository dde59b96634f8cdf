"""`palimp config`: show and change settings, unset them."""

import argparse
from collections.abc import Mapping

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.settings import Configure, SettingInForce, Settings, SettingsFile, value_text
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line, quoted
from palimp_shim.cli.arguments import Commands, add_subcommand, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark, print_text
from palimp_shim.cli.tables import print_labelled
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its subcommands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "config",
        help=SUMMARIES["config"],
        description="Look at palimp's settings, set them, or take them back. docs/reference/settings.md explains each.",
        epilog="Example: palimp config set changes.on_return note; palimp config list --show-origin",
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = add_subcommand(subcommands, "list", "all settings", _list, "--show-origin")
    listing.add_argument("--show-origin", action="store_true", help="where each value comes from")
    add_subcommand(subcommands, "get", "the value of one", _get, "mcp.format").add_argument("key", metavar="KEY")
    for name, text, run, example in (
        ("set", "set one", _set, "changes.on_return note"),
        ("unset", "take one out of the file", _unset, "changes.on_return"),
    ):
        change = add_subcommand(subcommands, name, text, run, example)
        change.add_argument("key", metavar="KEY", help="such as mcp.format")
        if name == "set":
            change.add_argument("value", metavar="VALUE", nargs="+", help="of a list, one argument per text")
        change.add_argument(
            "--in-project", action="store_true", help="in the project's .palimp/config.toml instead of your own file"
        )


def _list(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    reply = _call(options, env, Configure())
    if options.is_json:
        print_json(reply)
        return 0
    width = max(len(each.key) for each in reply.settings)
    for each in reply.settings:
        origin = f"  {_origin(each, reply)}" if options.show_origin else ""
        remark = f"  ({each.remark})" if each.remark else ""
        style = "bold" if each.origin != "default" else ""
        print_labelled([(f"{each.key:<{width}} ", style)], f"{one_line(value_text(each.value))}{origin}{remark}")
    _remarks(reply)
    return 0


def _origin(setting: SettingInForce, reply: Settings) -> str:
    return {"user": reply.user_file, "project": reply.project_file}.get(setting.origin, setting.origin)


def _get(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    reply = _call(options, env, Configure(key=options.key))
    if options.is_json:
        print_json(reply)
    else:
        print_text(value_text(reply.settings[0].value, "\n"))
    _remarks(reply)
    return 0


def _set(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    return _change(options, env, Configure(key=options.key, value="\n".join(options.value), file=_file(options)))


def _unset(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    return _change(options, env, Configure(key=options.key, unset=True, file=_file(options)))


def _change(options: argparse.Namespace, env: Mapping[str, str], request: Configure) -> int:
    reply = _call(options, env, request)
    if options.is_json:
        print_json(reply)
        return 0
    now = reply.settings[0]
    print_line(f"{reply.done}; it is {quoted(value_text(now.value))} now.")
    if now.remark:
        print_remark(f"The change {now.remark}.")
    _remarks(reply)
    return 0


def _file(options: argparse.Namespace) -> SettingsFile:
    return "project" if options.in_project else "user"


def _call(options: argparse.Namespace, env: Mapping[str, str], request: Configure) -> Settings:
    if request.key == "":
        raise PalimpError(ErrorCode.BAD_REQUEST, "The key is empty.", "`palimp config list` names all.")
    return Client(env).call(OPERATIONS["config"], request, caller_from(options, env))


def _remarks(reply: Settings) -> None:
    for note in reply.notes:
        print_remark(note)
