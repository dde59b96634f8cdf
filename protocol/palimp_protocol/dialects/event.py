"""The form that all dialects are turned into: an event, a reply, and what a dialect is."""

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
"""What an event's input may hold as texts."""

FLAG_KEYS: Final = ("is_interrupt",)
"""What an event's input may hold as true or false."""

IDLE_KEY: Final = "seconds_since_last_response"
"""What an event's input may hold as a number: of a session that is resumed or forked, since when it was silent."""

PATCH: Final = "ApplyPatch"
"""A tool that changes several files at once: its input is `edits`, a list of calls of Write, MultiEdit and Delete."""

FILES_MAX: Final = 64
"""Files of one patch that are looked at; an agent's patch has a few."""


class HookEvent(NamedTuple):
    """Something that happened in a client's session."""

    event: str
    """Its name in `palimp_protocol.hooks`."""
    session: str
    """The client's own id of the session."""
    folder: str
    """The working folder; empty where the client does not say it."""
    input: dict[str, Any]
    """What is said of it, in Claude Code's words: the texts of TEXT_KEYS, the flags of FLAG_KEYS, `tool_input`, and
    `tool_response` with `originalFile`, the file's former text."""


class HookReply(NamedTuple):
    """What a client is to be told."""

    context: str = ""
    """For the agent."""
    denial: str = ""
    """Why the tool that is about to be used is denied."""
    warning: str = ""
    """For the user."""


class Dialect(NamedTuple):
    """How one client talks to hooks."""

    client: str
    """The client's name, as sessions are listed with it."""
    event_of: Callable[[str, Mapping[str, Any]], HookEvent | None]
    """From the client's own name of an event, and what it says of it; None: nothing that palimp does anything about."""
    output_of: Callable[[str, HookReply], str]
    """From an event, by its name in `palimp_protocol.hooks`, and the reply: what the client takes; empty: nothing."""
    transcript_of: Callable[[str, Mapping[str, str]], str] | None = None
    """From a session and the environment of its client: where its transcript is; None: its events say so."""
    is_own_work: Callable[[HookEvent, Mapping[str, str]], bool] | None = None
    """From an event and the environment of its client: whether it belongs to the client's own memory, and to nothing
    that the user works on. None: no hook hears of that."""
    tells_before: bool = True
    """Whether context reaches the model before a tool is used; else it is told after it."""
    shows_remarks: bool = False
    """Whether the user sees a reply's warning as a plain line, and no alarm, so that it may be a remark."""


def text_of(given: Mapping[str, Any], key: str) -> str:
    """Return the text under *key*; empty where there is none."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def mapping_of(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under *key*; empty where there is none."""
    value = given.get(key)
    return dict(value) if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownArgumentType]


def object_in(text: str | bytes) -> dict[str, Any]:
    """Return the object that *text* is as JSON; empty where it is none."""
    try:
        parsed: Any = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def written(output: Mapping[str, Any]) -> str:
    """Return *output* as a client reads it: a line of JSON, or nothing."""
    return json.dumps(output, ensure_ascii=False) if output else ""


def event_called(name: str, events: Mapping[str, str]) -> str:
    """Return what palimp calls the event *name*, which is one of *events* or what Claude Code calls it; empty: none."""
    return events.get(name) or (name if name in events.values() else "")


def parts_of(tool_input: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls, each with `tool_name` and `tool_input`, that the input of a PATCH consists of."""
    edits: Any = tool_input.get("edits")
    parts = cast("list[Any]", edits)[:FILES_MAX] if isinstance(edits, list) else []
    return [cast("dict[str, Any]", part) for part in parts if isinstance(part, dict)]


def path_in(folder: str, path: str) -> str:
    """Return *path*, which may be relative to *folder*, as an absolute one where that can be told."""
    return path if not path or path.startswith(("/", "~")) or not folder else posixpath.join(folder, path)


def said_like_claude(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts and the flags that *given* has under Claude Code's names."""
    texts = {key: text for key in TEXT_KEYS if (text := text_of(given, key))}
    idle_s = given.get(IDLE_KEY)
    numbers = {IDLE_KEY: idle_s} if isinstance(idle_s, int | float) and not isinstance(idle_s, bool) else {}
    return texts | numbers | {key: True for key in FLAG_KEYS if given.get(key) is True}


def said(given: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """Return the texts that *given* has, under the names of our own that *keys* gives to the client's."""
    return {ours: text for theirs, ours in keys.items() if (text := text_of(given, theirs))}
