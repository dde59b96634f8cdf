"""Who asks: the project and the session of a call."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from palimp_protocol.limits import SESSION_CHARACTERS_MAX, ZONE_CHARACTERS_MAX


class ProjectRef(Struct, frozen=True):
    """The project a call belongs to, as the client resolved it."""

    root: Annotated[str, Meta(min_length=1, max_length=4096)]
    name: Annotated[str, Meta(max_length=255)]
    tree: Annotated[str, Meta(max_length=4096)] = ""
    """The worktree that the client stands in, whose documents are meant; empty: *root*."""


class SessionRef(Struct, frozen=True):
    """The session a call belongs to: *key* is unique per client process, *client* names the program."""

    key: Annotated[str, Meta(min_length=1, max_length=SESSION_CHARACTERS_MAX)]
    client: Annotated[str, Meta(max_length=100)] = ""


class Caller(Struct, frozen=True):
    """Who asks. No *project* is the global scope."""

    project: ProjectRef | None = None
    session: SessionRef | None = None
    zone: Annotated[str, Meta(max_length=ZONE_CHARACTERS_MAX)] = ""
    """The time zone it is in (`palimp_protocol.env.zone`); empty: that of whoever answers."""


class Call(Struct, frozen=True):
    """The body of a REQUEST frame."""

    operation: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    caller: Caller = Caller()
    store: str = ""
    """Which store is meant (`palimp_protocol.env.address`); empty: that of whoever listens."""
