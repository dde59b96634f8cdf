"""What commands print."""

import pytest

from palimp_protocol.messages.memories import Memory, Recalled
from palimp_shim.cli.output import day, minute, print_full, print_memories


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
