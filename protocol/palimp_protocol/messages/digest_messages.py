"""Messages of a project's digest."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.project_messages import Day


class Summarize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sum up the project's memories."""

    since: Day | None = None
    until: Annotated[str, Meta(min_length=2, max_length=20)] | None = None
    tokens: Annotated[
        int, Meta(ge=limits.DIGEST_TOKENS_MIN, le=limits.DIGEST_TOKENS_MAX, description="Budget of the answer.")
    ] = limits.DIGEST_TOKENS


class Summarized(Struct, frozen=True, kw_only=True):
    """A digest. Times are Unix milliseconds."""

    text: str
    """Markdown; empty: nothing is known of that time."""
    memories: int
    new: int = 0
    """Saved since the last digest."""
    last_at: int | None = None
    """Of the last digest, if any."""
    notes: list[str] = []
