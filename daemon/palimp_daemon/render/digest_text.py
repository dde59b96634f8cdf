"""Render a digest as markdown within a budget.

Decisions get up to DECISIONS_SHARE, other parts the rest; titles come before texts.
"""

from typing import Any, Final

from palimp_daemon.render.budget import fitting_characters, shorten
from palimp_daemon.render.times import date
from palimp_daemon.text.titles import uncut
from palimp_protocol.limits import CHARACTERS_PER_TOKEN
from palimp_protocol.text import count_of, one_line, shown_name, verb

DECISIONS_SHARE: Final = 0.6
MORE_CHARACTERS: Final = 160
"""Characters shown of a text behind its title."""

LEFT_OUT_CHARACTERS: Final = 50
"""Characters of the sentence with the number of omitted rows."""


def digest_text(material: Any, span: str, tokens: int) -> str:
    """Render *material* (`features.memories.digest_material.Material`) of *span* in at most *tokens*."""
    room = tokens * CHARACTERS_PER_TOKEN
    head = [f"# {shown_name(material.project)}: what is known{span}", _counts(material)]
    tail = _facts(material)
    room -= sum(len(line) + 1 for line in (*head, *tail))
    sections = [section for section in material.sections if section.lines]
    blocks: list[list[str]] = []
    for number, section in enumerate(sections):
        share = DECISIONS_SHARE if section.title == "Decisions" and len(sections) > 1 else 1 / (len(sections) - number)
        block = _block(section, int(room * share))
        room -= sum(len(line) + 1 for line in block)
        blocks.append(block)
    return "\n".join([*head, *(line for block in blocks for line in block), *tail])


def _counts(material: Any) -> str:
    memories = f"{count_of(material.memories, 'memory')} that {verb(material.memories, 'holds', 'hold')}."
    if material.since is None:
        return memories
    since = material.since
    changed = [f"{since.new:,} new (marked +)"]
    changed += [f"{since.purged:,} purged"] if since.purged else []
    changed += [f"{since.replaced:,} replaced"] if since.replaced else []
    return f"{memories} Since the last digest on {date(material.last.at)}: {', '.join(changed)}."


def _facts(material: Any) -> list[str]:
    lines: list[str] = []
    if material.files:
        named = ", ".join(f"{shown_name(path)} ({times})" for path, times in material.files)
        lines += ["", f"Busy files (changes that took code out): {named}"]
    if material.topics:
        lines += ["", f"Topics: {', '.join(f'{word} ({times})' for word, times in material.topics)}"]
    return lines


def _block(section: Any, room: int) -> list[str]:
    head = ["", f"## {section.title}"]
    room -= sum(len(line) + 1 for line in head)
    titles = [_line(line, with_more=False) for line in section.lines]
    with_texts = [_line(line, with_more=True) for line in section.lines]
    for lines in (with_texts, titles):
        if section.total == len(lines) and sum(len(line) + 1 for line in lines) <= room:
            return head + lines
    shown = fitting_characters(titles, room - LEFT_OUT_CHARACTERS)
    left_out = section.total - shown
    return [*head, *titles[:shown], f"… {left_out:,} more of {section.total:,} {verb(left_out)} left out here."]


def _line(line: Any, *, with_more: bool) -> str:
    mark = "+" if line.is_new else "-"
    told = f" ({line.qualified})" if line.qualified else ""
    text = f"{mark} {line.id} {date(line.created_at)}{told} {one_line(line.title)}"
    if not with_more or not line.more:
        return text
    more = shorten(one_line(line.more), MORE_CHARACTERS)
    gap = " " if line.more[0].isspace() else ""  # none where a long word was cut
    return uncut(text, gap + more) if text.endswith("…") else f"{text}: {more}"
