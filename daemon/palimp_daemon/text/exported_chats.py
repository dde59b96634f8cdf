"""Read conversations exported by web chats and other programs.

JSON has lists of messages with a speaker (`role`, `sender`, `author`); markdown has lines that only name the speaker:
`## User`, `**Assistant:**`, `You said:`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, cast

from palimp_clients.transcripts.turn import cut_middle
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_daemon.text.messages import Message
from palimp_daemon.text.printed_sessions import said_in_print
from palimp_daemon.text.redact import Redactor

USERS: Final = frozenset(
    {
        *("user", "human", "you", "me", "prompt", "question", "i"),
        *("nutzer", "benutzer", "du", "utilisateur", "usuario", "usuário", "utente", "пользователь"),
        *("用户", "用戶", "ユーザー", "사용자"),
    }
)
AGENTS: Final = frozenset(
    {
        *("assistant", "agent", "ai", "model", "bot", "chatgpt", "gpt", "claude", "gemini", "copilot", "codex", "qwen"),
        *("cursor", "windsurf", "cline", "opencode", "kimi", "grok", "deepseek", "response", "answer"),
        *("assistent", "asistente", "assistente", "ассистент", "助手", "アシスタント", "어시스턴트"),
    }
)
"""Agents' names as speakers, in lower case."""

DEPTH_MAX: Final = 8
"""Levels of nesting searched for lists of messages."""

MESSAGES_MAX: Final = 50_000
"""Messages read per export, the first ones."""

SPEAKERS_MIN: Final = 2
"""Least lines with a speaker, and different roles, in a conversation."""

_NAMES: Final = "|".join(sorted(USERS | AGENTS))
_LINE: Final = re.compile(
    r"(?mi)^(?:\[[^\]\n]{4,40}\][ \t]+)?(?P<mark>[ \t]{0,3}(?:#{1,6}[ \t]+|[*_]{1,3}|>[ \t]*[*_]{2}))?[^\w\n]{0,4}"
    rf"(?P<name>{_NAMES})"
    rf"(?P<said>[ \t]+said)?[ \t]*(?:\([^)\n]{{0,60}}\)|\[[^\]\n]{{0,60}}\])?[ \t]*"
    rf"(?P<end>:?[*_]{{1,3}}:?|:)?[ \t]*(?P<rest>[^\n]*)$"
)

_TIMED: Final = re.compile(r"\s*\[[^\]\n]{4,40}\][ \t]+\w+:")
"""A line with a time and a speaker, at the beginning."""

_FRAME: Final = re.compile("<(task|feedback|user_message|answer)>")
"""An opening tag that Cline and its kin put before a person's words."""

Role = Literal["user", "assistant"]
_Said = tuple[Role, str]


def exported_messages(text: str, redact: Redactor) -> list[Message] | None:
    """Return the messages of an exported conversation; None for other texts."""
    is_json = text.lstrip()[:1] in ("{", "[") and not _TIMED.match(text)
    found = _of_json(text) if is_json else _of_markdown(text) or said_in_print(text)
    if found is None:
        return None
    told = (Message(role, _without_frame(typed_by_person(said)) if role == "user" else said) for role, said in found)
    return [each._replace(text=cut_middle(redact(each.text).strip())) for each in told if each.text.strip()]


def _without_frame(said: str) -> str:
    stripped = said.strip()
    frame = _FRAME.match(stripped)
    is_framed = frame and stripped.endswith(f"</{frame[1]}>")
    return stripped[frame.end() :].removesuffix(f"</{frame[1]}>").strip() if frame and is_framed else said


# --- markdown -------------------------------------------------------------------------------------


def _of_markdown(text: str) -> list[_Said] | None:
    marks = [mark for mark in _LINE.finditer(text) if _says_who_speaks(mark)]
    roles: list[Role | None] = [_role_of(mark["name"]) for mark in marks]
    if len(marks) < SPEAKERS_MIN or len(set(roles)) < SPEAKERS_MIN:
        return None
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    said: list[_Said] = []
    for role, mark, end in zip(roles, marks, ends, strict=True):
        rest = "" if _is_heading(mark) else mark["rest"]  # only signs
        words = f"{rest}\n{text[mark.end() : end]}".strip().removesuffix("---").strip()
        if role is not None:
            said.append((role, words))
    return said


def _is_heading(mark: re.Match[str]) -> bool:
    return (mark["mark"] or "").lstrip().startswith("#")


def _says_who_speaks(mark: re.Match[str]) -> bool:
    is_heading = _is_heading(mark)
    is_bold = bool(mark["mark"]) and not is_heading and bool(mark["end"])
    has_colon = ":" in (mark["end"] or "")
    if is_heading:
        return not _WORD.search(mark["rest"])
    if is_bold:
        return has_colon or not mark["rest"].strip()
    return has_colon and (bool(mark["said"]) or mark["name"].lower() in _PLAIN)


_WORD: Final = re.compile(r"\w")

_PLAIN: Final = USERS - {"i", "me", "du", "question", "prompt"} | AGENTS - {"response", "answer", "model", "bot"}
"""Names of speakers that need only a colon."""


def _role_of(name: str) -> Role | None:
    name = name.strip().lower()
    return "user" if name in USERS else "assistant" if name in AGENTS else None


# --- JSON -----------------------------------------------------------------------------------------


def _of_json(text: str) -> list[_Said] | None:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        document = _lines_of(text)
    said: list[_Said] = []
    for message in _messages_in(document, DEPTH_MAX):
        if len(said) >= MESSAGES_MAX:
            break
        role, words = _speaker(message), _words(message)
        if role is not None and words.strip():
            said.append((role, words))
    return said if {role for role, _ in said} == {"user", "assistant"} else None


def _lines_of(text: str) -> list[Any]:
    found: list[Any] = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return found


def _messages_in(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if depth < 0:
        return
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _messages_in(each, depth - 1)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        if _speaker(fields) is not None and _words(fields):
            yield fields
        else:
            for each in fields.values():
                yield from _messages_in(each, depth - 1)


def _speaker(fields: Mapping[str, Any]) -> Role | None:
    for key in ("role", "sender", "author", "from", "speaker"):
        given = fields.get(key)
        name = cast("dict[str, Any]", given).get("role") if isinstance(given, dict) else given
        if isinstance(name, str):
            return _role_of(name)
    return None


def _words(fields: Mapping[str, Any]) -> str:
    for key in ("text", "content", "value", "message", "parts"):
        if words := _words_in(fields.get(key)):
            return words
    return ""


def _words_in(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n\n".join(filter(None, map(_words_of_part, cast("list[Any]", value))))
    return _words(cast("dict[str, Any]", value)) if isinstance(value, dict) else ""


def _words_of_part(part: Any) -> str:
    if isinstance(part, dict) and cast("dict[str, Any]", part).get("type") not in (None, "text", "output_text"):
        return ""  # a picture, a call of a tool or its result
    return _words_in(part)
