"""A memory named beside another."""

from msgspec import Struct


class Similar(Struct, frozen=True):
    """Id and title of a memory."""

    id: str
    title: str
