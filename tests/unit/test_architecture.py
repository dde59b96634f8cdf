"""ARCHITECTURE.md leads to files that are there."""

import re
from pathlib import Path
from typing import Final

import pytest

from palimp_protocol.neighbours import NEIGHBOURS

ROOT: Final = Path(__file__).parents[2]
TEXT: Final = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TABLE: Final = TEXT.partition("## To change X, open Y\n")[2].partition("\n## ")[0]
ROWS: Final = [line.strip("| ").split(" | ") for line in TABLE.splitlines() if line.startswith("| ")][1:]
CLIENTS_LINE: Final = next(line for line in TEXT.splitlines() if line.startswith("  claude_code/"))
SUBJECTS: Final = ("client", "language", "weight", "command", "schema", "setting", "reads", "hook")


@pytest.mark.parametrize(("subject", "places"), ROWS)
def test_each_place_to_open_is_there(subject: str, places: str):
    named = re.findall(r"`([^`]+)`", places)
    assert named, subject
    assert [place for place in named if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_changes_that_are_made_most_have_a_row(subject: str):
    assert any(subject in row[0] for row in ROWS)


def test_each_client_has_its_folder_in_the_map():
    room = ROOT / "clients/palimp_clients"
    files = [*room.glob("*/dialect.py"), *room.glob("*/transcript.py")]
    assert {file.parent.name for file in files} == set(re.findall(r"\b(\w+)/", CLIENTS_LINE))


def test_each_neighbour_has_its_folder_in_the_map():
    room = TEXT.partition("palimp_neighbours/ ")[2].partition("```")[0]
    assert {*re.findall(r"^  (\w+)/", room, re.MULTILINE)} == {*NEIGHBOURS}
    assert all((ROOT / "daemon/palimp_neighbours" / name / "__init__.py").is_file() for name in NEIGHBOURS)


def test_nothing_but_the_list_names_a_neighbour():
    rooms = ("clients", "daemon/palimp_daemon", "protocol", "shim")
    named = re.compile(rf"palimp_neighbours\.(?:{'|'.join(NEIGHBOURS)})")
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py")]
    assert [file.name for file in files if named.search(file.read_text(encoding="utf-8"))] == []
