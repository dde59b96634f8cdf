"""The real Claude Code on a terminal: its status line, and the question which of two memories holds.

    real_terminal.py             the status line; run by tests/system/real_client.sh, which puts claude on the PATH
    real_terminal.py --question  the question, too: keys are typed into a form, and one that comes too soon is lost, so
                                 that it fails now and then where nothing is wrong

Prints one line for each thing it saw and exits with 1 at the first that is not as it should be.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from running_daemon import palimp_environment, temporary_home
from scripted_models import CLAUDE_KEY, Script, claude_environment, serve
from terminals import ESCAPES, on_terminal

PALIMP = str(Path(sys.executable).with_name("palimp"))
SAVE = "mcp__palimp__save_memory"
FORMER = "We decided that the cart's cache keeps its entries for ten minutes."
LATTER = FORMER.replace("ten", "sixty")
COLUMNS = 100
RUN_S = 60

ATTEMPTS_MAX = 3
"""Times that a form is tried: nobody is told when the next key is taken, and one that comes too soon is lost."""

RIGHT, UP, ENTER, LEAVE = "\x1b[C", "\x1b[A", "\r", "\x03"
BLINK = [("●", ""), ("●", "")]
"""The mark of a call blinks: keys that come with a form's first picture are lost. Words are drawn one by one."""
GOODBYE = [("done", LEAVE), ("again to exit", LEAVE)]


def main() -> None:
    """Run everything."""
    version = subprocess.run(["claude", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with temporary_home() as home, serve(script := Script()) as address:
        _status_line(home, script, address)
    print(f"{version}, terminal: the status line says what is known, and what the session was given")
    for era in ("2026-07-28", "2025-11-25") if "--question" in sys.argv else ():
        problem = ""
        for _ in range(ATTEMPTS_MAX):
            with temporary_home() as home, serve(script := Script()) as address:
                problem = _question(era, home, script, address)
            if not problem:
                break
        _expect(not problem, problem)
        print(f"{version}, terminal, {era}: a save asked its user which memory holds, and the agent was told")


def _status_line(home: Path, script: Script, address: str) -> None:
    """The line is in the settings as the documentation says; it is shown, and shown anew after a turn."""
    env, project = _prepared(home, address)
    settings = home / ".claude" / "settings.json"
    line = {"statusLine": {"type": "command", "command": f"{PALIMP} statusline"}}
    settings.write_text(json.dumps(json.loads(settings.read_text()) | line))
    script.steps = [{"text": "All is well."}]
    shown = _shown(env, project, ["hello"], [("palimp: 1 memory", ""), ("1 given", ""), *GOODBYE])
    _expect("1 given" in shown, shown)


def _question(era: str, home: Path, script: Script, address: str) -> str:
    """The form is shown, its answer decides, and the model's next request holds what was decided.

    Returns what was seen where that is not so; empty: it is.
    """
    env, project = _prepared(home, address)
    if era.startswith("2025"):
        env["MCP_PROTOCOL_NEGOTIATION"] = "legacy"
    script.steps = [{"tool": SAVE, "input": {"text": LATTER, "kind": "decision"}}, {"text": "All is well."}]
    keys = [("requests your input", ""), *BLINK, ("●", RIGHT), ("Space to select", ""), *BLINK, ("●", UP)]
    keys += [*BLINK, ("●", ENTER), *BLINK, ("●", ENTER), ("well", ""), *GOODBYE]
    shown = _shown(env, project, ["remember it", "--allowedTools", SAVE], keys)
    told = json.dumps(script.requests[-1]["messages"])
    return "" if "The user said so. It replaces, from now on:" in told else f"{told}\n{shown}"


def _prepared(home: Path, address: str) -> tuple[dict[str, str], Path]:
    """Return the environment and a project with one memory, for a client that has nothing to ask at its start."""
    env = palimp_environment(home) | claude_environment(address) | {"PALIMP_HOOKS_PATIENCE": "20"}
    project = home / "mine"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], env=env, cwd=project, check=True)
    subprocess.run([PALIMP, "install", "--client", "claude-code"], env=env, check=True, capture_output=True)
    saved = [PALIMP, "add", FORMER, "--kind", "decision"]
    subprocess.run(saved, env=env, cwd=project, check=True, capture_output=True)
    file = home / ".claude.json"
    known: dict[str, Any] = json.loads(file.read_text())
    known |= {"hasCompletedOnboarding": True, "theme": "dark"}
    known["customApiKeyResponses"] = {"approved": [CLAUDE_KEY[-20:]], "rejected": []}
    known["projects"] = {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}
    file.write_text(json.dumps(known))
    return env, project


def _shown(env: dict[str, str], project: Path, arguments: list[str], answers: list[tuple[str, str]]) -> str:
    """Return what Claude Code shows on a terminal where *answers* are typed; it is ended after RUN_S."""
    command = ["timeout", "--foreground", str(RUN_S), "claude"]
    text, _ = on_terminal(arguments, env, project, COLUMNS, command=command, answers=answers)
    return " ".join(ESCAPES.sub(" ", text).split())


def _expect(holds: object, shown: str) -> None:
    if not holds:
        sys.exit(f"not as it should be: {shown}")


if __name__ == "__main__":
    main()
