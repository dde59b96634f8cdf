"""The real Claude Code and the MCP Inspector against palimp, in every protocol era they speak.

    real_client.py            run by tests/system/real_client.sh, which puts node, claude and mcp-inspector on the PATH

Prints one line for each thing it saw and exits with 1 at the first that is not as it should be.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import apsw
from claude_notes import ClaudeHome
from retry_helper import KEEP, RENAMED, RETRY
from running_daemon import palimp_environment, temporary_home, wait_until
from scripted_models import Script, claude_environment, serve

from palimp_clients.claude_code import plugin

ROOT = Path(__file__).parents[2]
SHIM = str(Path(sys.executable).with_name("palimp-shim"))
TOOLS = "mcp__palimp__save_memory,mcp__palimp__recall"
TEXT = "The ledger uses integer cents because floats lost a cent in March."
RUN_S = 120
PALIMP = str(Path(sys.executable).with_name("palimp"))
DECIDED = "We decided to keep the ledger in integer cents, because floats lost a cent in March."
NUMBERED = "We decided to number invoices by year, because the tax office asks for it."
WHY = "it hides outages from the callers"


OLD_CLIENT = ROOT / ".cache" / "claude-2.1.117" / "node_modules" / ".bin"
"""The last version whose hooks cannot be calls."""

SHOWN = ("hook_no_verdict", "stop-hook-error", "hook_non_blocking_error", "hook_cancelled", "hook_blocking_error")
"""What the client calls what it shows of a hook that failed: two in its output, the others in its transcript."""


def main() -> None:
    """Run everything."""
    version = _run(["claude", "--version"], dict(os.environ)).strip()
    for era in ("2026-07-28", "2025-11-25"):
        with temporary_home() as home, serve(script := Script()) as address:
            _claude_code(era, home, script, address)
        print(f"{version}, {era}: registered, connected, saved in one session, recalled in another, hidden elsewhere")
    scenarios: dict[Callable[[Path, Script, str], None], str] = {
        _removed_code: "hooks: removed code was denied with its reason, passed when sent again, was told at the start",
        _disturbed: "hooks: a daemon that stood still, and one that was killed, kept no edit waiting, showed nothing",
        _capture: "hooks: what one session decided another knew at its start, and its prompt brought it, unasked",
        _before_acting: "hooks: before it acted it was told its memories, and what worked when a command had failed",
        _resumed: "hooks: two resumes and a fork hold the start's context once, whatever their session saved itself",
        _own_memory: "its own memory was found by recall with its path, and was in its context once",
        _installed_and_gone: "palimp install connects it, palimp uninstall leaves nothing in its files",
        _plugin: "the plugin and its marketplace validate --strict, and it works without an installation",
    }
    if OLD_CLIENT.exists():
        scenarios[_old_client] = "hooks: a version that cannot call them runs commands, and denies removed code as well"
    for scenario, shown in scenarios.items():
        with temporary_home() as home, serve(script := Script()) as address:
            scenario(home, script, address)
        print(f"{version}, {shown}")
    with temporary_home() as home:
        _inspector(palimp_environment(home))
    print("MCP Inspector, legacy, auto and modern: tools/list --strict and tools/call pass")
    print("real clients: all passed")


def _claude_code(era: str, home: Path, script: Script, address: str) -> None:
    """Save in one session, recall in a second, and find nothing from another project."""
    env = _environment(home, address)
    if era.startswith("2025"):
        env["MCP_PROTOCOL_NEGOTIATION"] = "legacy"
    mine, other = home / "mine", home / "other"
    for folder in (mine, other):
        folder.mkdir()
        _run(["git", "init", "-q"], env, folder)
    _run(["claude", "mcp", "add", "--scope", "user", "palimp", "--", SHIM], env, mine)
    _expect("Connected" in _run(["claude", "mcp", "list"], env, mine), "claude mcp list does not show it connected")

    saved = _session(env, mine, script, "save_memory", {"text": TEXT, "kind": "decision"})
    _expect(saved.startswith('Saved "The ledger uses integer cents'), f"save_memory answered: {saved}")
    found = _session(env, mine, script, "recall", {"query": "why integer cents?"})
    _expect("integer** **cents** because floats lost" in found and "1 of 1" in found, f"recall answered: {found}")
    hidden = _session(env, other, script, "recall", {"query": "why integer cents?", "scope": "all"})
    _expect(hidden.startswith("No memory matches"), f"another project was told: {hidden}")
    _expect(
        "Long-term project memory" in json.dumps(script.requests[0]),
        "the model was not shown the server's instructions",
    )


def _plugin(home: Path, script: Script, address: str) -> None:
    """The plugin alone: its server saves and recalls, its hooks tell a session what another knew."""
    env, project = _environment(home, address), home / "mine"
    env["PATH"] = f"{Path(SHIM).parent}:{env['PATH']}"
    project.mkdir()
    _run(["git", "init", "-q"], env, project)
    for folder in (ROOT / plugin.FOLDER, ROOT):
        _expect(
            "Validation passed" in _run(["claude", "plugin", "validate", "--strict", str(folder)], env, project), folder
        )
    script.steps = [
        {"tool": "mcp__plugin_palimp_palimp__save_memory", "input": {"text": TEXT, "kind": "decision"}},
        {"text": "done"},
    ]
    given = ["--plugin-dir", str(ROOT / plugin.FOLDER)]
    tools = ["--allowedTools", "mcp__plugin_palimp_palimp__save_memory"]
    _run(["claude", *given, "-p", "remember it", *tools], env, project)
    script.steps, script.requests[:] = [{"text": "done"}], []
    _run(["claude", *given, "-p", "hello"], env, project)
    _expect("integer cents" in json.dumps(script.requests[0]), "the plugin's hook did not tell the next session")


def _environment(home: Path, address: str) -> dict[str, str]:
    # A check that is late lets the edit through, which is not what is shown here.
    return palimp_environment(home) | claude_environment(address) | {"PALIMP_HOOKS_PATIENCE": "20"}


def _disturbed(home: Path, script: Script, address: str) -> None:
    """While a session edits, its daemon stands still, goes on, and is killed: nothing is blocked, shown, or lost."""
    env, project = _environment(home, address) | {"PALIMP_HOOKS_PATIENCE": "1"}, home / "mine"
    project.mkdir()
    _run(["git", "init", "-q"], env, project)
    file = project / "client.py"
    file.write_text(KEEP + RETRY + "days = 0\n")
    _install(env)
    _expect(_calls_in_settings(home) > 0, "the hooks of a version that can call them are commands")
    pid = json.loads(_run([PALIMP, "health", "--json"], env, project))["pid"]

    signals = ("STOP", "CONT", "KILL")
    edits = [(RETRY, ""), ("days = 0", "days = 1"), ("days = 1", "days = 2"), ("days = 2", "days = 3")]
    script.steps = [{"tool": "Read", "input": {"file_path": str(file)}}]
    for command, (old, new) in zip((*(f"kill -{signal} {pid}" for signal in signals), "true"), edits, strict=True):
        script.steps.append({"tool": "Bash", "input": {"command": command}})
        edit = {"file_path": str(file), "old_string": old, "new_string": new}
        script.steps.append({"tool": "Edit", "input": edit})
    script.steps.append({"text": "done"})
    told = ["--output-format", "stream-json", "--verbose"]
    output = _run(["claude", "-p", f"Tidy up: {WHY}", "--allowedTools", "Read,Edit,Bash", *told], env, project)
    transcripts = "".join(path.read_text() for path in home.glob(".claude/projects/*/*.jsonl"))
    _expect(file.read_text() == KEEP + "days = 3\n", f"an edit was blocked: {file.read_text()}")
    shown = [word for word in SHOWN if f'"{word}"' in output + transcripts]
    _expect(not shown, f"the user was shown {shown}: {output}")
    wait_until(lambda: "client.py" in _removed(env, project), RUN_S, lambda: "the edit was lost")


def _removed(env: dict[str, str], project: Path) -> str:
    command = [PALIMP, "changes", "log"]
    return subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=False).stdout


def _calls_in_settings(home: Path) -> int:
    return (home / ".claude" / "settings.json").read_text().count('"mcp_tool"')


def _old_client(home: Path, script: Script, address: str) -> None:
    """A version that ignores its settings for one hook of a kind that it does not know."""
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{OLD_CLIENT}:{path}"
    try:
        _removed_code(home, script, address)
        _expect(_calls_in_settings(home) == 0, "an old version was given hooks that it does not know")
    finally:
        os.environ["PATH"] = path


def _removed_code(home: Path, script: Script, address: str) -> None:
    """One session removes a function; a day later another tries to add it again with other names."""
    env, project = _environment(home, address), home / "mine"
    project.mkdir()
    _run(["git", "init", "-q"], env, project)
    file = project / "client.py"
    file.write_text(KEEP + RETRY)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    _run(["git", "add", "client.py"], env, project)
    _run(["git", *identity, "commit", "-qm", "Talk to the server"], env, project)
    _install(env)

    script.steps = [
        {"tool": "Read", "input": {"file_path": str(file)}},
        {"tool": "Edit", "input": {"file_path": str(file), "old_string": RETRY, "new_string": ""}},
        {"text": "The retry helper is gone."},
    ]
    _run(["claude", "-p", f"Remove the retry helper: {WHY}", "--allowedTools", "Read,Edit"], env, project)
    _expect(file.read_text() == KEEP, f"the function was not removed: {file.read_text()}")
    _let_a_day_pass(env)

    again = {"file_path": str(file), "old_string": KEEP, "new_string": KEEP + RENAMED}
    script.steps = [
        {"tool": "Read", "input": {"file_path": str(file)}},
        {"tool": "Edit", "input": again},
        {"tool": "Edit", "input": again},
        {"text": "done"},
    ]
    script.requests.clear()
    _run(["claude", "-p", "Make calls more robust", "--allowedTools", "Read,Edit"], env, project)
    # Without the tools: an old version sends the descriptions of all of them, and they speak of removed code, too.
    shown = [json.dumps([request["messages"], request.get("system")]) for request in script.requests]
    denied = [number for number, request in enumerate(shown) if "reintroduces code that was removed" in request]
    _expect(bool(denied), f"the model was not told: {script.requests[-1]['messages']}")
    _expect("Recently removed code" in shown[0] and WHY in shown[0], "the session was not told of it at its start")
    # The first, the read file, the denial, the edit that passed: the model saw the reason before it tried again.
    _expect(WHY in shown[denied[0]] and "send the same edit again" in shown[denied[0]], "the denial lacks its reason")
    _expect(
        "has been updated" not in shown[denied[0]].split("reintroduces code")[1], "the first attempt was not denied"
    )
    _expect(file.read_text() == KEEP + RENAMED, f"the second attempt did not pass: {file.read_text()}")
    _expect("was let through, since you sent it again" in shown[-1], "the model was not told that it passed")


def _capture(home: Path, script: Script, address: str) -> None:
    """One session decides something; nobody calls a tool, and a session knows it once the user kept it."""
    env, project = _environment(home, address), home / "mine"
    project.mkdir()
    _run(["git", "init", "-q"], env, project)
    _install(env)

    script.steps = [{"text": "Understood, I will write it with integer cents."}]
    _run(["claude", "-p", f"{DECIDED} Please plan the ledger export."], env, project)
    wait_until(
        lambda: "integer cents" in _list(env, project), RUN_S, lambda: f"nothing was captured: {_list(env, project)}"
    )

    _expect(DECIDED not in _told(script, env, project), "a proposal was told before anybody kept it")
    [proposal] = json.loads(_run([PALIMP, "review", "--json"], env, project))["proposals"]
    _run([PALIMP, "review", "--keep", proposal["id"]], env, project)
    shown = _told(script, env, project)
    _expect("Notes from earlier sessions of this project" in shown, f"no context was shown: {shown[-2000:]}")
    _expect("Decisions and architecture" in shown and "integer cents" in shown, "the decision was not in the context")
    _expect("bear on this prompt" in shown, "the prompt did not bring its memory")
    _expect(DECIDED in shown, "the memory was not brought whole")


def _told(script: Script, env: dict[str, str], project: Path) -> str:
    """Return what a session is shown that begins to work on the ledger."""
    script.steps = [{"text": "done"}]
    script.requests.clear()
    _run(["claude", "-p", "Write the ledger export, with the sums in integer cents."], env, project)
    return json.dumps(script.requests[0]["messages"]) + json.dumps(script.requests[0].get("system"))


def _before_acting(home: Path, script: Script, address: str) -> None:
    """A session is told what is known of a file and of commits, and the next one what worked when a command failed."""
    env, project = _environment(home, address), home / "mine"
    project.mkdir()
    (project / "ttl.py").write_text("DAYS = 14\n")
    _run(["git", "init", "-q"], env, project)
    _install(env)
    _run([PALIMP, "add", "Guests keep their cart 14 days (`ttl.py`)."], env, project)
    _run([PALIMP, "add", "Commit messages in English.", "--kind", "preference"], env, project)

    failing, working = (
        "git pull ../elsewhere main",
        "git init -q --bare ../elsewhere; git pull ../elsewhere main || true",
    )
    calls = [{"tool": "Read", "input": {"file_path": str(project / "ttl.py")}}]
    lines = ("git commit --allow-empty -m x || true", failing, working)
    calls += [{"tool": "Bash", "input": {"command": line}} for line in lines]
    allowed = ["--allowedTools", "Read,Bash"]
    script.steps = [*calls, {"text": "done"}]
    script.requests.clear()
    _run(["claude", "-p", "Tidy up", *allowed], env, project)
    shown = json.dumps(script.requests[-1]["messages"])
    _expect(shown.count("on what you are about to do") == 2, f"it was not told of the file and the commit: {shown}")
    _expect("Guests keep their cart" in shown and "Commit messages in English" in shown, f"nor what: {shown}")

    script.steps = [{"tool": "Bash", "input": {"command": failing}}, {"text": "done"}]
    script.requests.clear()
    _run(["claude", "-p", "Go on", *allowed], env, project)
    shown = json.dumps(script.requests[-1]["messages"])
    _expect("This failed in an earlier session" in shown and working in shown, f"what worked was not told: {shown}")


def _resumed(home: Path, script: Script, address: str) -> None:
    """A session saves and decides something, is resumed twice, after a restart, too, and forked: it was told once."""
    env, project = _environment(home, address), home / "mine"
    project.mkdir()
    _run(["git", "init", "-q"], env, project)
    _install(env)
    _run([PALIMP, "add", "The wombat reviews deployments.", "--kind", "decision"], env, project)

    def session(*more: str) -> str:
        """Run a turn; return the session's id."""
        script.requests.clear()
        command = ["claude", "-p", f"{NUMBERED} Go on.", "--allowedTools", TOOLS, "--output-format", "json", *more]
        session_id: str = json.loads(_run(command, env, project))["session_id"]
        told = json.dumps([script.requests[-1]["messages"], script.requests[-1].get("system")])
        for what in ("wombat", "Decisions and architecture"):
            _expect(told.count(what) == 1, f"{more}: the start's context is there {told.count(what)} times: {told}")
        return session_id

    script.steps = [{"tool": "mcp__palimp__save_memory", "input": {"text": TEXT, "kind": "decision"}}, {"text": "ok"}]
    first = session()
    wait_until(lambda: "invoices by year" in _list(env, project), RUN_S, lambda: _list(env, project))
    session("--resume", first)
    _run([PALIMP, "stop"], env, project)
    (Path(env["PALIMP_HOME"]) / "stopped").unlink()
    _run([PALIMP, "health"], env, project)
    session("--resume", first)
    fork = session("--resume", first, "--fork-session")
    _expect(fork != first, "the fork is the same session")
    session("--resume", fork)


