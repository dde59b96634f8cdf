"""detail=full: whole texts, each under a heading with what is known about it."""

from collections.abc import Sequence

from msgspec import UNSET

from palimp_daemon.render.budget import cut
from palimp_daemon.render.frame import marked
from palimp_daemon.render.rows import SEPARATOR
from palimp_daemon.render.times import date, date_and_time
from palimp_protocol.history_text import history_lines
from palimp_protocol.limits import CHARACTERS_PER_TOKEN, ITEM_TOKENS_MAX, LIST_TOKENS_MAX, PATH_CHARACTERS_MAX
from palimp_protocol.messages.memories import Memory
from palimp_protocol.text import one_line, quoted, shown_name, titled

CUT_TEXT_CHARACTERS_MIN = 200
"""A text that would be cut to less than this is only named."""


def full_text(memories: Sequence[Memory]) -> tuple[str, list[str]]:
    """Return *memories* within the budget, and a sentence for each that was cut or left out."""
    budget = ITEM_TOKENS_MAX if len(memories) == 1 else LIST_TOKENS_MAX
    room = budget * CHARACTERS_PER_TOKEN
    parts: list[str] = []
    cuts: list[str] = []
    for memory in memories:
        heading, content = _heading(memory), "" if memory.content is UNSET else memory.content
        content = marked(content) if content else ""
        if memory.quote and memory.quote not in content:
            content += f"\n\n{'Author' if memory.kind == 'commit' else 'It rests on'}:\n{marked(memory.quote)}"
        history = _history(memory)
        room -= len(heading) + len(history) + 2
        if len(content) > room and room < CUT_TEXT_CHARACTERS_MIN:
            cuts.append(f'{memory.id} {titled(memory.title)} is left out; recall(id="{memory.id}") shows it.')
            continue
        shown = cut(content, room)
        if len(shown) < len(content):
            missing = len(content) - len(shown)
            cuts.append(f'{memory.id} is cut by {missing:,} characters; recall(id="{memory.id}") shows it whole.')
            shown += " […]"
        room -= len(shown)
        parts.append(f"{heading}\n{shown}{history}")
    return "\n\n".join(parts), cuts


def _history(memory: Memory) -> str:
    """Return what replaced what, behind the text; empty where nothing did."""
    if memory.history is None:
        return ""
    return "\n\n" + "\n".join(["History, the oldest first:", *history_lines(memory.history, memory.id, date)])


def _heading(memory: Memory) -> str:
    facts = [memory.id, memory.kind, date_and_time(memory.created_at)]
    facts += [f"project {_named(memory.project)}"] if memory.project else ["global"]
    facts += [f"tags {', '.join(map(_named, memory.tags))}"] if memory.tags else []
    facts += [f"from {_named(memory.source)}"] if memory.source != "manual" else []
    facts += [f"session {_named(memory.session)} of {_named(memory.client)}"] if memory.client else []
    facts += [f"path {quoted(memory.path, PATH_CHARACTERS_MAX)}"] if memory.path else []
    facts += [f"purged {date_and_time(memory.purged_at)}"] if memory.purged_at else []
    facts += ["pinned"] if memory.is_pinned else []
    facts += ["muted: told to nobody who does not ask for it"] if memory.is_muted else []
    facts += ["proposal: captured, and nobody confirmed it yet"] if memory.is_proposal else []
    facts += [f"replaced by {memory.superseded_by}"] if memory.superseded_by else []
    facts += [one_line(memory.stale)] if memory.stale else []
    return f"# {one_line(memory.title)}\n{SEPARATOR.join(facts)}\n"


def _named(name: str) -> str:
    """Return a *name* that passes for one fact among others, whatever is in it."""
    return quoted(name) if SEPARATOR.strip() in name else shown_name(name)
