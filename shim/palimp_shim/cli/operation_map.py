"""Which command calls which operation, and which of its options are which of the request's fields.

The documentation is made of it, and a test holds it to the table of operations and to the commands themselves.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Binding(NamedTuple):
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

OPERATION_MAP: Final[Mapping[str, tuple[Binding, ...]]] = {
    "save_memory": (
        Binding("add", {"text": "text", "title": "--title", "tags": "--tag", "kind": "--kind", "source": "--source"}),
    ),
    "recall": (
        Binding(
            "search",
            {"query": "query", "explain": "--explain", **_RECALL},
            {**_BY_COMMAND, **_BY_SHOW, "offset": "`palimp list` does it", "mark": "a terminal shows it otherwise"},
        ),
        Binding(
            "list", _RECALL | {"offset": "--page"}, {**_BY_COMMAND, **_BY_SHOW, "query": "search", "explain": "search"}
        ),
        Binding("show", {"ids": "ids", "include_purged": "--purged"}),
        Binding("delete", {"ids": "ids"}),
        Binding("restore", {"ids": "ids"}),
    ),
    "list_docs": (Binding("docs list"),),
    "read_doc": (Binding("docs read", {"slug": "slug", "page": "--page"}),),
    "search_docs": (
        Binding(
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
    "add_doc": (Binding("docs add", {"slug": "slug", "title": "--title", "content": "file"}),),
    "edit_doc": (Binding("docs edit", {"slug": "slug", "title": "--title", "content": "file"}),),
    "delete_doc": (Binding("docs delete", {"slug": "slug"}),),
    "docs_history": (Binding("docs history", {"slug": "slug"}),),
    "restore_doc": (Binding("docs restore", {"slug": "slug", "version": "--version"}),),
    "forget_doc": (Binding("docs forget", {"slug": "slug", "versions": "versions"}),),
    "adopt_docs": (Binding("docs adopt", {"files": "folder", "dry_run": "--dry-run"}),),
    "repair_docs": (Binding("docs repair"),),
    "check_change": (
        Binding(
            "changes check",
            {"path": "file", "is_staged": "--staged"},
            {"text": "it is read from stdin, from the file, or staged"},
        ),
    ),
    "list_changes": (Binding("changes log", {"path": "path", "limit": "--limit"}),),
    "show_change": (Binding("changes show", {"id": "id"}),),
    "dismiss_change": (Binding("changes dismiss", {"id": "id", "watch": "--undo"}),),
    "import_changes": (Binding("changes import", {"start": "--status", "since": "--since"}),),
    "hook": (Binding("hook", {}, dict.fromkeys(("event", "input", "sent_at"), "a client runs it, not a person")),),
    "capture": (Binding("capture", {"text": "file"}),),
    "summarize": (Binding("summarize", {"since": "--since", "until": "--until", "tokens": "--tokens"}),),
    "compact": (Binding("compact", {"apply": "--apply"}),),
    "compact_progress": (Binding("compact"),),
    "undo": (Binding("undo"),),
    "sessions": (Binding("sessions", {"session": "session", "limit": "--limit"}),),
    "projects": (Binding("projects list", {}, {"limit": "as many as one answer holds"}),),
    "link_project": (
        Binding("projects same", {}, {"action": "the command says it"}),
        Binding("projects new"),
        Binding("projects link", {"root": "other"}),
        Binding("projects unlink"),
    ),
    "tags": (Binding("tags", {"scope": "--all", "limit": "--limit"}),),
    "switch": (Binding("off", {}, {"on": "the command says it"}), Binding("on")),
    "adopt": (Binding("adopt", {"root": "former"}),),
    "context": (Binding("context"),),
    "health": (Binding("health"),),
    "config": (
        Binding(
            "config set",
            {"key": "key", "value": "value", "file": "--in-project"},
            {"unset": "config unset"},
        ),
        Binding("config unset", {"key": "key", "file": "--in-project"}),
        Binding("config get", {"key": "key"}),
        Binding("config list"),
    ),
    "export": (Binding("export", {"everything": "--all"}, {"after": "the command asks for page after page"}),),
    "import_file": (
        Binding(
            "import",
            {"path": "path", "format": "--from", "dry_run": "--dry-run", "here": "--here"},
            {"place": "the command asks for page after page"},
        ),
    ),
    "backup": (Binding("backup", {"path": "path"}),),
    "tools": (Binding("mcp tools"),),
    "http": (Binding("http enable", {"port": "--port"}, _BY_COMMAND), Binding("http disable"), Binding("http status")),
    "embedding": (Binding("embed"),),
    "erase": (Binding("delete", {"ids": "ids"}),),
    "canary": (Binding("doctor", {}, {"project": "its own"}),),
    "stop": (Binding("stop", {}, {"for_version": "a newer palimp says it by itself"}),),
}
