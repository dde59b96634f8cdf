"""An export is whole, or it is not there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimp_protocol.errors import UnreachableError
from palimp_protocol.messages.transfer import ExportPage, PortableMemory
from palimp_shim.cli.export import _write_file

MEMORY = PortableMemory(id="m00000000001", title="T", content="C", kind="note", created_at=0)


def test_half_an_export_is_removed(tmp_path: Path):
    """It would look like a whole one, and keep the next from being written."""

    def pages() -> Iterator[ExportPage]:
        yield ExportPage(memories=[MEMORY], next=1, total=2)
        raise UnreachableError("The daemon is gone.", "")

    with pytest.raises(UnreachableError):
        _write_file(tmp_path / "out.jsonl", pages())
    assert list(tmp_path.iterdir()) == []


def test_an_export_is_the_user_s_alone(tmp_path: Path):
    page = ExportPage(memories=[MEMORY], next=None, total=1)
    assert _write_file(tmp_path / "out.jsonl", iter([page])) == 1
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o600
