"""detail=full: whole texts, each under a heading with its metadata."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from palimp_daemon.render.budget import BESIDE_CHARACTERS, cut, left_out
from palimp_daemon.render.frame import mark_lines
from palimp_daemon.render.rows import SEPARATOR
from palimp_daemon.render.times import date, date_and_time
from palimp_protocol.history_text import history_lines
from palimp_protocol.limits import CHARACTERS_PER_TOKEN, ITEM_TOKENS_MAX, LIST_TOKENS_MAX, PATH_CHARACTERS_MAX
from palimp_protocol.messages.memory_messages import Memory
from palimp_protocol.text import heading_and_body, one_line, quote_text, shown_name

CUT_TEXT_CHARACTERS_MIN: Final = 200
"""A text is only named if less of it fits."""


class FullText(NamedTuple):
    """Whole memories within the budget."""

    text: str
    shown: int
    remarks: list[str]


def full_text(memories: Sequence[Memory]) -> FullText:
    """Return *memories* in the budget: whole, one cut, then ids."""
    budget = ITEM_TOKENS_MAX if len(memories) == 1 else LIST_TOKENS_MAX
    room = budget * CHARACTERS_PER_TOKEN - BESIDE_CHARACTERS
    if len(memories) > 1:
        room -= len(left_out([memory.id for memory in memories]))
    parts: list[str] = []
    remarks: list[str] = []
    others: list[str] = []
    for memory in memories:
        heading, content, history = _parts(memory)
        space = room - len(heading) - len(history) - 3
        if len(content) > space and space < CUT_TEXT_CHARACTERS_MIN and parts:
            others.append(memory.id)
            continue
        shown = cut(content, max(space, CUT_TEXT_CHARACTERS_MIN))
        if len(shown) < len(content):
            missing = len(content) - len(shown)
            remarks.append(f'{memory.id} is cut by {missing:,} characters; recall(id="{memory.id}") shows it whole.')
            shown += " […]"
        part = f"{heading}\n{shown}{history}" if shown else f"{heading.rstrip()}{history}"
        room -= len(part) + 2
        parts.append(part)
    return FullText("\n\n".join(parts), len(parts), remarks + ([left_out(others)] if others else []))


def _parts(memory: Memory) -> tuple[str, str, str]:
    whole = "" if memory.content is UNSET else memory.content
    title, content = heading_and_body(memory.title, whole)
    content = mark_lines(content) if content else ""
    if memory.quote and memory.quote not in whole:
        content += f"\n\n{'Author' if memory.kind == 'commit' else 'It rests on'}:\n{mark_lines(memory.quote)}"
    return _heading(memory, title), content.lstrip("\n"), _history(memory)


def _history(memory: Memory) -> str:
    if memory.history is None:
        return ""
    return "\n\n" + "\n".join(["History, the oldest first:", *history_lines(memory.history, memory.id, date)])


def _heading(memory: Memory, title: str) -> str:
    facts = [memory.id, memory.kind, date_and_time(memory.created_at)]
    facts += [f"project {_name_text(memory.project)}"] if memory.project else ["global"]
    facts += [f"tags {', '.join(map(_name_text, memory.tags))}"] if memory.tags else []
    facts += [f"from {_name_text(memory.author or memory.source)}"] if memory.source != "manual" else []
    facts += [f"session {_name_text(memory.session)} of {_name_text(memory.client)}"] if memory.client else []
    facts += [f"path {quote_text(memory.path, PATH_CHARACTERS_MAX)}"] if memory.path else []
    facts += [f"purged {date_and_time(memory.purged_at)}"] if memory.purged_at else []
    facts += ["pinned"] if memory.is_pinned else []
    facts += ["muted: told to nobody who does not ask for it"] if memory.is_muted else []
    facts += ["proposal: nobody confirmed it yet"] if memory.is_proposal else []
    facts += ["for all projects once the user says yes"] if memory.waits_for_all else []
    facts += [f"replaced by {memory.superseded_by}"] if memory.superseded_by else []
    facts += [one_line(memory.stale)] if memory.stale else []
    return f"# {title}\n{SEPARATOR.join(facts)}\n"


def _name_text(name: str) -> str:
    return quote_text(name) if SEPARATOR.strip() in name else shown_name(name)
