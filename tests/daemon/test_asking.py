"""Asking a program: whatever it does, there is an answer or a reason, and nothing of it is left."""

import sys
from pathlib import Path

import pytest
import trio

from palimp_daemon import asking
from palimp_daemon.asking import CommandError, answer_of


def program(*lines: str) -> str:
    """Return a command line that runs Python *lines*."""
    return f"{sys.executable} -c {chr(39)}{'; '.join(lines)}{chr(39)}"


async def test_it_is_given_the_prompt_and_its_answer_comes_back():
    assert await answer_of(program("import sys", "print(sys.stdin.read().upper())"), "héllo") == "HÉLLO\n"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("", "it is empty"),
        ("'", "cannot be started"),
        ("/nonexistent/program -p", "cannot be started"),
        (program("raise SystemExit(4)"), "exited with 4"),
    ],
)
async def test_what_cannot_answer_says_why(command, why):
    with pytest.raises(CommandError, match=why):
        await answer_of(command, "x")


async def test_one_that_does_not_read_may_answer():
    assert await answer_of(program("print(1)"), "x" * 5_000_000) == "1\n"


async def test_one_that_says_too_much_is_stopped(monkeypatch):
    monkeypatch.setattr(asking, "OUTPUT_BYTES_MAX", 1_000)
    with pytest.raises(CommandError, match="more than 1000 bytes"):
        await answer_of(program("import itertools", "[print(n) for n in itertools.count()]"), "x")


async def test_one_that_takes_too_long_is_killed_with_all_that_it_started(monkeypatch, tmp_path: Path):
    pids = tmp_path / "pids"
    lines = [
        "import os, subprocess, time",
        'child = subprocess.Popen(["sleep", "1000"])',
        f'open("{pids}", "w").write(f"{{os.getpid()}} {{child.pid}}")',
        "time.sleep(1000)",
    ]
    monkeypatch.setattr(asking, "COMMAND_S", 1.5)
    with pytest.raises(CommandError, match="took longer than"):
        await answer_of(program(*lines), "x")
    for pid in map(int, pids.read_text().split()):
        with trio.fail_after(10):
            while _runs(pid):
                await trio.sleep(0.01)


def _runs(pid: int) -> bool:
    """Tell whether a process runs; one that ended and that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
