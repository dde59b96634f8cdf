"""What commands print."""

import pytest

from palimp_protocol.messages.memory_messages import Memory, Recalled
from palimp_shim.cli import output
from palimp_shim.cli.output import day, minute, print_full, print_line, print_memories, print_rows
from palimp_shim.cli.tables import Column


@pytest.mark.parametrize("at", [10**17, 10**25, -(10**17)])
def test_a_time_that_no_calendar_has_is_said_to_be_none(at: int):
    assert day(at) == minute(at) == "undated"


def test_a_whole_turn_names_its_session_and_a_commit_its_author(capsys: pytest.CaptureFixture[str]):
    turn = Memory(
        id="t1ng71rz6",
        title="Add the index",
        kind="conversation",
        created_at=0,
        project="shop",
        content="user: Add the index.",
        source="user",
        session="5b1f",
        client="claude-code",
    )
    commit = Memory(
        id="c1s8tyqg", title="Cap", kind="commit", created_at=0, project="shop", content="Cap.", quote="Ada"
    )
    print_full([turn, commit])
    printed = capsys.readouterr().out
    assert "from user · session 5b1f of claude-code" in printed
    assert "Author: Ada" in printed


def test_a_memory_that_is_muted_says_so(capsys: pytest.CaptureFixture[str]):
    muted = Memory(id="m1rv0001", title="Three retries", kind="note", created_at=0, content="Three.", is_muted=True)
    print_full([muted])
    print_memories(Recalled(memories=[muted]))
    whole, row = capsys.readouterr().out.split("Three.\n")
    assert whole.rstrip().endswith("· muted")
    assert "\tThree retries [muted]\t" in row


def test_a_row_that_is_wrapped_goes_on_below_its_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """So that it is seen where the next one begins; in a pipe a row is one line."""
    row = "- m1rv0001 2026-11-30 The exports are made at night since the disks are idle then"
    print_line(row, hanging="  ")
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    print_line(row, hanging="  ")
    piped, first, *others = capsys.readouterr().out.splitlines()
    assert piped == row
    assert first.startswith("- m1rv0001")
    assert others
    assert all(line.startswith("  ") and len(line) <= 40 for line in others)


def test_a_count_of_one_is_told_in_the_singular(capsys):
    columns = [Column("week"), *(Column(name, is_number=True) for name in ("times", "tokens", "memories", "used"))]
    print_rows(columns, [["2026-11-30", "1", "15", "1", "1"]], of_counts=True)
    assert capsys.readouterr().out == "2026-11-30\t1 time\t15 tokens\t1 memory\t1 used\n"
