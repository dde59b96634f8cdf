"""Render the page on a name, in a list's budget."""

from collections.abc import Iterator, Sequence

from palimp_daemon.render.budget import BESIDE_CHARACTERS, few, fitting, tokens_in
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.times import date
from palimp_protocol.limits import CHARACTERS_PER_TOKEN, LIST_TOKENS_MAX
from palimp_protocol.messages.about_messages import AboutMemory, AboutPage
from palimp_protocol.text import count_of, one_line, shown_name, verb


def about_text(page: AboutPage) -> str:
    """Return *page*, or that nothing is known of its name."""
    lines = [*_lines(page)]
    if not lines:
        nothing = f"Nothing is known of {shown_name(page.name)} here. recall(query=…) searches by words."
        return "\n".join([nothing, *few(page.notes)])
    count = fitting(lines, LIST_TOKENS_MAX - BESIDE_CHARACTERS // CHARACTERS_PER_TOKEN)
    written = [each for each in page.written if each != page.name]
    also = f", also {', '.join(map(shown_name, written))}" if written else ""
    text = "\n".join([frame_text("\n".join([f"{shown_name(page.name)}{also}", *lines[:count]])), *few(page.notes)])
    more = [f"{page.more:,} more {verb(page.more, 'memory', 'memories')}: limit"] if page.more else []
    more += [f"{count_of(len(lines) - count, 'line')} left out"] if count < len(lines) else []
    return "\n".join([text, " · ".join([*more, "recall(ids=[…]) shows whole texts", f"~{tokens_in(text)} tokens"])])


def _lines(page: AboutPage) -> Iterator[str]:
    yield from _memories("What holds", page.memories)
    yield from _memories("Open", page.questions)
    yield from _part("Removed code", [one_line(f"{each.id} {each.title}") for each in page.removed])
    yield from _part("Documents", [one_line(f"{each.id} {each.title}") for each in page.documents])
    sessions = [(each, each.about or "saved nothing") for each in page.sessions]
    told = [one_line(f"{date(each.seen_at)} {each.client or '?'}: {said}") for each, said in sessions]
    yield from _part("Sessions", told)
    named = [f"{shown_name(each.name)}: {count_of(each.memories, 'memory')}" for each in page.neighbours]
    yield from _part("Named with it", named)


def _part(title: str, rows: Sequence[str]) -> list[str]:
    return [f"{title}:", *rows] if rows else []


def _memories(title: str, found: Sequence[AboutMemory]) -> list[str]:
    rows: list[str] = []
    for each in found:
        waits = ", nobody confirmed it yet" if each.is_proposal else ""
        rows.append(one_line(f"{each.id} {date(each.created_at)} {each.kind}{waits}: {each.title}"))
        for mark, others in (("was", each.former), ("disputed by", each.disputed_by), ("except", each.narrowed_by)):
            rows += [f"  {mark} {one_line(f'{other.id}: {other.title}')}" for other in others]
    return _part(title, rows)
