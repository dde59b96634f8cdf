"""Find a person's own words in a user's text, where clients put elements, too.

Every release brings new ones, so the shape counts: a name with a hyphen or an underscore (or a known one), at a line's
beginning outside fenced code, to its end tag, with its content at once or on the next line. Known elements count
anywhere except in backticks, unknown ones without an end only at the text's beginning.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

TAG_CHARACTERS_MAX: Final = 4_000
"""Characters of a start tag with attributes; a longer one is no tag."""

TAGS_MAX: Final = 10_000
"""Tags read per text, HTML's excluded: far more than any client writes."""

_TAG: Final = re.compile(
    r"""<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]*[-_][\w.:-]+|INSTRUCTIONS|permissions|skill|user[A-Z][a-z]+)"""
    r"""(?P<attributes>(?:\s+[^\s=<>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]*[^\s"'<>/]))?)*)"""
    r"""\s*(?P<empty>/?)>"""
)
_FENCE: Final = re.compile(r"(?m)^ {0,3}(`{3,}|~{3,})")
_SHAPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+")
_KNOWN: Final = re.compile(
    r"ide[-_]\w+|system[-_]\w+|task[-_]notification|teammate[-_]message|command-(?:name|message|contents)"
    r"|local-command-\w+|bash-(?:input|stdout|stderr)|user-prompt-submit-hook|new-diagnostics"
    r"|hook[-_]context|[\w-]+-hook|environment[-_](?:context|details)|user_instructions|INSTRUCTIONS|permissions"
    r"|turn_aborted|skill|session[-_]context|retrieval_status|tool_use_error|persisted-output"
)
_WRAPPER: Final = re.compile(
    r"user[-_]?(?:query|message|request|prompt|input|memory-input|Query|Message|Request|Prompt)|command-args"
)
"""Elements around typed text."""

_COMMAND: Final = re.compile(r"<command-name>\s*/?([\w:.-]+)")

_SETTINGS: Final = frozenset(
    {
        *("add-dir", "agents", "cd", "color", "config", "effort", "export", "fast", "hooks", "keybindings", "login"),
        *("mcp", "memory", "model", "output-style", "permissions", "plugin", "plugins", "rename", "resume", "sandbox"),
        *("statusline", "tag", "theme", "vim"),
    }
)
"""Clients' slash commands with a setting or name as argument, not a message."""

_NOTICE: Final = re.compile(r"(?m)^[ \t]*\[(?:Request interrupted by user|Image: (?:source|original))[^\]\n]*\][ \t]*$")
"""Lines inserted by a client."""

_BY_CLIENT: Final = re.compile(
    r"\s*(?:Caveat: The messages below were generated|This session is being continued from a previous"
    r"|# AGENTS\.md instructions|This is the Gemini CLI|Base directory for this skill:|\[SYSTEM NOTIFICATION"
    r"|Another Claude session sent|Stop hook feedback|\w+(?::\w+)? hook (?:feedback|additional context|blocking error)"
    r"|(?:Operation|Prompt|Turn|Execution|Agent execution) (?:stopped|blocked) by (?:a |\w+ )?hook\b"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]+)+(?::\w+)? (?:hook [a-z]+|operation (?:stopped|blocked) by hook):"
    r"|A previous agent produced the plan below|System: (?:Please continue\.\s*\Z|Potential loop detected))"
)
"""Beginnings of texts without words of a person."""


class _Element(NamedTuple):
    name: str
    start: int
    content: int
    end_tag: int
    end: int | None


def typed_by_person(text: str) -> str:
    """Return *text* without a client's parts."""
    if "<" in text:
        text = _without_elements(text)
    text = _NOTICE.sub("", text)
    return "" if _BY_CLIENT.match(text) else text


def _without_elements(text: str, *, is_wrapped: bool = False) -> str:
    """A wrapper holds no other wrapper."""
    kept: list[str] = []
    place = looked_to = 0
    has_words = False
    for element in _outside(_fences(text), _elements(text)):
        if element.start < place:
            continue
        has_words = has_words or (not text[looked_to : element.start].isspace() and looked_to < element.start)
        looked_to = element.start
        begins_line = _begins_line(text, place, element.start)
        if _WRAPPER.fullmatch(element.name):
            if element.end is not None and begins_line and not is_wrapped:
                content = _without_elements(text[element.content : element.end_tag], is_wrapped=True)
                if element.name == "command-args":
                    command = _COMMAND.search(text)
                    content = said_behind(command[1] if command else "", content)
                kept += [text[place : element.start], content]
                place = looked_to = element.end
        elif _is_by_client(text, element, begins_line=begins_line, is_first=not has_words):
            kept.append(text[place : element.start])
            place = looked_to = len(text) if element.end is None else element.end
    kept.append(text[place:])
    return "".join(kept)


def said_behind(command: str, given: str) -> str:
    """Return *given* if a slash *command* says it to the agent: no setting, no single name."""
    is_name = given.isascii() and len(given.split()) < 2
    return "" if is_name or command in _SETTINGS else given


def _begins_line(text: str, place: int, start: int) -> bool:
    while start > place and text[start - 1] in " \t":
        start -= 1
    return start == place or text[start - 1] == "\n"


def _is_by_client(text: str, element: _Element, *, begins_line: bool, is_first: bool) -> bool:
    is_known = bool(_KNOWN.fullmatch(element.name))
    if not is_known and not (_SHAPE.fullmatch(element.name) and begins_line):
        return False
    if text[element.start - 1 : element.start] == "`":
        return False
    follows_at_once = text[element.content : element.content + 1] not in (" ", "\t", ",", ".", ";", ":", "`", ")")
    if element.end is None:
        return follows_at_once and (is_first or (is_known and begins_line))
    ends_line = text[element.end : element.end + 1] in ("", "\n", "\r", "<")
    return is_known or follows_at_once or ends_line


def _elements(text: str) -> Iterator[_Element]:
    tags = [tag for tag in islice(_TAG.finditer(text), TAGS_MAX) if len(tag[0]) <= TAG_CHARACTERS_MAX]
    ends: dict[int, re.Match[str]] = {}
    last: dict[str, re.Match[str]] = {}
    is_open: dict[str, list[int]] = {}
    for tag in tags:
        if tag["end"]:
            last[tag["name"]] = tag
            if starts := is_open.get(tag["name"]):
                ends[starts.pop()] = tag
        elif not tag["empty"]:
            is_open.setdefault(tag["name"], []).append(tag.start())
    for tag in tags:
        if tag["end"]:
            continue
        end = tag if tag["empty"] else ends.get(tag.start(), last.get(tag["name"]))
        if end is not None and end.start() < tag.start():
            end = None
        yield _Element(tag["name"], tag.start(), tag.end(), end.start() if end else 0, end.end() if end else None)


def _outside(spans: Sequence[tuple[int, int]], elements: Iterator[_Element]) -> Iterator[_Element]:
    number = 0
    for element in elements:
        while number < len(spans) and spans[number][1] <= element.start:
            number += 1
        if number == len(spans) or element.start < spans[number][0]:
            yield element


def _fences(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1][0] == opened[1][0] and len(mark[1]) >= len(opened[1]):
            found.append((opened.start(), mark.end()))
            opened = None
    return found
