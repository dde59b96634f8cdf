"""What a request does to the store."""

from enum import StrEnum


class Access(StrEnum):
    """What a request does to the store."""

    READ = "read"
    WRITE = "write"
    NONE = "none"
    """It does not touch the store: answered even when the store is unavailable."""
