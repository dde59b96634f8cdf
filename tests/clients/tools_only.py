"""Real agents that get palimp's tools alone: what one run saves, the next one recalls, and nothing is left behind.

None of them hears of palimp before it calls a tool: hooks are not part of this. What was said in a run is found.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from client import Step
from scenario import PALIMP, SAVED, Stage, comes, expect, stage
from scripted_models import MODEL


@dataclass(frozen=True)
class ToolsOnly:
    """A client's program from npm."""

    name: str
    package: str
    configure: Callable[[Path, str], dict[str, str]]
    """(home, address of the model): writes the client's own settings; returns environment variables."""
    command: Callable[[str], list[str]]
    call: Callable[[str, dict[str, Any]], list[Step]]
    """The steps that call a tool of palimp's."""


def play(client: ToolsOnly) -> str:
    """Play the scenario with *client*; return what was seen.

    Raises:
        FailedError: something was not as it should be.
    """
    with stage() as here:
        here.env |= client.configure(here.home, here.address)
        before = _files_of(here.home)
        here.palimp("install", "--client", client.name)
        # It fails where Claude Code is here, too: that is not registered in this home.
        checked = here.run(["sh", "-c", '"$0" doctor || true', PALIMP])
        expect(client.name in checked, "doctor does not name the client")
        _run(here, client, "Save it.", "save_memory", {"text": SAVED, "kind": "decision"})
        expect(SAVED in here.palimp("list", "--json"), "nothing was saved through the tool")
        shown = _run(here, client, "What do we know of cents?", "recall", {"query": "integer cents"})
        expect("because floats lost" in shown[-1], f"what was recalled is not in the next request: {shown[-1][-3000:]}")
        here.palimp("conversations", "--read")
        comes(here, "What do we know of cents", "search", "--kind", "conversation", "know of cents", "--json")
        here.palimp("uninstall", "--client", client.name)
        after = _files_of(here.home)
        changed = {path for path in before if after.get(path) != before[path]}
        expect(not changed, f"not as they were: {changed}")
    return "a save and a recall through its tools, its session read; and gone to the byte"


def _run(here: Stage, client: ToolsOnly, prompt: str, tool: str, given: dict[str, Any]) -> list[str]:
    here.script.play(*client.call(tool, given), {"text": "Done."})
    here.run(client.command(prompt))
    expect(not here.script.steps, f"these steps were never asked for: {here.script.steps}")
    return [json.dumps(turn.get("messages") or turn.get("input"), ensure_ascii=False) for turn in here.script.turns]


def _files_of(home: Path) -> dict[str, bytes]:
    names = (".factory/mcp.json", ".factory/settings.json")
    return {name: (home / name).read_bytes() for name in names if (home / name).exists()}


def _droid(home: Path, address: str) -> dict[str, str]:
    folder = home / ".factory"
    folder.mkdir(parents=True)
    model = {
        "model": MODEL, "id": f"custom:{MODEL}", "displayName": MODEL, "baseUrl": f"{address}/v1", "apiKey": "none",
        "provider": "generic-chat-completion-api", "maxOutputTokens": 4_096,
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps({"customModels": [model]}, indent=2) + "\n", encoding="utf-8")
    return {}


def _searched(tool: str, given: dict[str, Any]) -> list[Step]:
    name = f"palimp___{tool}"
    return [{"tool": "ToolSearch", "input": {"query": f"select:{name}"}}, {"tool": name, "input": given}]


CLIENTS: Final = {
    each.name: each
    for each in (
        ToolsOnly(
            "droid",
            "droid@0.215.0",
            _droid,
            lambda prompt: ["droid", "exec", "--auto", "high", "-m", f"custom:{MODEL}", prompt],
            _searched,
        ),
    )
}
