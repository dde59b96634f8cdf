"""Claude Code's sessions: what a person typed and what the agent said, and nothing that stands between."""

import json
from pathlib import Path

import pytest

from palimp_clients.claude_code.transcript import session_files
from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

news_of = CLIENTS["claude-code"].news_of

WRITTEN = Path(__file__).with_name("written")
KEY = "0b9c3a5e-1111-4222-8333-444455556666"
BASE = {"sessionId": KEY, "cwd": "/home/user/project", "isSidechain": False, "timestamp": "2026-11-26T22:17:01.123Z"}
BIG = "a line of a log\n" * 500


def written(folder: Path, *entries, name: str = f"{KEY}.jsonl", spaces: bool = False) -> str:
    """Write a transcript as the client does, without spaces, or with them."""
    path = folder / name
    separators = None if spaces else (",", ":")
    path.write_text("".join(json.dumps(entry, separators=separators) + "\n" for entry in entries))
    return str(path)


def said(kind: str, content, message: str = "", **more) -> dict:
    given = {"role": kind, "content": content, **({"id": message} if message else {})}
    return {**BASE, "type": kind, "message": given, **more}


def result(content, **more) -> dict:
    return said("user", [{"tool_use_id": "toolu_1", "type": "tool_result", "content": content, **more}])


TEXT = {"type": "text", "text": "I look at it."}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}


def texts(path: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in news_of(path, Place(), Redactor()).turns]