def _own_memory(home: Path, script: Script, address: str) -> None:
    """What Claude Code noted itself is found in a session, and its index is in the first request once: its own."""
    env, project = _environment(home, address), home / "my.shop é"
    (project / "backend").mkdir(parents=True)
    _run(["git", "init", "-q"], env, project)
    _install(env)
    _run([PALIMP, "add", "The wombat reviews deployments.", "--kind", "decision"], env, project)
    claude = ClaudeHome(home)
    note = claude.note(
        project, "deploys", "Deploy on Tuesdays, for the kangaroo is away.", "when to deploy", "feedback"
    )
    index = claude.memory(project) / "MEMORY.md"
    index.write_text("- [Deploys](deploys.md) — the quokka index of deployments\n")
    before = {file: file.read_bytes() for file in (note, index)}

    # In a subfolder: its transcript is elsewhere, and says whose the memory is.
    asked = {"query": "when do we deploy, kangaroo?"}
    found = _session(env, project / "backend", script, "recall", asked)
    _expect("agents' own memories" in found and "on Tuesdays, for the" in found, f"recall answered: {found}")
    _expect(str(note) in found, f"its path was not told: {found}")
    first = script.requests[0]
    told = json.dumps(first["messages"]) + json.dumps(first.get("system"))
    _expect("wombat" in told, f"palimp told the session nothing: {told}")
    _expect(told.count("quokka") == 1, f"its index was in the first request {told.count('quokka')} times: {told}")
    _expect("kangaroo is away" not in told, f"a note was told unasked: {told}")
    _expect(before == {file: file.read_bytes() for file in before}, "its files were written")


