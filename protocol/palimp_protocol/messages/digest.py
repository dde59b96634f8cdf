"""Requests and replies of the digest of a project."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.projects import Day


class Summarize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sum up what is known of the project."""

    since: Day | None = None
    until: Annotated[str, Meta(min_length=2, max_length=20)] | None = None
    tokens: Annotated[
        int, Meta(ge=limits.DIGEST_TOKENS_MIN, le=limits.DIGEST_TOKENS_MAX, description="Budget of the answer.")
    ] = limits.DIGEST_TOKENS


class Summarized(Struct, frozen=True, kw_only=True):
    """A digest. Times are Unix milliseconds."""

    text: str
    """The digest in markdown; empty: nothing is known of that time."""
    memories: int
    """How many memories of the time it sums up."""
    new: int = 0
    """How many of them were saved since the last digest."""
    last_at: int | None = None
    """When the last digest was made, if ever."""
    notes: list[str] = []
