"""The tools of Gemini CLI, which Qwen Code has under nearly the same names, as Claude Code's."""

from collections.abc import Mapping
from typing import Any, Final

from palimp_protocol.dialects.event import mapping_of, path_in, text_of

TOOLS: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "replace": ("Edit", "file_path", ("old_string", "new_string")),
    "edit": ("Edit", "file_path", ("old_string", "new_string")),
    "write_file": ("Write", "file_path", ("content",)),
    "read_file": ("Read", "file_path", ()),
    "notebook_edit": ("NotebookEdit", "notebook_path", ("cell_id", "new_source", "edit_mode")),
    "run_shell_command": ("Bash", "", ("command",)),
}
"""By their names: the name in Claude Code, where the path stands, and what else is told of the input."""

EVERYWHERE: Final = ("allow_multiple", "replace_all")
"""What says that every place is edited: Gemini's word, and Qwen's."""


def tool_of(given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return what *given* says of a tool's use; the input only of tools that palimp does something about."""
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
    """Return what *given* says of the file before it was edited: nothing, or all of its former text."""
    shown = mapping_of(mapping_of(given, "tool_response"), "returnDisplay")
    original = shown.get("originalContent")
    return {"tool_response": {"originalFile": original}} if isinstance(original, str) else {}
