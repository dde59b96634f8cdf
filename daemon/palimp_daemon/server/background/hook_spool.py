"""Read files of hooks that no daemon answered in time."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.runtime.log import Log
from palimp_protocol.env import clock
from palimp_protocol.env.plain_files import NOT_PLAIN, read_bounded
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.limits import FRAME_BYTES_MAX
from palimp_protocol.messages.hook_messages import Hook
from palimp_protocol.operations import operation_named
from palimp_protocol.text import shown_name
from palimp_protocol.wire.decoding import decode_arguments, decode_call

LOOK_S: Final = 5.0
"""Seconds between two looks into the folder."""

TAKEN_AT_ONCE: Final = 200

HALF_WRITTEN_S: Final = 600.0
"""Seconds after which an incomplete record is a killed hook's; a write takes milliseconds."""


async def take_in(folder: Path, dispatcher: Dispatcher, log: Log) -> None:
    """Take in files in *folder* as they come, until cancelled."""
    while True:
        for file in await trio.to_thread.run_sync(_waiting, folder):
            await _take(file, dispatcher, log)
        await trio.sleep(LOOK_S)


def _waiting(folder: Path) -> list[Path]:
    try:
        for partial_file in folder.glob("*.partial"):
            if clock.seconds_since(partial_file.stat().st_mtime) > HALF_WRITTEN_S:
                partial_file.unlink(missing_ok=True)
        return sorted(folder.glob("*.json"))[:TAKEN_AT_ONCE]
    except OSError:
        return []


async def _take(file: Path, dispatcher: Dispatcher, log: Log) -> None:
    try:
        body = await trio.to_thread.run_sync(partial(read_bounded, file, FRAME_BYTES_MAX, follows_links=False))
        request_id = bytes.fromhex(file.stem.partition("-")[2])
        call = decode_call(body)
        request = decode_arguments(operation_named(call.operation), bytes(call.arguments))
        if not isinstance(request, Hook):
            raise RequestError(f"{call.operation} is no hook.")
    except OSError as error:
        if error.errno in NOT_PLAIN:
            await _set_aside(file, error, log)
        return
    except (PalimpError, ValueError) as error:
        await _set_aside(file, error, log)
        return
    try:
        await dispatcher.answer(operation_named("hook"), request, call.caller, request_id)
    except PalimpError:
        return  # the store cannot take it now; it stays
    with suppress(OSError):  # it is taken in again, and known by its id
        await trio.to_thread.run_sync(partial(file.unlink, missing_ok=True))


async def _set_aside(file: Path, why: Exception, log: Log) -> None:
    log("spooled_record_refused", file=shown_name(file.name), why=str(why)[:200])
    with suppress(OSError):  # a disk that cannot be written: it is refused again
        await trio.to_thread.run_sync(file.rename, file.with_suffix(".refused"))
