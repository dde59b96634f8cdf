"""The offer of `palimp install` to read clients' earlier sessions."""

import os
import sys
from collections.abc import Mapping
from typing import Final

from palimp_protocol.env.paths import home_directory
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.conversation_messages import Conversations, ConversationStatus
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import count_of
from palimp_shim.cli.output import print_line, print_remark
from palimp_shim.cli.sessions.conversations import (
    AGAIN,
    STATUS_S,
    left_over,
    megabytes,
    print_read,
    print_status,
    read_all,
)
from palimp_shim.transport.daemon_client import Client

FOLDERS: Final = (
    ".claude/projects",
    ".codex/sessions",
    ".copilot/session-state",
    ".gemini/tmp",
    ".qwen/projects",
    ".local/share/opencode",
)
"""Clients' default places for sessions, in the home folder: enough to decide on the offer."""

HOW: Final = "`palimp conversations --read` reads your earlier sessions, so that recall finds what was said in them."


def offer(wanted: bool | None, env: Mapping[str, str]) -> None:  # noqa: FBT001  an option's value
    """Read clients' sessions if *wanted*; if None, ask on a terminal, else print how."""
    if wanted is False or not any(os.path.isdir(os.path.join(home_directory(env), each)) for each in FOLDERS):  # noqa: PTH112, PTH118
        return
    is_asked = sys.stdin.isatty() and sys.stdout.isatty()
    if wanted is None and not is_asked:
        print_remark(HOW)
        return
    try:
        client = Client(env, deadline_s=STATUS_S)
        status: ConversationStatus = client.call(OPERATIONS["conversations"], Conversations(), Caller())
        if not (status.found and status.is_on):
            return
        if wanted is None and not _is_agreed(status):
            print_line(HOW)
            return
        print_line(
            "The daemon reads them in the background; you may interrupt this. `palimp conversations` shows progress."
        )
        reading = read_all(client)
        print_read(reading)
        print_status(reading.status)
        if reading.left:
            print_remark(left_over(reading), AGAIN)
    except PalimpError as error:
        print_remark(f"Earlier sessions were not read: {error.text} {HOW}")


def _is_agreed(status: ConversationStatus) -> bool:
    print_line("Sessions that clients keep on this machine:")
    for each in status.found:
        print_line(f"  {each.client}: {count_of(each.sessions, 'session')}, {megabytes(each.size)}")
    print_line(
        "palimp can read what you and the agents said in them, so that recall finds it where no memory answers. It"
        " leaves out the output of tools and redacts secrets."
    )
    print_line("The text stays on this machine. `palimp delete --hard --conversations` erases it, project by project.")
    try:
        return input("Read them now? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
