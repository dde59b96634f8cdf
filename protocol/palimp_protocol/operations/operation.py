"""A row in the table of operations."""

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from palimp_protocol.messages.access import Access

Toolset = Literal["memory", "docs", "changes", "upkeep"]


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
    """Its group in `mcp.toolsets`."""
    is_tool: bool = True
    """False: for the terminal only; agents do not get it."""
    read_only: bool = False
    """For agents' clients, as `destructive` is."""
    destructive: bool = False
    refused_to_agents: Callable[[Any], str] = lambda _: ""
    """Return why agents, unlike a person in the terminal, may not make a request; empty: they may."""
    is_slow: Callable[[Any], bool] = lambda _: False
    """Whether a request may take longer than a relay waits: a large store, thousands of documents read for the first
    time, a program of the user's. The relay is then told now and then that work goes on."""
    checks_repository: bool = True
    """Whether the daemon first checks that the caller's folder still holds the repository of its memories. False: it
    does not matter, or the handler checks it."""
