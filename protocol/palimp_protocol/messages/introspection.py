"""Messages about clients' tools, HTTP, and the page."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Tools(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask for the tools of clients."""


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool as clients see it, and its entry's size."""

    name: str
    toolset: str
    description: str
    parameters: list[str]
    characters: int
    tokens: int


class ToolList(Struct, frozen=True, kw_only=True):
    """Clients' tools in this project."""

    tools: list[ListedTool]
    characters: int
    tokens: int
    left_out: list[str] = []
    """Tools excluded by `mcp.toolsets`."""


class Http(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Look at, enable or disable HTTP, or renew its token."""

    action: Literal["status", "enable", "disable", "new_token"] = "status"
    port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    """With `enable`: the new port."""


class HttpStatus(Struct, frozen=True, kw_only=True):
    """State of HTTP."""

    is_enabled: bool
    url: str = ""
    """Its address; empty: not served."""
    problem: str = ""
    """Why it is not served though enabled."""
    token_file: str = ""
    token: str = ""
    """The token, if new."""


class Page(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Serve the page; ask for an address."""

    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None
    """Port for this time; None: the kept one."""
    id: Annotated[str, Meta(max_length=40)] = ""
    """Memory to show; empty: the project's first page."""


class PageAddress(Struct, frozen=True, kw_only=True):
    """An address of the page, good once."""

    url: str
    page: str
    """The page's own address, for an admitted browser."""
    seconds: int
    """Seconds that *url* is valid."""
    notes: list[str] = []
