"""Messages of listing tags."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memory_messages import Scope


class ListTags(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the tags of memories."""

    scope: Scope = "project"
    limit: Annotated[int, Meta(ge=1, le=limits.TAGS_LISTED_MAX)] = limits.TAGS_LISTED_MAX


class TagCount(Struct, frozen=True):
    """A tag, and its number of memories."""

    tag: str
    count: int


class TagList(Struct, frozen=True, kw_only=True):
    """Tags, the most frequent first."""

    tags: list[TagCount]
    total: int
