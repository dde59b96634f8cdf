"""`palimp search` and `palimp list`: what counts as found, and what is said of what is not shown."""

import argparse
import json

import pytest
from fake_client import FakeClient

from palimp_protocol.messages.memories import Detail, Memory, Recalled
from palimp_shim.cli import arguments, search
from palimp_shim.cli.main import parser_for

MEMORY = Memory(
    id="m1", title="Three retries", kind="decision", created_at=0, content="Three retries, for the API bans."
)
TURN = Memory(id="t1", title="The API bans keys", kind="conversation", created_at=0, snippet="…for an hour", score=5.0)
NOTHING = Recalled(query='"keys"')


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs a command with a client that gives the answers; returns the exit code."""

    def call(arguments_: list[str], *answers: Recalled) -> int:
        client = FakeClient(answers)
        monkeypatch.setattr(arguments, "Client", client)
        monkeypatch.setattr(search, "Client", client)
        options: argparse.Namespace = parser_for(arguments_).parse_args([*arguments_, "--global"])
        return options.run(options, {})

    return call


@pytest.mark.parametrize(
    "options", [[], ["--json"], ["--detail", "full"], ["--detail", "compact"], ["--detail", "timeline"]]
)
def test_where_only_conversations_answer_something_is_found(run, capsys, options: list[str]):
    """Whatever the rows of memories would look like."""
    detail: Detail = options[1] if len(options) > 1 else "compact"  # pyright: ignore[reportAssignmentType]
    said = Recalled(query='"keys"', detail=detail, conversations=[TURN])
    assert run(["search", "keys", *options], said, NOTHING) == 0
    printed = capsys.readouterr().out
    assert printed.count('"t1"' if options == ["--json"] else "t1") == 1
    assert "No memory matches" not in printed


def test_for_scripts_conversations_stay_in_their_own_field(run, capsys: pytest.CaptureFixture[str]):
    run(["search", "keys", "--json"], Recalled(query='"keys"', conversations=[TURN]), NOTHING)
    said = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in said["conversations"]] == ["t1"]
    assert "memories" not in said


def test_below_whole_memories_conversations_have_a_heading(run, capsys: pytest.CaptureFixture[str]):
    found = Recalled(query='"keys"', detail="full", memories=[MEMORY], conversations=[TURN])
    assert run(["search", "keys", "--detail", "full"], found) == 0
    whole, rows = capsys.readouterr().out.split(f"\n{search.NOT_SAVED}\n")
    assert "Three retries, for the API bans." in whole
    assert rows == "t1\t1970-01-01\tconversation\tThe API bans keys\t…for an hour\n"


@pytest.mark.parametrize("options", [[], ["--json"], ["--detail", "full"]])
def test_where_nothing_answers_nothing_is_found(run, options: list[str]):
    """What is probably unrelated is no answer either."""
    assert run(["search", "keys", *options], NOTHING) == 1
    assert run(["search", "keys", *options], Recalled(query='"keys"', unrelated=[MEMORY]), NOTHING) == 1
