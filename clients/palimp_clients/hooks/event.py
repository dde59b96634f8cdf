"""The common form of all dialects."""

import json
import posixpath
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

TEXT_KEYS: Final = (
    "tool_name",
    "tool_use_id",
    "transcript_path",
    "source",
    "prompt",
    "trigger",
    "agent_id",
    "error",
)

FLAG_KEYS: Final = ("is_interrupt",)

IDLE_KEY: Final = "seconds_since_last_response"
"""Key of the seconds of silence of a resumed or forked session."""

PATCH: Final = "ApplyPatch"
"""Tool that changes several files; its input `edits` lists calls of Write, MultiEdit and Delete."""

FILES_MAX: Final = 64
"""Files read per patch; an agent's patch has a few."""


class HookEvent(NamedTuple):
    """An event of a client's session."""

    event: str
    """Its name in `palimp_protocol.hooks`."""
    session: str
    folder: str
    input: dict[str, Any]
    """Details in Claude Code's form: texts of TEXT_KEYS, flags of FLAG_KEYS, `tool_input`, and `tool_response` with
    `originalFile`, the file's former text.
    """


class HookReply(NamedTuple):
    """The answer to an event."""

    context: str = ""
    """For the agent."""
    denial: str = ""
    warning: str = ""
    """For the user."""
    question: str = ""
    """Asked of the user before the tool is used; a client that cannot ask denies the use."""


class Dialect(NamedTuple):
    """A client's form of hooks."""

    client: str
    event_of: Callable[[str, Mapping[str, Any]], HookEvent | None]
    """Translate the client's event (name, input); None: palimp does not use it."""
    output_of: Callable[[str, HookReply], str]
    """Translate a reply to an event of `palimp_protocol.hooks` into the client's form; empty: nothing."""
    transcript_of: Callable[[str, Mapping[str, str]], str] | None = None
    """Return a session's transcript path from the client's environment; None: events have it."""
    is_own_work: Callable[[HookEvent, Mapping[str, str]], bool] | None = None
    """Tell from the client's environment whether an event is of the client's own memory, not the user's work. None:
    hooks get no such event.
    """
    tells_before: bool = True
    """Whether context reaches the model before a tool is used; else afterwards."""
    ends_commands: bool = True
    """Whether an event reports a command's end; else its start counts as a run."""
    asks: bool = False
    """Whether a reply can have the user asked."""
    shows_remarks: bool = False
    """Whether a reply's warning is shown as a plain line, not an alarm, and so may be a remark."""


def text_of(given: Mapping[str, Any], key: str) -> str:
    """Return the text under *key*, or ""."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def mapping_of(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under *key*, or {}."""
    value = given.get(key)
    return dict(value) if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownArgumentType]


def object_in(text: str | bytes) -> dict[str, Any]:
    """Parse *text* as a JSON object; else {}."""
    try:
        parsed: Any = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def json_line(output: Mapping[str, Any]) -> str:
    """Return *output* as a line of JSON, or empty."""
    return json.dumps(output, ensure_ascii=False) if output else ""


def tool_call(tool: str, **tool_input: Any) -> dict[str, Any]:
    """Return a tool's call in Claude Code's form."""
    return {"tool_name": tool, "tool_input": tool_input}


def event_called(name: str, events: Mapping[str, str]) -> str:
    """Return palimp's name of event *name*, from *events* or Claude Code's, or empty."""
    return events.get(name) or (name if name in events.values() else "")


def parts_of(tool_input: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a PATCH's calls, with `tool_name` and `tool_input`."""
    edits: Any = tool_input.get("edits")
    parts = cast("list[Any]", edits)[:FILES_MAX] if isinstance(edits, list) else []
    return [cast("dict[str, Any]", part) for part in parts if isinstance(part, dict)]


def path_in(folder: str, path: str) -> str:
    """Return *path*, perhaps relative to *folder*, absolute if possible."""
    return path if not path or path.startswith(("/", "~")) or not folder else posixpath.join(folder, path)


def paths_below(home: str, path: str) -> list[str]:
    """Return *path* relative to *home* and its real place."""
    if not (home.startswith("/") and path.startswith("/")):
        return []
    return [posixpath.relpath(path, each) for each in dict.fromkeys((home, posixpath.realpath(home)))]


def claude_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return texts, flags and number under Claude Code's names."""
    texts = {key: text for key in TEXT_KEYS if (text := text_of(given, key))}
    idle_s = given.get(IDLE_KEY)
    numbers = {IDLE_KEY: idle_s} if isinstance(idle_s, int | float) and not isinstance(idle_s, bool) else {}
    return texts | numbers | {key: True for key in FLAG_KEYS if given.get(key) is True}


def pick_texts(given: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """Return texts by our names; *keys* maps the client's to ours."""
    return {ours: text for theirs, ours in keys.items() if (text := text_of(given, theirs))}
