"""The table of operations: one request type, one reply type and one description each.

The MCP tools, the command line and HTTP are faces of this table: a name, a parameter or a
bound that is changed here changes everywhere. `access` says, from the request alone, whether an operation
writes. Writes are remembered by the frame's id.
"""

from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.plain import quoted
from palimp_protocol.table.of_changes import CHANGE_OPERATIONS
from palimp_protocol.table.of_documents import DOCUMENT_OPERATIONS
from palimp_protocol.table.of_memories import MEMORY_OPERATIONS
from palimp_protocol.table.of_upkeep import UPKEEP_OPERATIONS
from palimp_protocol.table.operation import Operation

__all__ = ["OPERATIONS", "Operation", "operation_named"]

OPERATIONS: Final[dict[str, Operation]] = {
    operation.name: operation
    for operation in (*MEMORY_OPERATIONS, *DOCUMENT_OPERATIONS, *CHANGE_OPERATIONS, *UPKEEP_OPERATIONS)
}


def operation_named(name: str) -> Operation:
    """Return the operation called *name*.

    Raises:
        PalimpError: there is none.
    """
    if operation := OPERATIONS.get(name):
        return operation
    raise PalimpError(
        ErrorCode.UNKNOWN_OPERATION, f"No operation is called {quoted(name)}.", f"There are: {', '.join(OPERATIONS)}."
    )
