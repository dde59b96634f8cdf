"""`palimp statusline`: Claude Code's status line, after every turn. It starts no daemon."""

import json
import os
import select
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from palimp_clients.hooks.event import mapping_of, object_in, text_of
from palimp_protocol.env import paths
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.env.state_folder import problem_with
from palimp_protocol.hooks import HOOKS_OFF, patience
from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.events.request import call_of
from palimp_shim.transport.connection import Connection
from palimp_shim.transport.dial import Dialer

ANSWER_S: Final = 0.3
"""Seconds for the daemon's answer: counting takes milliseconds, and a late line is useless."""

STDIN_S: Final = 1.0
"""Seconds for the client to name the session, which it has ready."""

STDIN_BYTES_MAX: Final = 256 * 1024
"""Bytes of the client's message, usually a kilobyte or two."""

COLUMNS: Final = 80
"""Width of a line if the variable COLUMNS is unset."""

CLIENT: Final = "claude-code"


class StatusLineInput(NamedTuple):
    """A client's words about the session."""

    folder: str
    session: str
    """Its id; empty: not told."""


def main() -> int:
    """Print the line, or nothing; always return 0."""
    with suppress(BaseException):  # a client's screen is no place for a traceback
        env = dict(os.environ)
        if not env.get(HOOKS_OFF) and not problem_with(env, user_id=os.getuid()):
            told = input_in(_read())
            counts = _ask_counts(told, env) if told else None
            line = line_of(counts, columns=_columns(env), is_plain=_is_plain(env)) if counts else ""
            if line:
                sys.stdout.buffer.write(line.encode() + b"\n")
                sys.stdout.buffer.flush()
    os._exit(0)  # without taking the interpreter down, a tenth of the time


def line_of(counts: Mapping[str, Any], *, columns: int, is_plain: bool) -> str:
    """Return *counts* within *columns*; empty where palimp is off."""
    if counts.get("is_off"):
        return ""
    memories, given, waiting = (_number(counts.get(name)) for name in ("memories", "given", "waiting"))
    parts = [f"{memories:,} {'memory' if memories == 1 else 'memories'}"]
    parts += [f"{given:,} given"] if given else []
    parts += [f"{waiting:,} to review"] if waiting else []
    while parts and len("palimp: " + ", ".join(parts)) > columns:
        parts.pop()
    if not parts:
        return ""
    if waiting and parts[-1].endswith("to review") and not is_plain:
        parts[-1] = f"\033[33m{parts[-1]}\033[0m"
    return "palimp: " + ", ".join(parts)


def input_in(data: bytes) -> StatusLineInput | None:
    """Parse the client's words; None: no JSON object, or no folder."""
    told = object_in(data)
    within = mapping_of(told, "workspace")
    # Where the session began: there its memories belong, wherever it went since.
    folder = text_of(within, "project_dir") or text_of(told, "cwd") or text_of(within, "current_dir")
    return StatusLineInput(folder, text_of(told, "session_id")) if folder else None


def _ask_counts(told: StatusLineInput, env: Mapping[str, str]) -> dict[str, Any] | None:
    project = project_from_directory(told.folder, paths.home_directory(env))
    connected = Dialer(env, honours_stop=True).connect() if project else None
    if project is None or connected is None:
        return None
    call = call_of("statusline", project, told.session, CLIENT, env)
    frame = Frame(Kind.REQUEST, os.urandom(16) + b"\0" * 8, json.dumps(call).encode())
    with Connection(connected) as connection:
        answer = connection.ask(frame, time.monotonic() + ANSWER_S * patience(env))
    return object_in(answer.body) if answer.kind is Kind.REPLY else None


def _read() -> bytes:
    ends_at = time.monotonic() + STDIN_S
    data = bytearray()
    while select.select([0], [], [], max(0.0, ends_at - time.monotonic()))[0]:
        chunk = os.read(0, 1 << 16)
        data += chunk
        if not chunk or len(data) > STDIN_BYTES_MAX:
            break
    return bytes(data) if len(data) <= STDIN_BYTES_MAX else b""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _columns(env: Mapping[str, str]) -> int:
    given = env.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) else COLUMNS


def _is_plain(env: Mapping[str, str]) -> bool:
    return bool(env.get("NO_COLOR")) or env.get("TERM") == "dumb"
