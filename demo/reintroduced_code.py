"""An agent is about to reintroduce code that a commit removed; the hook that runs before an edit denies it."""

import json
import sys
from pathlib import Path

import trio
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

PALIMP = str(Path(sys.executable).with_name("palimp"))

CALLER = "def fetch(url):\n    return session.get(url)\n"
HELPER = """

def retry_with_backoff(fn, attempts=5):
    wait = 0.1
    for attempt in range(attempts):
        try:
            return fn()
        except ConnectionError:
            time.sleep(wait)
            wait *= 2
    raise TimeoutError
"""
RENAMED = HELPER.replace("retry_with_backoff", "call_again").replace("wait", "pause").replace("fn", "action")
REASON = "Drop the retry helper. It hid outages: the caller must decide."


async def reintroduce(env: dict[str, str], folder: Path, console: Console) -> None:
    """Commit a helper and its removal, then have an agent write it again under other names; show what it is told."""
    await _git(folder, "init", "--quiet")
    await _commit(folder, CALLER + HELPER, "Add a retry helper")
    await _commit(folder, CALLER, REASON)
    await trio.run_process([PALIMP, "changes", "import"], env=env, cwd=folder, capture_stdout=True)
    edit = {"file_path": str(folder / "client.py"), "old_string": CALLER, "new_string": CALLER + RENAMED}
    event = {
        "session_id": "demo",
        "cwd": str(folder),
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": edit,
        "tool_use_id": "1",
        "transcript_path": str(folder.parent / "none.jsonl"),
    }
    console.print(Text(f"▶ Edit(client.py), new lines:\n{RENAMED.strip()}", style="bold cyan"))
    hook = await trio.run_process(
        [PALIMP, "hook", "PreToolUse"],
        stdin=json.dumps(event).encode(),
        env={**env, "PALIMP_HOOKS_PATIENCE": "100"},
        cwd=folder,
        capture_stdout=True,
    )
    assert hook.stdout, "the hook let the edit pass"
    said = json.loads(hook.stdout)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert REASON in said["permissionDecisionReason"], "it is not told why the code was removed"
    console.print(Panel(Text(said["permissionDecisionReason"]), border_style="yellow", title="denied, once"))


async def _commit(folder: Path, text: str, message: str) -> None:
    await trio.Path(folder / "client.py").write_text(text)
    await _git(folder, "add", "client.py")
    await _git(folder, "commit", "--quiet", "--message", message)


async def _git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=demo", "-c", "user.email=demo@example.com"]
    await trio.run_process(["git", "-C", str(folder), *who, *arguments])
