"""Replies about documents as text, within token budgets."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.render.budget import few, fitting, tokens_in
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.rows import Row, rows_as_text
from palimp_daemon.render.times import date
from palimp_protocol.history_text import cited_line
from palimp_protocol.limits import LIST_TOKENS_MAX
from palimp_protocol.messages.documents import DocChanged, DocList, DocMatches, DocPage
from palimp_protocol.messages.memory_messages import Cited
from palimp_protocol.text import one_line, quote_text

HEADING: Final = "From the project's documents."

CITED: Final = "Memories that it names, and that do not hold as they did:"


def list_text(reply: DocList, answer_format: str) -> str:
    """Return a project's documents."""
    if not reply.docs:
        return "\n".join(["The project has no documents yet; add_doc makes the first.", *few(reply.notes)])
    rows: list[Row] = [{"slug": doc.slug, "title": doc.title} for doc in reply.docs]
    text, shown = _table("docs", rows, answer_format)
    cut = [] if shown == len(rows) else [f"Cut after {shown} of {len(rows)}; search_docs finds the others."]
    return "\n".join(
        [frame_text(text, HEADING), *cut, *few(reply.notes), f"{shown} of {len(rows)} · {quote_text(reply.folder)}"]
    )


def page_text(reply: DocPage, _: str) -> str:
    """Return one page of a document."""
    heading = f"{HEADING[:-1]}: {reply.slug} · {one_line(reply.title)}"
    beside = [*_citations(reply.cited), *few(reply.notes)]
    beside += [f"[version {reply.version}]"] if reply.version else []
    if reply.pages == 1:
        return "\n".join([frame_text(reply.content, heading), *beside])
    place = f"page {reply.page} of {reply.pages}"
    rest = f'; read_doc(slug="{reply.slug}", page={reply.page + 1}) shows the next' if reply.page < reply.pages else ""
    return "\n".join([frame_text(reply.content, f"{heading} · {place}"), *beside, f"[{place}{rest}]"])


def matches_text(reply: DocMatches, answer_format: str) -> str:
    """Return matching lines or sections."""
    if not reply.matches:
        return "\n".join(["No document matches.", *few(reply.notes)])
    tells_history = any(match.cited for match in reply.matches)
    are_sections = any(match.heading for match in reply.matches)
    rows: list[Row] = [
        {
            "slug": match.slug,
            "title": match.title,
            "lineNumber": match.line_number,
            **({"heading": match.heading} if are_sections else {}),
            "snippet": match.snippet,
            **({"history": "; ".join(cited_line(cited, date) for cited in match.cited)} if tells_history else {}),
        }
        for match in reply.matches
    ]
    text, shown = _table("matches", rows, answer_format)
    cut = [] if shown == reply.total else [f"{shown} of {reply.total} are shown; narrow the pattern or name a slug."]
    text = frame_text(text, HEADING)
    return "\n".join([text, *cut, *few(reply.notes), f"{shown} of {reply.total} · ~{tokens_in(text)} tokens"])


def changed_text(reply: DocChanged, _: str) -> str:
    """Return a document's change."""
    # Without its title, which may be the words of whoever wrote the index.
    lines = [f"{reply.done.capitalize()} {reply.slug} ({quote_text(reply.path)})"]
    lines += [f"The former text is kept as version {reply.former}."] if reply.former is not None else []
    lines += [f"[version {reply.version}]"] if reply.version else []
    return "\n".join([*lines, *_citations(reply.cited), *few(reply.notes)])


def _citations(cited: Sequence[Cited]) -> list[str]:
    return [frame_text("\n".join(cited_line(each, date) for each in cited), CITED)] if cited else []


def _table(name: str, rows: list[Row], answer_format: str) -> tuple[str, int]:
    lengths = ["".join(map(str, row.values())) + " " * 3 * len(row) for row in rows]
    count = fitting(lengths, LIST_TOKENS_MAX)
    return rows_as_text(name, rows[:count], answer_format), count
