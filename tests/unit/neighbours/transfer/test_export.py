"""An export is whole, or it is not there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimp_neighbours.transfer.cli.export import _write_file, _write_folder
from palimp_neighbours.transfer.transfer_messages import ExportPage, PortableLink, PortableMemory
from palimp_protocol.errors import UnreachableError

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


def test_a_folder_of_notes_says_what_replaces_what(tmp_path: Path):
    """Also of what came before it, and nothing that was only inferred."""

    def link(other: str, relation, said_by="user", *, is_older: bool = False) -> PortableLink:
        return PortableLink(other=other, relation=relation, said_by=said_by, at=0, is_older=is_older)

    def memory(number: int, supersedes: list[str], *links: PortableLink) -> PortableMemory:
        name = f"m{number}"
        text = f"---\n\n{name}"
        return PortableMemory(
            id=name, title=name, content=text, kind="note", created_at=0, supersedes=supersedes, links=[*links]
        )

    pages = [
        [memory(1, []), memory(2, ["m1"], link("m1", "replaces"), link("m1", "disagrees", "inferred"))],
        [memory(3, [], link("m2", "narrows"), link("m1", "disagrees", is_older=True))],
    ]
    total = _write_folder(tmp_path, iter([ExportPage(memories=page, next=None, total=3) for page in pages]))

    said = {path.stem[-2:]: path.read_text().partition("---\n\n")[0] for path in tmp_path.iterdir()}
    assert total == 3
    assert said["m1"].endswith("id: m1\nreplaced-by: m2\ndisagrees-with: m3\n")
    assert said["m2"].endswith("id: m2\nreplaces: m1\nnarrowed-by: m3\n")
    assert said["m3"].endswith("id: m3\nnarrows: m2\ndisputed-by: m1\n")
    assert all(path.read_text().endswith(f"---\n\n---\n\n{path.stem[-2:]}\n") for path in tmp_path.iterdir())