def _list(env: dict[str, str], project: Path) -> str:
    return subprocess.run([PALIMP, "list"], env=env, cwd=project, capture_output=True, text=True, check=False).stdout


def _install(env: dict[str, str]) -> None:
    """Put palimp into the client as a user does."""
    _run([PALIMP, "install"], env)


def _installed_and_gone(home: Path, _: Script, address: str) -> None:
    """After `palimp install` the client is connected; after `palimp uninstall` it knows nothing of palimp."""
    env = _environment(home, address)
    _run(["claude", "mcp", "list"], env)  # so that the client has files of its own
    _install(env)
    _expect("Connected" in _run(["claude", "mcp", "list"], env), "after palimp install it is not connected")
    _run([PALIMP, "uninstall"], env)
    listed = _run(["claude", "mcp", "list"], env)
    left = [str(path) for path in home.rglob("*") if path.is_file() and "state" not in path.parts and _names_us(path)]
    _expect("palimp-shim" not in listed and not left, f"after palimp uninstall: {listed} {left}")


def _names_us(path: Path) -> bool:
    return b"palimp-shim" in (data := path.read_bytes()) or b"palimp hook" in data


def _let_a_day_pass(env: dict[str, str]) -> None:
    """Move everything that is recorded a day back, with the daemon stopped."""
    _run([PALIMP, "stop"], env)
    database = apsw.Connection(str(Path(env["PALIMP_HOME"]) / "palimp.db"))
    database.execute("UPDATE changes SET at = at - 86400000")
    database.close()
    (Path(env["PALIMP_HOME"]) / "stopped").unlink()  # that was yesterday, too
    _run([PALIMP, "health"], env)


