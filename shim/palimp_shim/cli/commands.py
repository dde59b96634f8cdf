"""Commands and summaries, so that `palimp --help` imports no command."""

from collections.abc import Mapping
from keyword import iskeyword
from typing import Final, NamedTuple

from palimp_protocol.neighbours import packages

_NEIGHBOURS: Final = {name: each for each in packages() for name in getattr(each, "COMMANDS", {})}

SUMMARIES: Final[Mapping[str, str]] = {
    "add": "save a memory",
    "search": "find memories by words or a question",
    "list": "list memories, newest first",
    "about": "everything that is known of a path, symbol, ticket, person or term",
    "show": "print whole memories with their history",
    "edit": "make another version of a memory",
    "delete": "purge memories (can be restored), or erase them",
    "restore": "restore purged memories",
    "undo": "undo the last thing you did, or another act; --list shows what was done",
    "supersede": "say that a memory replaces, narrows or disagrees with another",
    "pin": "pin memories: every session starts with them",
    "mute": "mute memories: shown only on request",
    "move": "move memories to all projects, or to another one",
    "review": "keep, edit or drop what capture proposed",
    "tags": "list tags and how many memories have each",
    "summarize": "print a digest of a project's memories",
    "compact": "merge duplicate memories and tidy the store",
    "context": "print the session context: what a session gets at its start",
    "capture": "extract memories from a conversation's transcript",
    "conversations": "show what is kept of conversations; read clients' sessions",
    "sessions": "list sessions, or show what one did and was given",
    "turns": "print what was said in a session",
    "handoff": "print where a session stood, for another agent to go on",
    "usage": "what palimp costs agents in tokens, and what they used of it",
    "statusline": "one line for Claude Code's status line",
    "rules": "what is checked of standing rules, and how often they are kept",
    "changes": "removed code: list it, and check whether a change reintroduces it",
    "projects": "list known projects; link, unlink or relink folders",
    "adopt": "relink a moved project: this folder takes over the former folder's memory",
    "off": "switch palimp off for agents' sessions in this project",
    "on": "switch palimp on again in this project",
    "team": "share projects' memories with your other machines",
    **{name: each.COMMANDS[name] for name, each in _NEIGHBOURS.items()},
    "page": "look at memories in the browser, and change them there",
    "install": "register palimp with Claude Code or another client",
    "uninstall": "remove palimp from all clients, or one",
    "doctor": "check every link between an agent and its memory",
    "health": "does palimp work, and what is in it?",
    "config": "show and change settings",
    "embed": "progress of semantic indexing (palimp[semantic])",
    "mcp": "show what MCP clients see",
    "http": "serve MCP over HTTP, on this machine only",
    "completion": "print the script that completes palimp's commands in a shell",
    "stop": "stop the daemon",
}

HEADINGS: Final[Mapping[str, str]] = {
    "add": "memories",
    "context": "sessions",
    "rules": "rules and removed code",
    "projects": "projects, documents, copies",
    "page": "palimp itself",
}
"""Headings of the listing, by the command below each."""

ALIASES: Final[Mapping[str, str]] = {"save": "add"}
"""Second names of commands."""

_FOLDERS: Final[Mapping[str, str]] = {
    "installation": "completion config doctor embed health http install mcp stop uninstall",
    "removed_code": "changes",
    "sessions": "capture context conversations handoff sessions statusline summarize turns usage",
}

MODULES: Final[Mapping[str, str]] = {
    **{name: f"{folder}.{name}" for folder, names in _FOLDERS.items() for name in names.split()},
    "list": "list_",
    "off": "sessions.switch",
    "on": "sessions.switch",
    "restore": "delete",
    "pin": "mute",
}
"""Modules of this package with other names than their commands."""


def module_of(command: str) -> str:
    """Return the module that defines *command*."""
    if package := _NEIGHBOURS.get(command):
        return f"{package.__name__}.cli.{command}{'_' * iskeyword(command)}"
    return f"palimp_shim.cli.{MODULES.get(command, command)}"


class CommandBinding(NamedTuple):
    """A command with request fields' options, or reasons for none."""

    command: str
    fields: Mapping[str, str] = {}
    why: Mapping[str, str] = {}


_FORM: Final = "a form in a client says it; here one by one"

UNTYPED: Final[Mapping[str, CommandBinding]] = {
    "hook": CommandBinding(
        "hook",
        {},
        dict.fromkeys(("event", "input", "sent_at", "via", "dialect", "folder"), "a client runs it, not a person"),
    ),
    "capture": CommandBinding("capture", {}, {"text": "a file or a pipe: capture_file"}),
    "decide": CommandBinding(
        "supersede", {}, dict.fromkeys(("newer", "replaced", "narrowed", "kept", "for_all"), _FORM)
    ),
    "canary": CommandBinding("doctor", {}, {"project": "its own"}),
    "compact_progress": CommandBinding("compact"),
}
"""Operations without options for any field, each with the nearest command."""
