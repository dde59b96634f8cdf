"""Operations of export, import and backup."""

from functools import partial
from typing import Final

from palimp_neighbours.transfer import transfer_messages
from palimp_protocol.operations.operation import Operation

_in_terminal = partial(Operation, toolset="upkeep", is_tool=False)

OPERATIONS: Final = (
    _in_terminal(
        "export",
        "Export memories",
        transfer_messages.Export,
        transfer_messages.ExportPage,
        "Give the memories of the project, or of all, as lines of JSON or as markdown files.",
    ),
    _in_terminal(
        "import_file",
        "Import memories",
        transfer_messages.ImportFile,
        transfer_messages.ImportPage,
        "Take memories out of a file or folder: an export of palimp, the reference memory server's file,"
        " claude-mem's database, markdown notes, Claude Code's own memory files. Twice changes nothing.",
    ),
    _in_terminal(
        "backup",
        "Back the database up",
        transfer_messages.Backup,
        transfer_messages.BackedUp,
        "Copy the database to a new file while it is in use, and open the copy to check it.",
    ),
)