def _session(env: dict[str, str], folder: Path, script: Script, tool: str, arguments: dict[str, Any]) -> str:
    """Let Claude Code call *tool* in a session of its own and return what the model was shown."""
    script.steps = [{"tool": f"mcp__palimp__{tool}", "input": arguments}, {"text": "done"}]
    script.requests.clear()
    _run(["claude", "-p", f"use {tool}", "--allowedTools", TOOLS], env, folder)
    for request in script.requests:
        for message in request["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_result":
                    content = block["content"]
                    return content if isinstance(content, str) else content[0]["text"]
    raise SystemExit(f"the model was never shown an answer of {tool}")


def _inspector(env: dict[str, str]) -> None:
    for era in ("legacy", "auto", "modern"):
        base = ["mcp-inspector", "--cli", "--protocol-era", era, "--format", "json", SHIM]
        listed = _run([*base, "--method", "tools/list", "--strict"], env, Path(env["HOME"]))
        _expect("save_memory" in listed and "recall" in listed, f"{era}: tools/list: {listed}")
        call = [*base, "--method", "tools/call", "--tool-name", "save_memory", "--tool-arg", f"text={era} inspector"]
        saved = _run(call, env, Path(env["HOME"]))
        _expect("Saved" in saved, f"{era}: tools/call: {saved}")


def _run(command: list[str], env: dict[str, str], folder: Path | None = None) -> str:
    done = subprocess.run(
        command,
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    _expect(done.returncode == 0, f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise SystemExit(f"FAILED: {otherwise}")


if __name__ == "__main__":
    if shutil.which("claude") is None or shutil.which("mcp-inspector") is None:
        raise SystemExit("claude and mcp-inspector must be on the PATH: run tests/system/real_client.sh")
    main()
