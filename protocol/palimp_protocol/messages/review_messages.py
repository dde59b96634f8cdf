"""Messages of reviewing proposals, and often overruled rules."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memory_messages import IdPrefix, Memory, SaidBy, Similar


class Review(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep or drop proposals; list waiting ones."""

    keep: Annotated[list[IdPrefix], Meta(max_length=limits.REVIEWED_MAX)] = []
    drop: Annotated[list[IdPrefix], Meta(max_length=limits.REVIEWED_MAX)] = []
    here: Annotated[list[IdPrefix], Meta(max_length=limits.REVIEWED_MAX)] = []
    """Keep these in the project, though stated for all projects."""
    limit: Annotated[int, Meta(ge=1, le=limits.REVIEWED_MAX)] = limits.REVIEWED_MAX
    """Proposals in the reply, the last ones."""
    disputes: bool = False
    """Whether memories that disagree are listed, too."""


class Dispute(Struct, frozen=True, kw_only=True):
    """Two memories that hold and disagree, both whole."""

    link: str
    """Its name: after `palimp undo link12` both hold without it."""
    newer: Memory
    older: Memory
    said_by: SaidBy
    said: str = ""


class Reviewed(Struct, frozen=True, kw_only=True):
    """Kept or dropped proposals, and waiting ones."""

    proposals: list[Memory]
    """Whole, the last first."""
    total: int
    kept: list[Similar] = []
    """Those for all projects are now in the global scope."""
    kept_here: list[Similar] = []
    dropped: list[Similar] = []
    """Purged: `palimp restore` brings them back."""
    unknown: list[str] = []
    """Ids not found here, each with the reason."""
    unchanged: list[str] = []
    """Ids confirmed, dropped or replaced before."""
    disputes: list[Dispute] = []
    """Of the project and of all projects, the last first; at most REVIEWED_MAX."""