def test_sessions_as_claude_code_writes_them_are_read():
    """One that was resumed, and one in which something was typed while a tool ran."""
    assert texts(str(WRITTEN / "claude_code_resumed.jsonl")) == [
        ("user", "Please look at @AGENTS.md and drop the retry helper."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
        ("user", "And now a second question?"),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]
    assert texts(str(WRITTEN / "claude_code.jsonl")) == [
        ("user", "Wait a little."),
        ("assistant", "I look at the folder first."),
        ("user", "Also look at the tests, please."),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]


@pytest.mark.parametrize("spaces", [False, True])
def test_turns_are_read_and_what_tools_do_is_not(tmp_path, spaces):
    path = written(
        tmp_path,
        {"type": "permission-mode", "permissionMode": "default", "sessionId": KEY},
        said("user", "Drop the retry helper."),
        said("assistant", [{"type": "thinking", "thinking": "the user wants", "signature": "s"}], "m1"),
        said("assistant", [TEXT], "m1"),
        said("assistant", [CALL], "m1"),
        result(BIG),
        said("assistant", [{"type": "text", "text": "Done."}], "m2"),
        spaces=spaces,
    )
    news = news_of(path, Place(), Redactor())
    assert [(turn.role, turn.text) for turn in news.turns] == [
        ("user", "Drop the retry helper."),
        ("assistant", "I look at it."),
        ("assistant", "Done."),
    ]
    assert {turn.at_ms for turn in news.turns} == {1_795_731_421_123}
    assert (news.key, news.folder, news.skipped, news.why) == (KEY, "/home/user/project", 0, "")


def test_the_blocks_of_one_message_are_one_turn(tmp_path):
    """The client writes a line for each, with calls of tools and their results between."""
    path = written(
        tmp_path,
        said("assistant", [TEXT], "m1"),
        said("assistant", [CALL], "m1"),
        result(BIG),
        said("assistant", [{"type": "text", "text": "It is there."}], "m1"),
        said("assistant", [{"type": "text", "text": "Another message."}], "m2"),
    )
    assert texts(path) == [("assistant", "I look at it.\n\nIt is there."), ("assistant", "Another message.")]


def test_a_text_behind_a_thought_or_a_result_in_one_line_is_read(tmp_path):
    """As versions wrote them that did not write a line for each block."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    returned = {"type": "tool_result", "tool_use_id": "toolu_1", "content": BIG}
    path = written(
        tmp_path,
        said("assistant", [thought, CALL, TEXT], "m1"),
        said("user", [returned, {"type": "text", "text": "Stop that."}]),
    )
    assert texts(path) == [("assistant", "I look at it."), ("user", "Stop that.")]


def test_what_was_typed_while_the_agent_was_at_work_is_read(tmp_path):
    queued = {
        "type": "queued_command",
        "prompt": "Also the tests.",
        "commandMode": "prompt",
        "origin": {"kind": "human"},
    }
    blocks = {**queued, "prompt": [{"type": "text", "text": "And the docs."}, {"type": "image", "source": {}}]}
    path = written(
        tmp_path,
        *({**BASE, "type": "attachment", "attachment": each} for each in (queued, blocks)),
        *(
            {**BASE, "type": "attachment", "attachment": {**queued, **other}}
            for other in (
                {"commandMode": "task-notification"},
                {"origin": {"kind": "task"}},
                {"isMeta": True},
                {"type": "x"},
            )
        ),
        {**BASE, "type": "attachment", "attachment": queued, "isSidechain": True},
    )
    assert texts(path) == [("user", "Also the tests."), ("user", "And the docs.")]


def test_what_a_person_answered_in_the_place_of_letting_a_tool_run_is_read(tmp_path):
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to "
    path = written(
        tmp_path,
        {
            **result(f"{refused}proceed, the user said:\nUse the other branch.", is_error=True),
            "toolUseResult": "User rejected",
        },
        {**result(f"{refused}lie, the user said:\nnobody", is_error=True), "toolUseResult": "Error: x"},
    )
    assert texts(path) == [("user", "Use the other branch.")]


def test_what_the_client_and_subagents_say_is_left_out(tmp_path):
    path = written(
        tmp_path,
        said("user", "<system-reminder>do not tell</system-reminder>"),
        said("user", "<command-name>/clear</command-name>"),
        said("user", "This session is being continued from a previous conversation.", isCompactSummary=True),
        said("user", "meta", isMeta=True),
        said("user", "of a subagent", isSidechain=True),
        said("assistant", [TEXT], "m1", isApiErrorMessage=True),
        {**said("assistant", [TEXT]), "message": {"role": "assistant", "model": "<synthetic>", "content": [TEXT]}},
        {"type": "summary", "summary": "a title", "leafUuid": "x"},
        {"type": "system", "content": "user", "isMeta": False},
        result([{"type": "text", "text": "an MCP server's answer"}]),
    )
    assert texts(path) == []


def test_a_picture_of_megabytes_is_passed_over_and_the_words_beside_it_are_read(tmp_path):
    picture = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo" * 200_000}}
    path = written(tmp_path, said("user", [picture, {"type": "text", "text": "Make it look so."}]), result([picture]))
    assert texts(path) == [("user", "Make it look so.")]


def test_words_about_lines_of_a_transcript_are_words(tmp_path):
    """A person pastes a line of one: its quotes are escaped then, and tell nothing."""
    pasted = json.dumps(said("assistant", [CALL]), separators=(",", ":"))
    path = written(tmp_path, said("user", pasted), said("assistant", [{"type": "text", "text": pasted}], "m"))
    assert texts(path) == [("user", pasted), ("assistant", pasted)]


def test_text_that_is_no_utf_8_is_read_with_a_mark_in_its_place(tmp_path):
    path = Path(written(tmp_path, said("user", "caf@"), said("user", "next")))
    path.write_bytes(path.read_bytes().replace(b"@", b"\xe9"))
    assert texts(str(path)) == [("user", "caf\ufffd"), ("user", "next")]


def test_damaged_lines_are_counted_and_the_others_read(tmp_path):
    path = Path(written(tmp_path, said("user", "one"), said("user", "two")))
    path.write_bytes(b'[{"type":"user"}]\n{"type":"user","mess\n' + path.read_bytes() + b"\0" * 512 + b"\n")
    news = news_of(str(path), Place(), Redactor())
    assert ([turn.text for turn in news.turns], news.skipped) == (["one", "two"], 2)


def test_a_session_without_an_id_in_its_name_has_that_of_its_lines(tmp_path):
    path = written(tmp_path, {"type": "summary"}, said("user", "hi"), name="copy.jsonl")
    assert news_of(path, Place(), Redactor()).key == KEY
    assert news_of(written(tmp_path, name="empty.jsonl"), Place(), Redactor()).key == "empty"


def found(home: Path, **env: str) -> list[str]:
    return sorted(Path(file.path).relative_to(home).as_posix() for file in session_files(home, env))


def test_sessions_are_found_where_the_client_keeps_them(tmp_path):
    for name in (
        ".claude/projects/-p/a.jsonl",
        ".claude/projects/-p/agent-1.jsonl",
        ".claude/projects/-p/a/subagents/agent-2.jsonl",
        ".claude/projects/-p/memory/MEMORY.md",
        ".claude/projects/stray.jsonl",
        ".config/claude/projects/-p/b.jsonl",
        "elsewhere/projects/-p/c.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}\n")
    assert found(tmp_path) == [".claude/projects/-p/a.jsonl", ".config/claude/projects/-p/b.jsonl"]
    assert found(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere")) == ["elsewhere/projects/-p/c.jsonl"]
    assert found(tmp_path, CLAUDE_CONFIG_DIR="~/elsewhere") == ["elsewhere/projects/-p/c.jsonl"]
    [file] = session_files(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    assert (file.client, file.size) == ("claude-code", 3)
    assert file.modified_ms > 1_600_000_000_000


@pytest.mark.parametrize("picture_first", [False, True])
def test_a_first_line_of_any_length_hides_neither_folder_nor_id(tmp_path, picture_first):
    picture = {"type": "image", "source": {"type": "base64", "data": "x" * 1_500_000}}
    blocks = [picture, TEXT] if picture_first else [TEXT, picture]
    path = written(tmp_path, {"message": {"role": "user", "content": blocks}, "type": "user", **BASE}, name="x.jsonl")
    news = news_of(path, Place(), Redactor())
    assert (news.key, news.folder, [turn.text for turn in news.turns]) == (KEY, "/home/user/project", ["I look at it."])


def test_a_line_that_is_written_once_more_counts_once(tmp_path):
    first = said("user", "Drop it.", uuid="u1")
    again = {**said("user", "Drop it, please.", uuid="u1"), "timestamp": "2026-11-26T22:18:00Z"}
    other = said("user", "And that.", uuid="u2")
    path = written(tmp_path, first, other, again)
    assert texts(path) == [("user", "Drop it, please."), ("user", "And that.")]
    place = news_of(path, Place(), Redactor()).place
    path = written(tmp_path, first, other, again, again, said("user", "New.", uuid="u3"))
    assert [turn.text for turn in news_of(path, place, Redactor()).turns] == ["New."]


def test_what_a_fork_has_from_the_session_before_is_marked(tmp_path):
    """As `--fork-session` writes it, and as `/branch` does."""
    old = "11111111-1111-4222-8333-444455556666"
    copied = [said("user", "Which queue?"), said("assistant", [TEXT], requestSessionId=old)]
    branched = [{**each, "forkedFrom": {"sessionId": old, "messageUuid": "u"}} for each in (said("user", "One."),)]
    for copies in (copied, branched):
        path = written(tmp_path, *copies, said("user", "Now this."), said("assistant", [TEXT], requestSessionId=KEY))
        marks = [turn.is_copy for turn in news_of(path, Place(), Redactor()).turns]
        assert marks == [*(True for _ in copies), False, False]
