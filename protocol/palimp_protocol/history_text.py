"""A memory's history as lines."""

from collections.abc import Callable
from typing import Final

from palimp_protocol.messages.memory_messages import Cited, History, HistoryLink, Relation, RowLink, SaidBy, Version
from palimp_protocol.text import one_line, quote_text, quote_title

SPEAKERS: Final[dict[SaidBy, str]] = {
    "text": "its text says so",
    "agent": "an agent said so",
    "user": "the user said so",
    "inferred": "inferred from their likeness",
    "compact": "merged by compact",
}

DOES: Final[dict[Relation, str]] = {"replaces": "replaced by", "narrows": "narrowed by", "disagrees": "disputed by"}
"""Links, as seen from the older memory."""


OTHER_TITLE_CHARACTERS: Final = 80
"""Characters of another memory's title: enough to recognise it."""


def link_line(link: RowLink, day: Callable[[int], str], *, is_explained: bool = False) -> str:
    """Return a line about a linked memory, such as "until 2026-05-27: Stripe Checkout (m1abcdefg)"."""
    title = one_line(link.title, OTHER_TITLE_CHARACTERS)
    if link.relation == "replaces":
        text = f"until {day(link.at)}: {title} ({link.id})"
    elif link.relation == "replaced by" and not is_explained:
        text = f"held until {day(link.at)}"
    else:
        text = f"{link.relation} {link.id}: {title}"
    return f"{text}, {SPEAKERS[link.said_by]}" if is_explained else text


def cited_line(cited: Cited, day: Callable[[int], str]) -> str:
    """Return a line about a cited memory, such as "m1abcdefg held until 2026-11-03, now m2: Title"."""
    other = f"{cited.by}: {one_line(cited.title, OTHER_TITLE_CHARACTERS)}"
    match cited.state:
        case "replaced":
            return f"{cited.id} held until {day(cited.at)}, now {other}"
        case "purged":
            return f"{cited.id} was purged on {day(cited.at)}"
        case _:
            return f"{cited.id} is {cited.state} by {other}"


def history_lines(history: History, this: str, day: Callable[[int], str]) -> list[str]:
    """Return a line for each version, *this* marked, and each act."""
    others = {version.id: version for version in history.others}
    lines: list[str] = []
    for version in history.versions:
        lines.append(f"{'▸' if version.id == this else ' '} {_version_line(version, day)}")
        lines += [
            f"    {_link_text(link, others, day)}"
            for link in history.links
            if version.id in (link.older, link.newer)
            if link.older == version.id or link.older in others
        ]
    return lines


def _version_line(version: Version, day: Callable[[int], str]) -> str:
    state = " [purged]" if version.is_purged else ""
    return f"{day(version.created_at)} {version.id} {one_line(version.title)}{state}"


def _link_text(link: HistoryLink, others: dict[str, Version], day: Callable[[int], str]) -> str:
    if link.older in others:
        what = f"{link.relation} {link.older} {quote_title(others[link.older].title)}"
    else:
        title = f" {quote_title(others[link.newer].title)}" if link.newer in others else ""
        what = f"{DOES[link.relation]} {link.newer}{title}"
    who = "an edit" if link.is_edit else SPEAKERS[link.said_by]
    said = f": {quote_text(one_line(link.said))}" if link.said else ""
    return f"{what} on {day(link.at)} ({who}{said}; {link.name})"
