"""Files edited by a tool's call, in the clients' forms."""

import re
from itertools import islice
from typing import Final

import msgspec

from palimp_clients.transcripts.json_values import object_of, text_in, text_of

EDITING: Final = frozenset(
    {
        *("Edit", "MultiEdit", "Write", "NotebookEdit"),  # Claude Code
        *("apply_patch", "shell", "exec_command", "shell_command", "local_shell"),  # Codex; some give a shell a patch
        "Create",  # Factory droid
        *("create", "edit", "str_replace", "insert", "str_replace_editor"),  # Copilot CLI
        *("write_file", "replace"),  # Gemini CLI, Qwen Code
        *("write", "multiedit", "patch"),  # OpenCode
        *("notebook_edit", "edit_file"),
    }
)

PATHS: Final = ("file_path", "notebook_path", "filePath", "path")

FILES_MAX: Final = 64
"""Files per patch; a summary names twenty."""

_PATCH: Final = "*** Begin Patch"

_PATCHES: Final = ("input", "patch", "patchText", "command", "cmd")
"""Fields that may hold a patch."""

_SHELLS: Final = frozenset({"shell", "exec_command", "shell_command", "local_shell"})

_PATCHED: Final = re.compile(r"(?m)^\*\*\* (?:Add File|Update File|Delete File|Move to): (\S[^\n]*?)\s*$")


def files_of_call(name: str, given: msgspec.Raw) -> tuple[str, ...]:
    """Return files edited by tool *name*; *given* is an object, or a text with one or a patch."""
    if name not in EDITING:
        return ()
    text = text_of(given)
    is_json = text.lstrip().startswith("{")
    fields = object_of(msgspec.Raw(text.encode(errors="replace")) if is_json else given)
    path = "" if name in _SHELLS else next(filter(None, (text_in(fields, key) for key in PATHS)), "")
    if path:
        return () if text_in(fields, "command") == "view" else (path,)
    patches = [*(text_in(fields, key) for key in _PATCHES), text]
    patch = next((each for each in patches if _PATCH in each), "")
    return tuple(dict.fromkeys(found[1] for found in islice(_PATCHED.finditer(patch), FILES_MAX)))
