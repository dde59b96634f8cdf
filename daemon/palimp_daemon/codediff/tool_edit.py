"""Read an agent's tool call as an edit."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from palimp_protocol.surrogates import mended_json


class Texts(NamedTuple):
    """The text of a file, or of its replaced part, before and after."""

    before: str
    after: str


def file_of(tool_input: Mapping[str, Any]) -> str:
    """Return the path of the file in a tool call, or ""."""
    path = tool_input.get("file_path") or tool_input.get("notebook_path")
    return path if isinstance(path, str) else ""


def preview_edit(tool: str, tool_input: Mapping[str, Any], text: str) -> Texts:
    """Apply a call, not yet made, to a file that holds *text*.

    If the file lacks an edit's former text, the edit's own texts are compared.
    """
    if tool in ("Write", "Delete"):
        return Texts(text, _string(tool_input, "content"))
    if tool == "NotebookEdit":
        source = _cell_source(text, _string(tool_input, "cell_id"))
        mode = tool_input.get("edit_mode") or "replace"
        after = "" if mode == "delete" else _string(tool_input, "new_source")
        return Texts("" if mode == "insert" else source, after)
    after, outside = text, list[str]()
    for edit in _edits(tool_input):
        old, new = _string(edit, "old_string"), _string(edit, "new_string")
        if old and old in after:
            after = after.replace(old, new) if edit.get("replace_all") else after.replace(old, new, 1)
        elif old or new:
            outside.append(new)
    return Texts(text, "\n".join([after, *outside]) if outside else after)


def reconstruct_edit(tool: str, tool_input: Mapping[str, Any], response: Mapping[str, Any], text: str) -> Texts:
    """Reconstruct a finished call's effect on a file that now holds *text*.

    The client's answer may hold the former text; else the edit is undone in *text*; else its own texts are compared.
    """
    original = response.get("originalFile")
    if isinstance(original, str) and tool != "NotebookEdit":
        return Texts(original, text)
    if tool in ("Write", "Delete", "NotebookEdit"):
        return Texts("", "")  # what was there before is not known
    before = text
    for edit in reversed(_edits(tool_input)):
        old, new = _string(edit, "old_string"), _string(edit, "new_string")
        if new and new in before:
            before = before.replace(new, old) if edit.get("replace_all") else before.replace(new, old, 1)
        else:
            edits = _edits(tool_input)
            return Texts(
                "\n".join(_string(each, "old_string") for each in edits),
                "\n".join(_string(each, "new_string") for each in edits),
            )
    return Texts(before, text)


def _edits(tool_input: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    edits = tool_input.get("edits")
    if isinstance(edits, list):
        return [cast("Mapping[str, Any]", edit) for edit in cast("list[Any]", edits) if isinstance(edit, dict)]
    return [tool_input]


def _string(mapping: Mapping[str, Any], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def _cell_source(text: str, cell_id: str) -> str:
    try:
        cells = json.loads(mended_json(text.encode("utf-8", "surrogatepass")))["cells"]
        for cell in cells:
            if cell.get("id") == cell_id:
                return "".join(cell["source"])
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    return ""
