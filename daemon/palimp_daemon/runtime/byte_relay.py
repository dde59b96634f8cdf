"""Bytes carried from one connection to another, by the doors that bound how many come in."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio

CHUNK_BYTES: Final = 65_536
"""Read at once: what a Unix socket holds by default is three times that."""


async def carry_both_ways(
    one: trio.SocketStream, other: trio.SocketStream, note: Callable[[], None] = lambda: None
) -> None:
    """Carry what *one* and *other* say to one another until either is closed; call *note* when something is said."""
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
