"""The commands of `palimp`, each with its summary: all that `palimp --help` needs, so that it imports no command."""

from collections.abc import Mapping
from typing import Final

SUMMARIES: Final[Mapping[str, str]] = {
    "add": "save a memory",
    "search": "find memories by words or a question",
    "list": "list memories, newest first",
    "show": "print whole memories",
    "delete": "purge memories (can be restored), or erase them",
    "restore": "restore purged memories",
    "docs": "the project's markdown documents",
    "changes": "removed code: list it, and check whether a change reintroduces it",
    "context": "print the session context: what a session gets at its start",
    "capture": "extract memories from a conversation's transcript",
    "sessions": "list sessions, or show what one did",
    "projects": "list known projects; link, unlink or relink folders",
    "tags": "list tags and how many memories have each",
    "off": "switch palimp off for agents' sessions in this project",
    "on": "switch palimp on again in this project",
    "adopt": "relink a moved project: this folder takes over the former folder's memory",
    "summarize": "print a digest of a project's memories",
    "compact": "merge duplicate memories and tidy the store",
    "undo": "undo the last `palimp compact --apply`",
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
    "health": "show versions, counts, sizes, latencies and problems",
    "stop": "stop the daemon",
}
"""The commands in the order in which `palimp --help` lists them."""

ALIASES: Final[Mapping[str, str]] = {"save": "add"}
"""Second names of commands, and the commands they name."""

MODULES: Final[Mapping[str, str]] = {"list": "list_", "import": "import_", "off": "switch", "on": "switch"}
"""Modules of this package that are not named like their commands."""
