"""The project's markdown documents: files, index, search."""

from typing import Final

COMMANDS: Final = {"docs": "the project's markdown documents"}
