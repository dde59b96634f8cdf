"""Tools of Gemini CLI and Qwen Code, in Claude Code's form."""

from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.hooks.event import mapping_of, path_in, text_of

TOOLS: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "replace": ("Edit", "file_path", ("old_string", "new_string")),
    "edit": ("Edit", "file_path", ("old_string", "new_string")),
    "write_file": ("Write", "file_path", ("content",)),
    "read_file": ("Read", "file_path", ()),
    "notebook_edit": ("NotebookEdit", "notebook_path", ("cell_id", "new_source", "edit_mode")),
    "run_shell_command": ("Bash", "", ("command",)),
}
"""Each tool's name in Claude Code, its key for the path, and its other keys."""

EVERYWHERE: Final = ("allow_multiple", "replace_all")
"""Flags to edit every place, of Gemini and Qwen."""


def tool_of(given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return the tool use, with input only for known tools."""
    name = text_of(given, "tool_name")
    if name not in TOOLS:
        return {"tool_name": name} if name else {}
    ours, path_key, texts = TOOLS[name]
    asked = mapping_of(given, "tool_input")
    told: dict[str, Any] = {key: text for key in texts if isinstance(text := asked.get(key), str)}
    if path := text_of(asked, path_key) or (text_of(asked, "absolute_path") if ours == "Read" else ""):
        told[path_key] = path_in(folder, path)
    if ours == "Edit":
        told["replace_all"] = any(asked.get(key) is True for key in EVERYWHERE)
    return {"tool_name": ours, "tool_input": told}


def former_text_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edited file's former text, or {}."""
    shown = mapping_of(mapping_of(given, "tool_response"), "returnDisplay")
    original = shown.get("originalContent")
    return {"tool_response": {"originalFile": original}} if isinstance(original, str) else {}
