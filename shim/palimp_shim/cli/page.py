"""`palimp page`: show memories in the browser."""

import os
import sys
import webbrowser
from collections.abc import Mapping
from typing import Final

from palimp_protocol.messages.introspection import PageAddress
from palimp_shim.cli.arguments import refuse_agents
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import print_line, print_notes, print_remark

OF_PERSONS: Final = "Only a person opens the page: what is done there counts as theirs"


@command(
    "page",
    "Look at memories in the browser: what holds now, each memory with its history, what was done and by whom; edit,"
    " pin, mute, purge and restore them, and undo any of it. The daemon serves it on 127.0.0.1, to nobody but you, and"
    " closes it after 30 minutes without use. The address that opens it is good once, for a minute. From another"
    " machine, forward the port: `ssh -L N:127.0.0.1:N HOST`, and there `palimp page --print --port N`.",
    flag("--print", "print the address instead of opening a browser", "is_printed"),
    argument("--port", type=int, metavar="N", help="the port of this time (default: that of page.port)"),
    argument("--open", metavar="ID", sets="id", dest="id", help="open it at a memory"),
    example="palimp page; palimp page --open m1rv7je2; palimp page --print --port 8430",
)
def run(typed: Invocation) -> None:
    """Have the page served, and open it."""
    refuse_agents(typed, OF_PERSONS)
    reply: PageAddress = typed.answer()
    if not typed.is_json:
        show_in_browser(reply, typed.env, is_printed=typed.options.is_printed)


def show_in_browser(address: PageAddress, env: Mapping[str, str], *, is_printed: bool = False) -> None:
    """Open *address* in the browser; without one, or if *is_printed*, print it."""
    print_notes(*address.notes)
    if is_printed or not _opens(address.url, env):
        print_line(address.url)
        print_remark(f"It opens the page once, within {address.seconds} seconds.")
    else:
        print_line(f"Opened {address.page} in the browser.")


def _opens(url: str, env: Mapping[str, str]) -> bool:
    has_screen = sys.platform == "darwin" or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))
    if not has_screen or env.get("SSH_CONNECTION"):
        return False
    null = os.open(os.devnull, os.O_RDWR)
    saved = os.dup(1)
    try:  # a browser writes to the terminal what nobody asked for
        os.dup2(null, 1)
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
    finally:
        os.dup2(saved, 1)
        os.close(saved)
        os.close(null)
