"""The table of operations."""

import pytest

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.access import Access
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS, operation_named

RECALL, SAVE = OPERATIONS["recall"], OPERATIONS["save_memory"]


def test_only_purge_and_restore_write():
    """Viewing reads; changing writes; saving writes."""
    assert RECALL.access(Recall(query="x")) is Access.READ
    assert RECALL.access(Recall(ids=["m1"], action="purge")) is Access.WRITE
    assert SAVE.access(SaveMemory(text="x")) is Access.WRITE


def test_an_unknown_operation_is_answered_with_the_known_ones():
    """The hint lists what there is."""
    with pytest.raises(PalimpError, match="No operation is called 'forget'") as refused:
        operation_named("forget")

    assert "save_memory" in refused.value.hint
