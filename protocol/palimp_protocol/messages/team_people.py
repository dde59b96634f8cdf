"""Messages about a team's people, each with a database login."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

TeamRole = Literal["reader", "writer", "admin"]


class TeamPeople(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List people, let one in, shut one out, or trust one here."""

    action: Literal["members", "invite", "revoke", "trust", "distrust"] = "members"
    login: Annotated[str, Meta(max_length=63)] = ""
    """Name of the login; not with `members`."""
    role: TeamRole = "writer"
    is_only_here: bool = False
    """With `invite` and `revoke`: in this project alone."""


class TeamPerson(Struct, frozen=True, kw_only=True):
    """A login's role in a project."""

    login: str
    role: str
    project: str
    """Empty: in all."""
    invited_by: str
    invited_at: int
    """In Unix milliseconds."""
    machines: int
    is_revoked: bool = False
    is_you: bool = False
    is_trusted: bool = False
    """Whether sessions on this machine get this login's memories unasked."""


class TeamInvitation(Struct, frozen=True, kw_only=True):
    """Everything needed to join."""

    address: str
    password: str
    """Empty: the login existed, with its own password."""


class TeamPeopleList(Struct, frozen=True, kw_only=True):
    """The people of a team."""

    people: list[TeamPerson]
    invitation: TeamInvitation | None = None
