"""A call's project and session."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from palimp_protocol.limits import SESSION_CHARACTERS_MAX, ZONE_CHARACTERS_MAX


class ProjectRef(Struct, frozen=True):
    """A call's project, as the client resolved it."""

    root: Annotated[str, Meta(min_length=1, max_length=4096)]
    name: Annotated[str, Meta(max_length=255)]
    tree: Annotated[str, Meta(max_length=4096)] = ""
    """The client's worktree, for its documents; empty: *root*."""


class SessionRef(Struct, frozen=True):
    """A call's session: *key* is unique per client process."""

    key: Annotated[str, Meta(min_length=1, max_length=SESSION_CHARACTERS_MAX)]
    client: Annotated[str, Meta(max_length=100)] = ""


class Caller(Struct, frozen=True):
    """A call's project and session; no *project*: the global scope."""

    project: ProjectRef | None = None
    session: SessionRef | None = None
    zone: Annotated[str, Meta(max_length=ZONE_CHARACTERS_MAX)] = ""
    """The caller's time zone (`palimp_protocol.env.zone`); empty: the daemon's."""

    @property
    def root(self) -> str:
        """The project's folder, or empty."""
        return self.project.root if self.project else ""

    @property
    def tree(self) -> str:
        """The project's worktree, else its folder, else empty."""
        return (self.project.tree or self.project.root) if self.project else ""

    @property
    def session_key(self) -> str:
        """The session's key, or empty."""
        return self.session.key if self.session else ""


class Call(Struct, frozen=True):
    """The body of a REQUEST frame."""

    operation: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    caller: Caller = Caller()
    store: str = ""
    """The wanted store (`palimp_protocol.env.address`); empty: the daemon's."""
