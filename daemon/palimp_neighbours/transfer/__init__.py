"""Export, backup, and import from palimp and other programs."""

from typing import Final

COMMANDS: Final = {
    "export": "write memories as JSON lines or markdown",
    "import": "read memories from other tools and files",
    "backup": "copy the database while it is in use",
}
