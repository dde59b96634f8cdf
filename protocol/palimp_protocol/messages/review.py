"""Request and reply of a look at proposals: memories that capture found and nobody confirmed yet."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memories import IdPrefix, Memory, Similar


class Review(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep or drop proposals, and say which wait."""

    keep: Annotated[list[IdPrefix], Meta(max_length=limits.REVIEWED_MAX)] = []
    drop: Annotated[list[IdPrefix], Meta(max_length=limits.REVIEWED_MAX)] = []
    limit: Annotated[int, Meta(ge=1, le=limits.REVIEWED_MAX)] = limits.REVIEWED_MAX
    """Proposals that are named in the reply, the last ones."""


class Reviewed(Struct, frozen=True, kw_only=True):
    """What was kept and dropped, and what waits still."""

    proposals: list[Memory]
    """Whole, the last one first."""
    total: int
    """How many wait."""
    kept: list[Similar] = []
    dropped: list[Similar] = []
    """They are purged: `palimp restore` brings them back."""
    unknown: list[str] = []
    """Ids that name nothing here, with the reason."""
    unchanged: list[str] = []
    """Ids that are no proposals that wait: confirmed, dropped or replaced before."""
