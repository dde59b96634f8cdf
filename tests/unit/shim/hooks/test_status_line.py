"""The status line: what is taken from what the client says, and how the numbers read."""

import json
from pathlib import Path
from typing import Any

import pytest

from palimp_shim.hooks.status_line import StatusLineInput, input_in, line_of

SAID = {
    "hook_event_name": "Status",
    "session_id": "3f8b523d",
    "cwd": "/home/ann/магазин/cart",
    "model": {"id": "claude-opus-5", "display_name": "Opus"},
    "workspace": {"current_dir": "/home/ann/магазин/cart", "project_dir": "/home/ann/магазин", "added_dirs": []},
    "version": "2.1.332",
}

RECORDED = (
    (Path(__file__).parents[2] / "clients/claude_code/status_line/claude-code-2.1.332.json").read_bytes().rstrip()
)


def line(columns: int = 80, *, is_plain: bool = True, **counts: Any) -> str:
    return line_of(counts, columns=columns, is_plain=is_plain)


def test_the_project_is_where_the_session_began():
    """Not where it went since."""
    assert input_in(json.dumps(SAID).encode()) == StatusLineInput("/home/ann/магазин", "3f8b523d")


def test_an_older_client_says_its_folder_alone():
    assert input_in(b'{"session_id": "s", "cwd": "/x"}') == StatusLineInput("/x", "s")
    assert input_in(b'{"workspace": {"current_dir": "/y"}}') == StatusLineInput("/y", "")


def test_what_the_real_client_said():
    """Recorded: Claude Code 2.1.332."""
    assert input_in(RECORDED) == StatusLineInput("/home/ann/shop", "05a16879-6bba-4b36-b324-5901c8d5c5a0")


@pytest.mark.parametrize("whole", [RECORDED, json.dumps(SAID, ensure_ascii=False).encode()])
def test_what_is_cut_anywhere_says_nothing(whole: bytes):
    assert input_in(whole) is not None
    assert all(input_in(whole[:end]) is None for end in range(len(whole)))


@pytest.mark.parametrize("wrong", [None, 7, [], {}, True, "", ["/x"]])
@pytest.mark.parametrize("key", ["session_id", "cwd", "workspace"])
def test_wrong_types_are_passed_over(key: str, wrong: Any):
    told = input_in(json.dumps(SAID | {key: wrong}).encode())
    assert told is not None
    assert told.folder.startswith("/home/ann/магазин")
    assert told.session == ("" if key == "session_id" else "3f8b523d")


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"cwd": 1}'])
def test_what_names_no_folder_says_nothing(data: bytes):
    assert input_in(data) is None


def test_the_line_leaves_out_what_there_is_none_of():
    assert line(memories=0) == "palimp: 0 memories"
    assert line(memories=1, given=0, waiting=0) == "palimp: 1 memory"
    assert line(memories=1_234, given=3, waiting=2) == "palimp: 1,234 memories, 3 given, 2 to review"


def test_what_waits_has_a_colour_unless_none_is_wanted():
    assert line(memories=2, waiting=4, is_plain=False) == "palimp: 2 memories, \033[33m4 to review\033[0m"
    assert "\033" not in line(memories=2, given=4, is_plain=False)


def test_a_narrow_line_says_less_and_cuts_nothing():
    counts = {"memories": 1_234_567, "given": 200, "waiting": 99_999}
    assert len(line(80, **counts)) <= 80
    assert line(44, **counts) == "palimp: 1,234,567 memories, 200 given"
    assert line(30, **counts) == "palimp: 1,234,567 memories"
    assert line(8, **counts) == ""


def test_where_palimp_is_off_there_is_no_line():
    assert line(is_off=True, memories=3) == ""


@pytest.mark.parametrize("wrong", [None, "7", [1], 1.5])
def test_an_answer_of_another_version_is_no_failure(wrong: Any):
    assert line(memories=wrong, given=wrong, waiting=wrong) == "palimp: 0 memories"
