"""`palimp config`: show and change settings."""

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.setting_messages import Configure, Settings, value_text
from palimp_protocol.settings import SETTINGS
from palimp_protocol.text import one_line, quote_text
from palimp_shim.cli.arguments import refuse_agents
from palimp_shim.cli.command import Invocation, argument, choice, command, flag, group
from palimp_shim.cli.output import print_line, print_notes, print_remark, print_text
from palimp_shim.cli.tables import print_labelled

group(
    "config",
    "Look at palimp's settings, set them, or take them back. docs/reference/settings.md explains each.",
    "palimp config set changes.on_return note; palimp config list --show-origin",
)

KEY = argument("key", metavar="KEY", help="such as mcp.format")
IN_PROJECT = choice("--in-project", "in the project's .palimp/config.toml instead of your own file", "file", "project")


@command(
    "config list",
    "all settings",
    flag("--show-origin", "where each value comes from"),
    asks=("config",),
    example="--show-origin",
)
def list_all(typed: Invocation) -> None:
    """Print each setting's value."""
    reply: Settings = typed.answer(Configure())
    if typed.is_json:
        return
    width = max(len(each.key) for each in reply.settings)
    files = {"user": reply.user_file, "project": reply.project_file}
    for each in reply.settings:
        origin = f"  {files.get(each.origin, each.origin)}" if typed.options.show_origin else ""
        remark = f"  ({each.remark})" if each.remark else ""
        style = "bold" if each.origin != "default" else ""
        print_labelled([(f"{each.key:<{width}} ", style)], f"{one_line(value_text(each.value))}{origin}{remark}")
    print_notes(*reply.notes)


@command("config get", "the value of one", argument("key", metavar="KEY"), asks=("config",), example="mcp.format")
def get(typed: Invocation) -> None:
    """Print one setting's value."""
    reply = _answer(typed, typed.request())
    if not typed.is_json:
        print_text(value_text(reply.settings[0].value, "\n"))
    print_notes(*reply.notes)


@command("config unset", "take one out of the file", KEY, IN_PROJECT, asks=("config",), example="changes.on_return")
@command(
    "config set",
    "set one",
    KEY,
    argument("value", metavar="VALUE", nargs="+", help="of a list, one argument per text"),
    IN_PROJECT,
    asks=("config",),
    example="changes.on_return note",
    unset={"unset": "config unset"},
)
def change(typed: Invocation) -> None:
    """Set or unset a setting; print the value in force."""
    setting = SETTINGS.get(typed.options.key)
    if setting and setting.guarded:
        refuse_agents(typed, f"Only a person sets {setting.key}: {setting.guarded}")
    is_set = typed.name == "config set"
    fields = {"value": "\n".join(typed.options.value)} if is_set else {"unset": True}
    reply = _answer(typed, typed.request(**fields))
    if typed.is_json:
        return
    now = reply.settings[0]
    print_line(f"{reply.done}; it is {quote_text(value_text(now.value))} now.")
    if now.remark:
        print_remark(f"The change {now.remark}.")
    print_notes(*reply.notes)


def _answer(typed: Invocation, request: Configure) -> Settings:
    if request.key == "":
        raise PalimpError(ErrorCode.BAD_REQUEST, "The key is empty.", "`palimp config list` names all.")
    return typed.answer(request)
