"""The commands of `palimp`: each with its summary, and which operation it calls with which of its options.

It is all that `palimp --help` needs, so that it imports no command. The documentation is made of it, and a test holds
it to the table of operations and to the commands themselves.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

SUMMARIES: Final[Mapping[str, str]] = {
    "add": "save a memory",
    "search": "find memories by words or a question",
    "list": "list memories, newest first",
    "show": "print whole memories with their history",
    "delete": "purge memories (can be restored), or erase them",
    "restore": "restore purged memories",
    "edit": "make another version of a memory",
    "supersede": "say that a memory replaces, narrows or disagrees with another",
    "pin": "pin memories: every session starts with them",
    "mute": "mute memories: shown only on request",
    "docs": "the project's markdown documents",
    "changes": "removed code: list it, and check whether a change reintroduces it",
    "context": "print the session context: what a session gets at its start",
    "capture": "extract memories from a conversation's transcript",
    "review": "keep, edit or drop what capture proposed",
    "conversations": "show what is kept of conversations; read clients' sessions",
    "sessions": "list sessions, or show what one did and was given",
    "statusline": "one line for Claude Code's status line",
    "projects": "list known projects; link, unlink or relink folders",
    "tags": "list tags and how many memories have each",
    "off": "switch palimp off for agents' sessions in this project",
    "on": "switch palimp on again in this project",
    "adopt": "relink a moved project: this folder takes over the former folder's memory",
    "summarize": "print a digest of a project's memories",
    "compact": "merge duplicate memories and tidy the store",
    "undo": "undo the last thing you did, or another act; --list shows what was done",
    "export": "write memories as JSON lines or markdown",
    "import": "read memories from other tools and files",
    "backup": "copy the database while it is in use",
    "embed": "progress of semantic indexing (palimp[semantic])",
    "config": "show and change settings",
    "mcp": "show what MCP clients see",
    "http": "serve MCP over HTTP, on this machine only",
    "install": "register palimp with Claude Code or another client",
    "uninstall": "remove palimp from all clients, or one",
    "doctor": "check every link between an agent and its memory",
    "health": "does palimp work, and what is in it?",
    "completion": "print the script that completes palimp's commands in a shell",
    "stop": "stop the daemon",
}
"""The commands in the order in which `palimp --help` lists them."""

ALIASES: Final[Mapping[str, str]] = {"save": "add"}
"""Second names of commands, and the commands they name."""

MODULES: Final[Mapping[str, str]] = {"list": "list_", "import": "import_", "off": "switch", "on": "switch"}
"""Modules of this package that are not named like their commands."""


class CommandBinding(NamedTuple):
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
    "as_of": "--as-of",
}
_OF_HOOKS: Final = ("event", "input", "sent_at", "via", "dialect", "folder")
_BY_COMMAND: Final = {"action": "the command says it"}
_BY_SHOW: Final = {"id": "`palimp show` does it", "ids": "`palimp show` does it"}

OPERATION_MAP: Final[Mapping[str, tuple[CommandBinding, ...]]] = {
    "save_memory": (
        CommandBinding(
            "add",
            {
                "text": "text",
                "title": "--title",
                "tags": "--tag",
                "kind": "--kind",
                "source": "--source",
                "replaces": "--replaces",
                "narrows": "--narrows",
            },
        ),
    ),
    "recall": (
        CommandBinding(
            "search",
            {"query": "query", "explain": "--explain", **_RECALL},
            {**_BY_COMMAND, **_BY_SHOW, "offset": "`palimp list` does it", "mark": "a terminal shows it otherwise"},
        ),
        CommandBinding(
            "list", _RECALL | {"offset": "--page"}, {**_BY_COMMAND, **_BY_SHOW, "query": "search", "explain": "search"}
        ),
        CommandBinding("show", {"ids": "ids", "include_purged": "--purged"}),
        CommandBinding("delete", {"ids": "ids"}),
        CommandBinding("restore", {"ids": "ids"}),
    ),
    "list_docs": (CommandBinding("docs list"),),
    "read_doc": (CommandBinding("docs read", {"slug": "slug", "page": "--page"}),),
    "search_docs": (
        CommandBinding(
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
    "add_doc": (CommandBinding("docs add", {"slug": "slug", "title": "--title", "content": "file"}),),
    "edit_doc": (CommandBinding("docs edit", {"slug": "slug", "title": "--title", "content": "file"}),),
    "delete_doc": (CommandBinding("docs delete", {"slug": "slug"}),),
    "docs_history": (CommandBinding("docs history", {"slug": "slug"}),),
    "restore_doc": (CommandBinding("docs restore", {"slug": "slug", "version": "--version"}),),
    "forget_doc": (CommandBinding("docs forget", {"slug": "slug", "versions": "versions"}),),
    "adopt_docs": (CommandBinding("docs adopt", {"files": "folder", "dry_run": "--dry-run"}),),
    "repair_docs": (CommandBinding("docs repair"),),
    "check_change": (
        CommandBinding(
            "changes check",
            {"path": "file", "is_staged": "--staged"},
            {"text": "it is read from the file, from stdin, or staged"},
        ),
    ),
    "list_changes": (CommandBinding("changes log", {"path": "path", "limit": "--limit"}),),
    "show_change": (CommandBinding("changes show", {"id": "id"}),),
    "dismiss_change": (CommandBinding("changes dismiss", {"id": "id", "watch": "--undo"}),),
    "import_changes": (CommandBinding("changes import", {"start": "--status", "since": "--since"}),),
    "hook": (CommandBinding("hook", {}, dict.fromkeys(_OF_HOOKS, "a client runs it, not a person")),),
    "capture": (CommandBinding("capture", {}, {"text": "a file or a pipe: capture_file"}),),
    "capture_file": (CommandBinding("capture", {"path": "file", "waits": "--wait"}),),
    "summarize": (CommandBinding("summarize", {"since": "--since", "until": "--until", "tokens": "--tokens"}),),
    "compact": (CommandBinding("compact", {"apply": "--apply"}),),
    "compact_progress": (CommandBinding("compact"),),
    "supersede": (
        CommandBinding("supersede", {"older": "older", "newer": "newer", "relation": "--disagrees", "why": "--why"}),
    ),
    "decide": (
        CommandBinding(
            "supersede",
            {},
            dict.fromkeys(("newer", "replaced", "narrowed", "kept"), "a form in a client says it; here one by one"),
        ),
    ),
    "edit": (CommandBinding("edit", {"id": "id", "text": "--text", "title": "--title", "tags": "--tag"}),),
    "pin": (CommandBinding("pin", {"ids": "ids", "off": "--off"}),),
    "mute": (CommandBinding("mute", {"ids": "ids", "off": "--off"}),),
    "review": (CommandBinding("review", {"keep": "--keep", "drop": "--drop", "limit": "--limit"}),),
    "acts": (CommandBinding("undo", {"before": "--before", "id": "id"}, {"limit": "--before shows more"}),),
    "undo": (CommandBinding("undo", {"id": "id", "dry_run": "--dry-run"}),),
    "sessions": (CommandBinding("sessions", {"session": "session", "limit": "--limit"}),),
    "statusline": (CommandBinding("statusline"),),
    "projects": (CommandBinding("projects list", {}, {"limit": "as many as one answer holds"}),),
    "link_project": (
        CommandBinding("projects same", {}, {"action": "the command says it"}),
        CommandBinding("projects new"),
        CommandBinding("projects link", {"root": "other"}),
        CommandBinding("projects unlink"),
    ),
    "tags": (CommandBinding("tags", {"scope": "--all", "limit": "--limit"}),),
    "switch": (CommandBinding("off", {}, {"on": "the command says it"}), CommandBinding("on")),
    "adopt": (CommandBinding("adopt", {"root": "former"}),),
    "context": (CommandBinding("context"),),
    "health": (CommandBinding("health"),),
    "config": (
        CommandBinding(
            "config set",
            {"key": "key", "value": "value", "file": "--in-project"},
            {"unset": "config unset"},
        ),
        CommandBinding("config unset", {"key": "key", "file": "--in-project"}),
        CommandBinding("config get", {"key": "key"}),
        CommandBinding("config list"),
    ),
    "export": (CommandBinding("export", {"everything": "--all"}, {"after": "the command asks for page after page"}),),
    "import_file": (
        CommandBinding(
            "import",
            {"path": "path", "format": "--from", "dry_run": "--dry-run", "here": "--here"},
            {"place": "the command asks for page after page", "act": "the same"},
        ),
    ),
    "backup": (CommandBinding("backup", {"path": "path"}),),
    "tools": (CommandBinding("mcp tools"),),
    "http": (
        CommandBinding("http enable", {"port": "--port"}, _BY_COMMAND),
        CommandBinding("http disable"),
        CommandBinding("http status"),
    ),
    "embedding": (CommandBinding("embed"),),
    "conversations": (CommandBinding("conversations", {"read": "--read"}),),
    "erase": (
        CommandBinding(
            "delete",
            {"ids": "ids", "session": "--session", "containing": "--containing", "all_turns": "--conversations"},
        ),
    ),
    "canary": (CommandBinding("doctor", {}, {"project": "its own"}),),
    "stop": (CommandBinding("stop", {}, {"for_version": "a newer palimp says it by itself"}),),
}
"""The commands that call each operation."""
