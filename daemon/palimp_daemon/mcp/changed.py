"""Telling clients that their list of resources changed: a document was added, renamed or deleted.

Clients of the handshake era are sent a notification; those of the stateless era listen. Only those of the worktree
whose documents changed are told.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged

from palimp_protocol.operations import Caller

NOTIFICATION: Final = b'{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'


class Changed:
    """Who is to be told, by worktree."""

    def __init__(self) -> None:
        self._sessions: defaultdict[str, set[Callable[[bytes], None]]] = defaultdict(set)
        self._buses: dict[str, tuple[InMemorySubscriptionBus, ListenHandler]] = {}
        self._listening: defaultdict[str, int] = defaultdict(int)

    @contextmanager
    def told(self, caller: Caller, tell: Callable[[bytes], None]) -> Generator[None]:
        """Have *tell* called with each notification for *caller*'s worktree, until left."""
        tree = _tree(caller)
        self._sessions[tree].add(tell)
        try:
            yield
        finally:
            self._sessions[tree].discard(tell)
            if not self._sessions[tree]:
                del self._sessions[tree]

    async def listen(
        self, caller: Caller, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one stream of the stateless era until its client leaves."""
        tree = _tree(caller)
        if tree not in self._buses:
            bus = InMemorySubscriptionBus()
            self._buses[tree] = (bus, ListenHandler(bus))
        self._listening[tree] += 1
        try:
            return await self._buses[tree][1](context, params)
        finally:
            self._listening[tree] -= 1
            if not self._listening[tree]:
                del self._listening[tree], self._buses[tree]

    async def resources(self, caller: Caller) -> None:
        """Tell everybody of *caller*'s worktree that the list of resources changed."""
        tree = _tree(caller)
        for tell in list(self._sessions.get(tree, ())):
            tell(NOTIFICATION)
        if tree in self._buses:
            await self._buses[tree][0].publish(ResourcesListChanged())


def _tree(caller: Caller) -> str:
    return (caller.project.tree or caller.project.root) if caller.project else ""
