"""What an operation is: the shape of a row of the table."""

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from palimp_protocol.messages.access import Access

Toolset = Literal["memory", "docs", "changes", "upkeep"]


def writes(_: Any) -> Access:
    """Say of any request that it writes."""
    return Access.WRITE


def reads(_: Any) -> Access:
    """Say of any request that it only reads."""
    return Access.READ


def touches_nothing(_: Any) -> Access:
    """Say of any request that the store is not asked by it, or only by what answers it."""
    return Access.NONE


def always(_: Any) -> bool:
    """Say yes of any request."""
    return True


def _never(_: Any) -> bool:
    return False


def _allowed(_: Any) -> str:
    return ""


class Operation(Struct, frozen=True, kw_only=True):
    """One operation: its types, what it does to the store, and what a model is told about it."""

    name: str
    request: type[Struct]
    reply: type[Struct]
    access: Callable[[Any], Access]
    description: str
    title: str
    toolset: Toolset = "memory"
    """The group that `mcp.toolsets` picks or leaves out."""
    is_tool: bool = True
    """False: for the terminal only; agents do not get it."""
    read_only: bool = False
    destructive: bool = False
    refused_to_agents: Callable[[Any], str] = _allowed
    """Why agents, unlike a person in the terminal, may not do what a request asks for; empty: they may."""
    is_slow: Callable[[Any], bool] = _never
    """Whether a request may take longer than a relay waits: a large store, thousands of documents that are read for the
    first time, a program of the user's. The relay is then told now and then that it is being worked on."""
    checks_repository: bool = True
    """Whether the daemon first makes sure that the caller's folder still holds the repository whose memories it is
    given. False: that does not matter, or what answers the operation looks at it itself."""
