"""The table of operations; its interfaces are MCP tools, command line and HTTP."""

from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.neighbours import parts
from palimp_protocol.operations.change_operations import CHANGE_OPERATIONS
from palimp_protocol.operations.link_operations import LINK_OPERATIONS
from palimp_protocol.operations.memory_operations import MEMORY_OPERATIONS
from palimp_protocol.operations.operation import Operation
from palimp_protocol.operations.rule_operations import RULE_OPERATIONS
from palimp_protocol.operations.team_operations import TEAM_OPERATIONS
from palimp_protocol.operations.upkeep_operations import UPKEEP_OPERATIONS
from palimp_protocol.text import quote_text

__all__ = ["OPERATIONS", "Operation", "operation_named"]

OPERATIONS: Final[dict[str, Operation]] = {
    operation.name: operation
    for operation in (
        *MEMORY_OPERATIONS,
        *LINK_OPERATIONS,
        *CHANGE_OPERATIONS,
        *UPKEEP_OPERATIONS,
        *RULE_OPERATIONS,
        *TEAM_OPERATIONS,
        *(each for part in parts("{}_operations") for each in part.OPERATIONS),
    )
}


def operation_named(name: str) -> Operation:
    """Return the operation called *name*.

    Raises:
        PalimpError: there is none.
    """
    if operation := OPERATIONS.get(name):
        return operation
    raise PalimpError(
        ErrorCode.UNKNOWN_OPERATION,
        f"No operation is called {quote_text(name)}.",
        f"There are: {', '.join(OPERATIONS)}.",
    )
