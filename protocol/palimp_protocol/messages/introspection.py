"""Requests and replies about the interfaces of palimp: what clients see of it, and whether it is served over HTTP."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Tools(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask what tools clients see."""


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool as clients see it, and what its entry in the list costs."""

    name: str
    toolset: str
    description: str
    parameters: list[str]
    characters: int
    tokens: int


class ToolList(Struct, frozen=True, kw_only=True):
    """The tools that clients see in this project."""

    tools: list[ListedTool]
    characters: int
    tokens: int
    left_out: list[str] = []
    """Tools that `mcp.toolsets` leaves out."""


class Http(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Look at, enable or disable HTTP, or make a new token."""

    action: Literal["status", "enable", "disable", "new_token"] = "status"
    port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    """With `enable`: the port to be used from now on."""


class HttpStatus(Struct, frozen=True, kw_only=True):
    """Whether palimp is served over HTTP."""

    is_enabled: bool
    url: str = ""
    """Where it is served now; empty: nowhere."""
    problem: str = ""
    """Why it is not served though it is enabled."""
    token_file: str = ""
    token: str = ""
    """The token, only when it was made just now."""
