"""Which command is the face of which operation, and which of its options are which of the request's fields.

The documentation is made of it, and a test holds it to the table of operations and to the commands themselves.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Face(NamedTuple):
    """A command, and for each field of the request what sets it; a field that is not named has *why*."""

    command: str
    fields: Mapping[str, str] = {}
    why: Mapping[str, str] = {}
    """For fields that no option sets: the reason."""


_RECALL: Final = {
    "title": "--title",
    "limit": "--limit",
    "include_purged": "--purged",
    "scope": "--all",
    "kind": "--kind",
    "tags": "--tag",
    "detail": "--detail",
    "since": "--since",
    "until": "--until",
}
_BY_COMMAND: Final = {"action": "the command says it"}
_BY_SHOW: Final = {"id": "`palimp show` does it", "ids": "`palimp show` does it"}

FACES: Final[Mapping[str, tuple[Face, ...]]] = {
    "save_memory": (
        Face("add", {"text": "text", "title": "--title", "tags": "--tag", "kind": "--kind", "source": "--source"}),
    ),
    "recall": (
        Face(
            "search",
            {"query": "query", "explain": "--explain", **_RECALL},
            {**_BY_COMMAND, **_BY_SHOW, "offset": "`palimp list` does it", "mark": "a terminal shows it otherwise"},
        ),
        Face(
            "list", _RECALL | {"offset": "--page"}, {**_BY_COMMAND, **_BY_SHOW, "query": "search", "explain": "search"}
        ),
        Face("show", {"ids": "ids", "include_purged": "--purged"}),
        Face("delete", {"ids": "ids"}),
        Face("restore", {"ids": "ids"}),
    ),
    "list_docs": (Face("docs list"),),
    "read_doc": (Face("docs read", {"slug": "slug", "page": "--page"}),),
    "search_docs": (
        Face(
            "docs search",
            {
                "pattern": "pattern",
                "slug": "--slug",
                "is_regex": "--regex",
                "case_sensitive": "--case-sensitive",
                "ranked": "--ranked",
            },
        ),
    ),
    "add_doc": (Face("docs add", {"slug": "slug", "title": "--title", "content": "file"}),),
    "edit_doc": (Face("docs edit", {"slug": "slug", "title": "--title", "content": "file"}),),
    "delete_doc": (Face("docs delete", {"slug": "slug"}),),
    "docs_history": (Face("docs history", {"slug": "slug"}),),
    "restore_doc": (Face("docs restore", {"slug": "slug", "version": "--version"}),),
    "forget_doc": (Face("docs forget", {"slug": "slug", "versions": "versions"}),),
    "adopt_docs": (Face("docs adopt", {"files": "folder", "dry_run": "--dry-run"}),),
    "repair_docs": (Face("docs repair"),),
    "check_change": (
        Face(
            "changes check",
            {"path": "file", "is_staged": "--staged"},
            {"text": "it is read from stdin, from the file, or staged"},
        ),
    ),
    "list_changes": (Face("changes log", {"path": "path", "limit": "--limit"}),),
    "show_change": (Face("changes show", {"id": "id"}),),
    "dismiss_change": (Face("changes dismiss", {"id": "id", "watch": "--undo"}),),
    "import_changes": (Face("changes import", {"start": "--status", "since": "--since"}),),
    "hook": (Face("hook", {}, dict.fromkeys(("event", "input", "sent_at"), "a client runs it, not a person")),),
    "capture": (Face("capture", {"text": "file"}),),
    "summarize": (Face("summarize", {"since": "--since", "until": "--until", "tokens": "--tokens"}),),
    "compact": (Face("compact", {"apply": "--apply"}),),
    "compact_progress": (Face("compact"),),
    "undo": (Face("undo"),),
    "sessions": (Face("sessions", {"session": "session", "limit": "--limit"}),),
    "projects": (Face("projects list", {}, {"limit": "as many as one answer holds"}),),
    "link_project": (
        Face("projects same", {}, {"action": "the command says it"}),
        Face("projects new"),
        Face("projects link", {"root": "other"}),
        Face("projects unlink"),
    ),
    "tags": (Face("tags", {"scope": "--all", "limit": "--limit"}),),
    "switch": (Face("off", {}, {"on": "the command says it"}), Face("on")),
    "adopt": (Face("adopt", {"root": "former"}),),
    "context": (Face("context"),),
    "health": (Face("health"),),
    "config": (
        Face(
            "config set",
            {"key": "key", "value": "value", "file": "--in-project"},
            {"unset": "config unset"},
        ),
        Face("config unset", {"key": "key", "file": "--in-project"}),
        Face("config get", {"key": "key"}),
        Face("config list"),
    ),
    "export": (Face("export", {"everything": "--all"}, {"after": "the command asks for page after page"}),),
    "import_file": (
        Face(
            "import",
            {"path": "path", "format": "--from", "dry_run": "--dry-run", "here": "--here"},
            {"place": "the command asks for page after page"},
        ),
    ),
    "backup": (Face("backup", {"path": "path"}),),
    "tools": (Face("mcp tools"),),
    "http": (Face("http enable", {"port": "--port"}, _BY_COMMAND), Face("http disable"), Face("http status")),
    "embedding": (Face("embed"),),
    "erase": (Face("delete", {"ids": "ids"}),),
    "canary": (Face("doctor", {}, {"project": "its own"}),),
    "stop": (Face("stop", {}, {"for_version": "a newer palimp says it by itself"}),),
}
