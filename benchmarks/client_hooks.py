"""An edit's hook as the real Claude Code runs it: as a call over its session's connection, and as a command.

Run by `hooks.py --client claude`. Sessions of both kinds take turns, with a scripted model; the times are from the
client's own debug log: from the call to its result, and what it says that a command took.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from measuring import percentile, print_table, progress, running_daemon

from palimp_clients.claude_code.claude_hooks import CALLS_SINCE, with_hooks, without_hooks

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "support"))

from scripted_models import Script, claude_environment, serve  # noqa: E402

SESSIONS = 8
"""Of each kind; they take turns, so that a busy machine is as busy for both."""

EDITS = 12
"""In each session, the first of which is not counted: it warms what is used for the first time."""

RUN_S = 180
AIM = 0.2
PROGRAMS = Path(sys.executable).parent
KINDS = {"a call": CALLS_SINCE, "a command": None}

_STAMPED = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.]+)Z \[\w+\] (.*)")
_COMMAND = re.compile(r"Hooks: PreToolUse:Edit \[.*\] finished with status 0 \((\d+)ms\)")
_CALLED = "Hooks: mcp_tool calling palimp/hook_event"
_ANSWERED = ("Successfully parsed and validated hook JSON output", "Hook output does not start with {")
_EDITED = "tool_dispatch_start tool=Edit"


def compare() -> None:
    """Print both, side by side."""
    if shutil.which("claude") is None:
        raise SystemExit("claude must be on the PATH: `make client` installs it into .cache/node/node_modules/.bin")
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with running_daemon() as env, serve(script := Script()) as address:
        env.update(claude_environment(address))
        version = subprocess.run(["claude", "--version"], env=env, capture_output=True, text=True, check=True).stdout
        project = Path(env["HOME"]) / "project"
        project.mkdir()
        for command in (["git", "init", "-q"], [str(PROGRAMS / "palimp"), "install", "--no-history"]):
            subprocess.run(command, env=env, cwd=project, check=True, stdout=subprocess.DEVNULL)
        for number in progress(range(SESSIONS * len(KINDS)), "sessions in turn"):
            kind = list(KINDS)[number % len(KINDS)]
            took[kind] += _session(kind, env, project, script)[1:]
    middle = {kind: percentile(seconds, 0.5) for kind, seconds in took.items()}
    call, command = middle.values()
    rows = [
        (kind, str(len(all_)), f"{middle[kind] * 1000:.0f} ms", f"{percentile(all_, 0.95) * 1000:.0f} ms")
        for kind, all_ in took.items()
    ]
    print_table(
        f"An edit's PreToolUse in {version.strip()}, by its own debug log",
        ["hook", "edits", "p50", "p95"],
        rows,
        [f"a call takes {call / command:.2f} of what a command takes (aim: at most {AIM})"],
    )


def _session(kind: str, env: dict[str, str], project: Path, script: Script) -> list[float]:
    """Let a session edit a file, with hooks of the *kind*; return the seconds of each edit's hook."""
    settings = Path(env["HOME"]) / ".claude" / "settings.json"
    settings.write_bytes(with_hooks(PROGRAMS, KINDS[kind], without_hooks(settings.read_bytes())))
    file, log = project / "cart.py", project.parent / "debug.log"
    file.write_text("days = 0\n")
    log.unlink(missing_ok=True)
    about = {"file_path": str(file)}
    edits = [{"old_string": f"days = {day}\n", "new_string": f"days = {day + 1}\n"} for day in range(EDITS)]
    script.steps = [
        {"tool": "Read", "input": about},
        *({"tool": "Edit", "input": about | edit} for edit in edits),
        {"text": "done"},
    ]
    command = ["claude", "-p", "Keep carts longer", "--allowedTools", "Read,Edit", "--debug-file", str(log)]
    given = {"cwd": project, "env": env, "timeout": RUN_S, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    subprocess.run(command, check=True, **given)
    assert file.read_text() == f"days = {EDITS}\n", "the edits were not made"
    lines = log.read_text(errors="replace").splitlines()
    seconds = list(_calls(lines) if KINDS[kind] else _commands(lines))
    assert len(seconds) == EDITS, f"the log of {os.fspath(log)} has {len(seconds)} hooks of {EDITS} edits"
    return seconds


def _commands(lines: Iterable[str]) -> Iterator[float]:
    """Yield the seconds of each command that was an edit's hook."""
    for line in lines:
        if match := _COMMAND.search(line):
            yield int(match[1]) / 1000


def _calls(lines: Iterable[str]) -> Iterator[float]:
    """Yield the seconds of each call that was an edit's hook: the last one before the edit."""
    began, took = None, 0.0
    for line in lines:
        match = _STAMPED.match(line)
        if not match:
            continue
        at, text = datetime.fromisoformat(match[1]), match[2]
        if text.startswith(_CALLED):
            began = at
        elif began and text.startswith(_ANSWERED):
            took, began = (at - began).total_seconds(), None
        elif _EDITED in text:
            yield took
