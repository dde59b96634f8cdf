"""Codex CLI: its settings, its command line, its tools."""

import json
from pathlib import Path
from typing import Final

from client import RealClient, Step
from scenario import Stage, expect


def configure(home: Path, address: str) -> dict[str, str]:
    """Write settings under which Codex talks to the scripted model, asks nothing, and reports nothing."""
    folder = home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f"""\
# Written by a person.
model_provider = "scripted"
model = "gpt-5.5"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false
""",
        encoding="utf-8",
    )
    hooks = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n'
    (folder / "hooks.json").write_text(hooks, encoding="utf-8")
    return {"SCRIPTED_KEY": "x"}


def command(prompt: str) -> list[str]:
    """Run one prompt without a terminal."""
    return ["codex", "exec", "--skip-git-repo-check", prompt]


def save(text: str) -> Step:
    """Tools of MCP servers are called with the server's namespace."""
    return {"tool": "save_memory", "namespace": "mcp__palimp", "input": {"text": text, "kind": "decision"}}


def write(path: Path, text: str) -> Step:
    """A patch that adds a file."""
    return _patch(f"Add File: {path}", *(f"+{line}" for line in text.splitlines()))


def edit(path: Path, old: str, new: str) -> Step:
    """A patch that takes the lines of *old* out and puts those of *new* in."""
    lines = [f"{mark}{line}" for mark, text in (("-", old), ("+", new)) for line in text.splitlines()]
    return _patch(f"Update File: {path}", "@@", *lines)


def shell(line: str) -> Step:
    """A command line."""
    return {"tool": "exec_command", "input": {"cmd": line}}


def _patch(header: str, *lines: str) -> Step:
    return {"tool": "apply_patch", "input": "\n".join(["*** Begin Patch", f"*** {header}", *lines, "*** End Patch"])}


CONNECTED: Final[tuple[Step, ...]] = (
    {"tool": "list_mcp_resources", "input": {"server": "palimp"}},  # Codex waits for the server that it is asked about
)

RECALLING, SAVING = "`recall` before deciding", "`save_memory` after a decision"


def tools_and_instructions(here: Stage, client: RealClient) -> str:
    """The tools are declared with all instructions; a model from which they are deferred has the one line."""
    here.session(client, "What is left to do?", {"text": "Nothing."})
    declared = [tool for tool in here.script.turns[0]["tools"] if tool.get("name") == "mcp__palimp"]
    expect(len(declared) == 1, f"palimp's tools are not declared: {here.script.turns[0]['tools']}")
    names = {tool["name"] for tool in declared[0]["tools"]}
    expect({"recall", "save_memory", "check_change"} <= names, f"tools are missing: {names}")
    told = declared[0]["description"]
    expect(told.rstrip().endswith("in both."), f"the instructions do not arrive whole: {told}")

    config = here.home / ".codex" / "config.toml"
    lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
    config.write_text("".join(line for line in lines if not line.startswith("omit_tools_from")), encoding="utf-8")
    [deferring, *_] = here.session(client, "What is left to do?", *CONNECTED, {"text": "Nothing."})
    told = json.dumps([deferring, here.script.turns[0]["tools"]], ensure_ascii=False)
    expect("mcp__palimp" in told, f"the model is not told of palimp: {told}")
    expect("check_change" not in told, "nothing was deferred, so that this shows nothing")
    expect(RECALLING in told and SAVING in told, f"its one line does not say when to recall and to save: {told}")
    return "tools declared with all instructions, or one line that says when to recall and to save"


CLIENT: Final = RealClient(
    "codex",
    "@openai/codex@0.171.0",
    "codex",
    configure,
    command,
    save,
    write,
    edit,
    shell=shell,
    connected=CONNECTED,
    also=tools_and_instructions,
)
