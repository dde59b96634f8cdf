"""What keeps conversations, running."""

from pathlib import Path

import pytest
import trio
from conversation_services import KeptConversations

DEADLINE_S = 60
"""Seconds that a test may take on a loaded machine."""


@pytest.fixture
async def kept(tmp_path: Path, nursery: trio.Nursery):
    """Conversations that are kept, with the settings as they are without any."""
    made = KeptConversations(tmp_path)
    with trio.fail_after(DEADLINE_S):
        await made.start(nursery)
        yield made
        nursery.cancel_scope.cancel()
    assert made.bugs == []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"
