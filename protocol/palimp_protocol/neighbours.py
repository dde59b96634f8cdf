"""The features beside the core: `palimp_neighbours` has a folder for each, and nothing else names one.

Parts of a folder, each optional:

    __init__.py      COMMANDS: summaries by command
    …_operations.py  OPERATIONS, behind the neighbour's name: rows in the table of operations
    cli/             a module for each command
    daemon           build(core): a `palimp_daemon.features.neighbour.Neighbour`
    migrations/      numbered steps of the schema, in one row with the store's
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

NEIGHBOURS: Final[tuple[str, ...]] = ("client_memories", "documents", "transfer")


def packages() -> Iterator[ModuleType]:
    """Import and yield each neighbour's package."""
    for name in NEIGHBOURS:
        yield import_module(f"palimp_neighbours.{name}")


def parts(pattern: str) -> Iterator[ModuleType]:
    """Import and yield the part *pattern*, with the neighbour's name for `{}`, of each neighbour that has it."""
    for package in packages():
        part = f"{package.__name__}.{pattern.format(package.__name__.rpartition('.')[2])}"
        if find_spec(part):
            yield import_module(part)
