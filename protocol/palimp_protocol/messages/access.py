"""A request's use of the store."""

from enum import StrEnum


class Access(StrEnum):
    """A request's use of the store."""

    READ = "read"
    WRITE = "write"
    NONE = "none"
    """Answered even if the store is unavailable."""
