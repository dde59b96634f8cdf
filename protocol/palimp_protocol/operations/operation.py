"""A row in the table of operations."""

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from palimp_protocol.messages.access import Access

Toolset = Literal["memory", "docs", "changes", "upkeep"]

FOR_TERMINALS: Final = frozenset({"mark", "offset", "client", "author"})
"""Arguments for a person's lists only: agents search, and each costs them tokens in every session."""


def writes(_: Any) -> Access:
    """Return Access.WRITE."""
    return Access.WRITE


def reads(_: Any) -> Access:
    """Return Access.READ."""
    return Access.READ


def touches_nothing(_: Any) -> Access:
    """Return Access.NONE."""
    return Access.NONE


def always(_: Any) -> bool:
    """Return True."""
    return True


class Operation(Struct, frozen=True):
    """An operation: types, use of the store, and description for models."""

    name: str
    title: str
    request: type[Struct]
    reply: type[Struct]
    description: str
    access: Callable[[Any], Access] = touches_nothing
    toolset: Toolset = "memory"
    is_tool: bool = True
    """False: for the terminal only, not for agents."""
    read_only: bool = False
    """For agents' clients, as `destructive` is."""
    destructive: bool = False
    refused_to_agents: Callable[[Any], str] = lambda _: ""
    """Return why agents, unlike people, may not make a request; empty: they may."""
    is_slow: Callable[[Any], bool] = lambda _: False
    """Whether a request may take longer than a relay waits (a large store, thousands of new documents, a user's
    program); the relay is then told of progress.
    """
    checks_repository: bool = True
    """Whether the daemon first checks that the caller's folder still holds its memories' repository. False: irrelevant,
    or done by the handler.
    """
