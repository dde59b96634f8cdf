"""`palimp search` and `palimp list`: what counts as found, and what is said of what is not shown."""

import argparse
import json

import pytest
from fake_client import FakeClient
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.messages.memory_messages import Detail, Memory, Recalled, RowKind
from palimp_shim.cli import command, search
from palimp_shim.cli.main import parser_for

MEMORY = Memory(
    id="m1", title="Three retries", kind="decision", created_at=0, content="Three retries, for the API bans."
)
TURN = Memory(id="t1", title="The API bans keys", kind="conversation", created_at=0, snippet="…for an hour", score=5.0)
NOTE = Memory(
    id="n1", title="keys: where", kind="claude-memory", created_at=0, snippet="In the vault", path="/c/a.md", score=2.0
)
NOTHING = Recalled(query='"keys"')


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """Runs a command with a client that gives the answers; returns the exit code."""

    def call(arguments_: list[str], *answers: Recalled) -> int:
        client = FakeClient(answers)
        monkeypatch.setattr(command, "Client", client)
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


def test_what_is_near_without_answering_is_not_called_unrelated(run, capsys: pytest.CaptureFixture[str]):
    """What perhaps answers is an answer for a script, too."""
    for is_near, heading, said, code in (
        (True, "Perhaps:", "surely answers", 0),
        (False, "Probably unrelated:", "No memory answers", 1),
    ):
        found = Recalled(query='"keys"', unrelated=[MEMORY], is_near=is_near)
        assert run(["search", "keys"], found, NOTHING) == code
        out = capsys.readouterr().out
        assert heading in out.splitlines()
        assert said in out
        run(["search", "keys", "--json"], found, NOTHING)
        assert len(json.loads(capsys.readouterr().out).get("memories", ())) == is_near


def test_a_document_that_answers_stays_before_what_perhaps_does_for_a_script(run, capsys: pytest.CaptureFixture[str]):
    page = Memory(id="page", title="Keys", kind="doc", created_at=0, covered=1.0)
    run(
        ["search", "keys", "--json"],
        Recalled(query='"keys"', memories=[page], unrelated=[MEMORY], is_near=True),
        NOTHING,
    )
    assert [row["id"] for row in json.loads(capsys.readouterr().out)["memories"]] == ["page", MEMORY.id]


def covering(kind: RowKind, *parts: float) -> list[Memory]:
    return [
        Memory(id=f"{kind}{number}", title="A row", kind=kind, created_at=0, covered=part)
        for number, part in enumerate(parts)
    ]


@pytest.mark.parametrize(
    ("memories", "sections", "in_order"),
    [
        ([0.4, 0.3], [1.0, 0.2], ["doc0", "note0", "note1", "doc1"]),
        ([1.0, 0.3], [1.0, 0.7], ["note0", "doc0", "doc1", "note1"]),
        ([0.2, 0.1], [0.4], ["note0", "note1", "doc0"]),
        ([], [0.1], ["doc0"]),
        ([0.9], [], ["note0"]),
    ],
)
def test_documents_stand_before_memories_that_say_less_of_what_was_asked(
    run, capsys: pytest.CaptureFixture[str], memories: list[float], sections: list[float], in_order: list[str]
):
    """Those with half of the words; others stand behind all memories, and removed code always does."""
    found = Recalled(query='"keys"', memories=covering("note", *memories), total=len(memories))
    code = Recalled(memories=covering("removed-code", 1.0))
    run(["search", "keys"], found, Recalled(memories=covering("doc", *sections)), code)
    rows = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert rows == [*in_order, "removed-code0"]


@given(st.lists(st.floats(0, 1)), st.lists(st.floats(0, 1)))
def test_documents_and_memories_keep_their_own_order(memories: list[float], sections: list[float]):
    notes, documents = covering("note", *memories), covering("doc", *sections)
    rows = search.among(notes, documents)
    assert [row for row in rows if row.kind == "note"] == notes
    assert [row for row in rows if row.kind == "doc"] == documents


# --- what is not shown ---------------------------------------------------------------------------

DECISIONS = [Memory(id=f"m{number}", title="A decision", kind="decision", created_at=0) for number in range(50)]


def test_fewer_rows_than_were_asked_for_promise_no_more(run, capsys: pytest.CaptureFixture[str]):
    """Others fit too little to be shown: a larger limit shows none of them."""
    run(["search", "keys"], Recalled(query='"keys"', memories=DECISIONS[:1], total=3), NOTHING)
    assert "shown" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("limit", "said"), [(2, "2 of 60 shown; --limit shows more."), (50, "50 of 60 shown."), (60, "")]
)
@pytest.mark.parametrize("options", [[], ["--kind", "decision"], ["--detail", "full"]])
def test_a_limit_that_was_reached_is_said(run, capsys, limit: int, said: str, options: list[str]):
    """Whatever else is printed below: that does not count."""
    found = Recalled(query='"keys"', memories=DECISIONS[:limit], total=60, conversations=[TURN])
    run(["search", "keys", "--limit", str(limit), *options], found, NOTHING)
    told = capsys.readouterr().err
    assert told == (f"palimp: {said}\n" if said else "")


@pytest.mark.parametrize("options", [[], ["--kind", "decision"], ["--title", "decision"]])
def test_a_list_says_once_which_page_it_is(run, capsys, options: list[str]):
    """Its own remark; how far --limit goes is another matter."""
    run(["list", "--limit", "2", *options], Recalled(query="kind = decision", memories=DECISIONS[:2], total=3))
    [told] = capsys.readouterr().err.splitlines()
    assert told.startswith("palimp: rows 1–2 of 3; next: palimp")


def test_a_list_of_what_is_no_memory_has_no_pages(run, capsys: pytest.CaptureFixture[str]):
    rows = [Memory(id="guide", title="A section", kind="doc", created_at=0)] * 50
    run(["list", "--limit", "60", "--kind", "doc"], Recalled(query="kind = doc", memories=rows, total=51))
    assert capsys.readouterr().err == "palimp: 50 of 51 shown.\n"


def test_notes_of_claude_code_stand_behind_memories_with_their_paths(run, capsys: pytest.CaptureFixture[str]):
    found = Recalled(query='"keys"', memories=[MEMORY], total=1, claude_memory=[NOTE], conversations=[TURN])
    assert run(["search", "keys"], found, NOTHING) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["m1", "n1", "t1"]
    assert rows[1] == "n1\t1970-01-01\tclaude-memory\tkeys: where\tIn the vault\t/c/a.md"


@pytest.mark.parametrize("options", [[], ["--json"], ["--since", "7d"]])
def test_where_only_a_note_answers_something_is_found(run, capsys: pytest.CaptureFixture[str], options: list[str]):
    assert run(["search", "keys", *options], Recalled(query='"keys"', claude_memory=[NOTE]), NOTHING) == 0
    printed = capsys.readouterr().out
    assert printed.count("/c/a.md") == 1
    assert (search.OF_AGENTS in printed) == ("--since" in options)


def test_for_scripts_notes_stay_in_their_own_field(run, capsys: pytest.CaptureFixture[str]):
    run(["search", "keys", "--json"], Recalled(query='"keys"', claude_memory=[NOTE]), NOTHING)
    said = json.loads(capsys.readouterr().out)
    assert [row["path"] for row in said["claude_memory"]] == ["/c/a.md"]
    assert "memories" not in said
