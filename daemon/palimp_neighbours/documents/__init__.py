"""The project's markdown documents: files, index and search."""

from typing import Final

COMMANDS: Final = {"docs": "the project's markdown documents"}
