"""Relay bytes between two connections."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio

CHUNK_BYTES: Final = 65_536
"""Bytes read at once: a Unix socket holds three times that by default."""


async def carry_both_ways(
    one: trio.SocketStream, other: trio.SocketStream, note: Callable[[], None] = lambda: None
) -> None:
    """Relay bytes both ways until either side closes; call *note* for each chunk."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_carry, one, other, nursery.cancel_scope, note)
        nursery.start_soon(_carry, other, one, nursery.cancel_scope, note)


async def _carry(
    source: trio.SocketStream, sink: trio.SocketStream, over: trio.CancelScope, note: Callable[[], None]
) -> None:
    with suppress(trio.BrokenResourceError):
        while chunk := await source.receive_some(CHUNK_BYTES):
            note()
            await sink.send_all(chunk)
    over.cancel()
