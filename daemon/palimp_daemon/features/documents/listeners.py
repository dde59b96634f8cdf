"""Who wants to hear that the list of a worktree's documents may have changed."""

from collections.abc import Awaitable, Callable

from palimp_protocol.messages.caller import Caller

Listener = Callable[[Caller], Awaitable[None]]
"""Is awaited with the caller whose documents may have changed."""


class DocumentListeners:
    """The listeners. They come after the services are built: the MCP server is made when somebody needs it first."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Have *listener* told from now on."""
        self._listeners.append(listener)

    async def tell(self, caller: Caller) -> None:
        """Tell all that the list of *caller*'s documents may have changed."""
        for listener in self._listeners:
            await listener(caller)
