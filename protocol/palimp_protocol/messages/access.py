"""How a request uses the store."""

from enum import StrEnum


class Access(StrEnum):
    """Use of the store by a request."""

    READ = "read"
    WRITE = "write"
    NONE = "none"
    """Answered even if the store is unavailable."""
