"""A home with a project in which Claude Code has worked."""

from pathlib import Path

import pytest
from claude_notes import ClaudeHome, ReadNotes


@pytest.fixture
def claude(tmp_path: Path) -> ClaudeHome:
    """What Claude Code keeps."""
    return ClaudeHome(tmp_path.resolve())


@pytest.fixture
def root(claude: ClaudeHome) -> Path:
    """A project in which it was."""
    folder = claude.home / "my.shop"
    folder.mkdir()
    claude.was_in(folder)
    return folder


@pytest.fixture
def notes(claude: ClaudeHome):
    """What reads its notes; no bug shows in it."""
    read = ReadNotes(claude.home)
    yield read
    assert read.bugs == []
    for store in read.opened:
        store.connection.close()
