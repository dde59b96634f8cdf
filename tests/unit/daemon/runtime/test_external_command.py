"""Asking a program: whatever it does, there is an answer or a reason, and nothing of it is left."""

import sys
from pathlib import Path

import pytest
import trio
from running_daemon import wait_until

from palimp_daemon.runtime import external_command
from palimp_daemon.runtime.external_command import CommandError, answer_of


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
        ("/proc/nonexistent/program -p", "cannot be started"),
        (program("raise SystemExit(4)"), "exited with 4"),
    ],
)
async def test_what_cannot_answer_says_why(command, why):
    with pytest.raises(CommandError, match=why):
        await answer_of(command, "x")


async def test_one_that_does_not_read_may_answer():
    assert await answer_of(program("print(1)"), "x" * 5_000_000) == "1\n"


async def test_one_that_says_too_much_is_stopped(monkeypatch):
    monkeypatch.setattr(external_command, "OUTPUT_BYTES_MAX", 1_000)
    with pytest.raises(CommandError, match="more than 1000 bytes"):
        await answer_of(program("import itertools", "[print(n) for n in itertools.count()]"), "x")


async def test_one_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(external_command, "COMMAND_S", 0.05)
    with pytest.raises(CommandError, match="took longer than"):
        await answer_of("sleep 1000", "x")


async def test_it_is_killed_with_all_that_it_started(tmp_path: Path):
    pids = tmp_path / "pids"
    lines = [
        "import os, subprocess",
        'child = subprocess.Popen(["sleep", "1000"])',
        f'open("{pids}.new", "w").write(f"{{os.getpid()}} {{child.pid}}")',
        f'os.rename("{pids}.new", "{pids}")',
        "child.wait()",
    ]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer_of, program(*lines), "x")
        await trio.to_thread.run_sync(wait_until, pids.exists, 30)
        nursery.cancel_scope.cancel()
    for pid in map(int, pids.read_text().split()):
        wait_until(lambda pid=pid: not _runs(pid), 60)


def _runs(pid: int) -> bool:
    """Tell whether a process runs; one that ended and that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
