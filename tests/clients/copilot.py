"""GitHub's Copilot CLI, headless and offline against the scripted model, with the tools that it offers to Claude."""

from pathlib import Path
from typing import Final

from client import RealClient, Step


def _configure(home: Path, address: str) -> dict[str, str]:
    del home  # everything is said in the environment
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "COPILOT_ALLOW_ALL": "true",  # also trusts the folder
        "COPILOT_AUTO_UPDATE": "false",
    }


def _command(prompt: str) -> list[str]:
    return ["copilot", "-p", prompt, "--allow-all-tools", "--no-color"]


def _save(text: str) -> Step:
    return {"tool": "palimp-save_memory", "input": {"text": text}}


def _write(path: Path, text: str) -> Step:
    return {"tool": "create", "input": {"path": str(path), "file_text": text}}


def _edit(path: Path, old: str, new: str) -> Step:
    return {"tool": "edit", "input": {"path": str(path), "old_str": old, "new_str": new}}


CLIENT: Final = RealClient(
    name="copilot",
    package="@github/copilot@1.0.102",
    program="copilot",
    configure=_configure,
    command=_command,
    save=_save,
    write=_write,
    edit=_edit,
)
