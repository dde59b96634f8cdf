"""Notify clients of changed lists: resources of a worktree, tools of another palimp version.

Clients of the handshake era are notified; those of the stateless era listen.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.messages.caller import Caller

NOTIFICATION: Final = b'{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'
TOOLS_CHANGED: Final = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'

GREETED_MAX: Final = 1_000
"""Sessions to be told of new tools; a user has tens."""


class _Greeting:
    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus

    async def publish(self, event: ServerEvent) -> None:
        await self._bus.publish(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        unsubscribe = self._bus.subscribe(listener)
        listener(ToolsListChanged())  # kept until the subscription is acknowledged
        return unsubscribe


class Changed:
    """The sessions to notify, by worktree."""

    def __init__(self) -> None:
        self._sessions: defaultdict[str, set[Callable[[bytes], None]]] = defaultdict(set)
        self._buses: dict[str, tuple[InMemorySubscriptionBus, ListenHandler]] = {}
        self._listening: defaultdict[str, int] = defaultdict(int)
        self._to_greet: BoundedDict[str, None] = BoundedDict(GREETED_MAX)
        """Sessions served by another version before, oldest first."""

    @contextmanager
    def notifying(self, caller: Caller, tell: Callable[[bytes], None]) -> Generator[None]:
        """Call *tell* with each notification for *caller*'s worktree, inside the `with` block."""
        tree = caller.tree
        self._sessions[tree].add(tell)
        try:
            yield
        finally:
            self._sessions[tree].discard(tell)
            if not self._sessions[tree]:
                del self._sessions[tree]

    def greet(self, caller: Caller) -> None:
        """Announce new tools to *caller*'s session when it listens next."""
        if caller.session:
            self._to_greet[caller.session.key] = None

    async def listen(
        self, caller: Caller, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve a stream of the stateless era until its client leaves."""
        tree = caller.tree
        if tree not in self._buses:
            bus = InMemorySubscriptionBus()
            self._buses[tree] = (bus, ListenHandler(bus))
        self._listening[tree] += 1
        bus, handler = self._buses[tree]
        if caller.session and caller.session.key in self._to_greet:
            del self._to_greet[caller.session.key]
            handler = ListenHandler(_Greeting(bus))
        try:
            return await handler(context, params)
        finally:
            self._listening[tree] -= 1
            if not self._listening[tree]:
                del self._listening[tree], self._buses[tree]

    async def resources(self, caller: Caller) -> None:
        """Notify *caller*'s worktree of changed resources."""
        tree = caller.tree
        for tell in list(self._sessions.get(tree, ())):
            tell(NOTIFICATION)
        if tree in self._buses:
            await self._buses[tree][0].publish(ResourcesListChanged())
