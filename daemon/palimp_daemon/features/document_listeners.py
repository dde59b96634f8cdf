"""Notify listeners of changes in a worktree's documents."""

from collections.abc import Awaitable, Callable

from palimp_protocol.messages.caller import Caller

Listener = Callable[[Caller], Awaitable[None]]
"""Called with the caller whose documents may have changed."""


class DocumentListeners:
    """Listeners; the MCP server, made on demand, subscribes late."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Add *listener*."""
        self._listeners.append(listener)

    async def tell(self, caller: Caller) -> None:
        """Notify all of a possible change of *caller*'s documents."""
        for listener in self._listeners:
            await listener(caller)
