"""Propose, check and store links; a refusal rolls the write back."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.features.memories.claims import claims_in
from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.features.memories.same_subject import OnSubject
from palimp_daemon.judgement.siblings import are_of_one_kind
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables.memory_links import NewLink, add, links_among, would_circle
from palimp_daemon.store.tables.memory_rows import Row, shown_id
from palimp_daemon.store.tables.proposals import confirm
from palimp_daemon.text.former_values import changes_of, has_value, values_replaced
from palimp_daemon.text.memory_kinds import SETTLING_KINDS
from palimp_daemon.text.replacing_words import (
    clause_with_other_value,
    is_exception,
    is_other_value,
    is_other_value_of_part,
    is_same_but_value,
    says_little_besides,
    words_that_replace,
)
from palimp_protocol.errors import RequestError
from palimp_protocol.messages.memory_messages import Linked, Relation, SaidBy

NOTHING_CHANGED: Final = "Nothing was saved or changed. recall(query=…) or `palimp search` finds ids."

ODDS_MIN: Final = 0.0
"""Log odds from which a newer memory replaces an older one: more likely than not."""

ODDS_MIN_WITH_WORDS: Final = -1.0
"""ODDS_MIN for a text that says so."""

DOING: Final[dict[Relation, str]] = {"replaces": "replaced", "narrows": "narrowed", "disagrees": "disagreed with"}


class ProposedLink(NamedTuple):
    """A link from a new memory to *older*, and its author."""

    older: Row
    relation: Relation
    said_by: SaidBy
    said: str = ""


def link_author(context: RequestContext, source: str = "cli") -> SaidBy:
    """Return the author of a request; a person only outside sessions."""
    return "user" if source == "cli" and context.caller.session is None else "agent"


def links_named(
    context: RequestContext, names: Sequence[str], relation: Relation, said_by: SaidBy, said: str = ""
) -> list[ProposedLink]:
    """Return links to the memories *names*.

    Raises:
        PalimpError: a name is unknown here, or ambiguous.
    """
    found, unknown = rows_of_names(context, names)
    if unknown:
        raise RequestError(f"{relation}: {'; '.join(unknown)}.", NOTHING_CHANGED)
    return [ProposedLink(row, relation, said_by, said) for row in found]


def links_claimed_in_text(context: RequestContext, project: int, text: str) -> list[ProposedLink]:
    """Return links to memories that *text* claims to replace."""
    proposed: list[ProposedLink] = []
    for claim in claims_in(text):
        found, _ = rows_of_names(context, [claim.id])
        proposed += [ProposedLink(row, "replaces", "text", claim.words) for row in found if row.project_id == project]
    return proposed


def links_by_subject(kind: str, text: str, subject: Sequence[OnSubject]) -> list[ProposedLink]:
    """Return links from a memory of *kind* to older ones on its *subject*, likeliest first.

    Replacing words count for the likeliest; other links are inferred, and hide nothing. A fix "instead of" something
    replaces no decision.
    """
    likely = [
        each
        for each in subject
        if is_same_but_value(each.row.content, text)
        or (each.odds >= ODDS_MIN and not are_of_one_kind(text, each.row.content))
    ]
    inferred = [ProposedLink(each.row, "replaces", "inferred") for each in likely]
    if named := _by_value(kind, text, subject):
        return [named, *[aim for aim in inferred if aim.older.seq != named.older.seq]]
    if not subject or subject[0].odds < ODDS_MIN_WITH_WORDS:
        return inferred
    first = subject[0].row
    words = words_that_replace(text)
    if not words or not (kind in SETTLING_KINDS or kind == first.kind):
        return inferred
    if is_exception(text):
        return [ProposedLink(first, "narrows", "text", words)]
    return [ProposedLink(first, "replaces", "text", words), *[aim for aim in inferred if aim.older.seq != first.seq]]


def _by_value(kind: str, text: str, subject: Sequence[OnSubject]) -> ProposedLink | None:
    """Return the link for a changed value; "narrows" if the older says more."""
    settled = [each.row for each in subject if kind in SETTLING_KINDS or kind == each.row.kind]
    for value in values_replaced(text) if settled else ():
        for row in settled:
            if has_value(row.content, value):
                return _in_place_of(row, value, text)
    for row in settled:
        for change in changes_of(text, row.content):
            said = _in_place_of(row, change.former, text)
            return said if change.is_of_numbers else said._replace(relation="narrows")
    return _by_number(settled, text)


def _by_number(settled: Sequence[Row], text: str) -> ProposedLink | None:
    for row in settled:
        if is_other_value(row.content, text):
            return ProposedLink(row, "replaces", "text", "the same with another value now")
    for row in settled:
        if clause := clause_with_other_value(row.content, text):
            return _in_place_of(row, clause, f"{text} {clause}")
    if whole := next((row for row in settled if is_other_value_of_part(row.content, text)), None):
        return ProposedLink(whole, "narrows", "text", "a part of it with another value now")
    return None


def _in_place_of(row: Row, value: str, text: str) -> ProposedLink:
    is_whole = not is_exception(text) and says_little_besides(row.content, text)
    return ProposedLink(row, "replaces" if is_whole else "narrows", "text", f"not {value}")


def add_links(
    context: RequestContext, newer: Row, proposed: Sequence[ProposedLink], *, is_edit: bool = False
) -> list[Linked]:
    """Store the links *proposed* from *newer*.

    Raises:
        PalimpError: a link leaves the scope or would close a circle, or *newer* is purged.
    """
    linked: dict[tuple[int, Relation], Linked] = {}
    for aim in proposed:
        if (aim.older.seq, aim.relation) in linked:
            continue  # it was named by its caller, too
        if problem := _problem(context, newer, aim):
            if aim.said_by in ("text", "inferred"):
                continue  # what a text says in passing is no order
            raise RequestError(problem, NOTHING_CHANGED)
        made = NewLink(newer.seq, aim.older.seq, aim.relation, aim.said_by, aim.said, is_edit)
        number = add(context.store, made, context.now_ms)
        if aim.said_by == "user" or (
            aim.said_by == "agent" and not context.saves_wait
        ):  # who says what it does to others has made use of it
            confirm(context.store, [newer.seq] if aim.relation == "replaces" else [newer.seq, aim.older.seq])
        [known] = [each for each in links_among(context.store, [aim.older.seq]) if each.id == number]
        linked[aim.older.seq, aim.relation] = Linked(
            id=shown_id(aim.older), title=aim.older.title, relation=aim.relation, said_by=known.said_by
        )
    return list(linked.values())


def _problem(context: RequestContext, newer: Row, aim: ProposedLink) -> str:
    one, other = shown_id(newer), shown_id(aim.older)
    if newer.seq == aim.older.seq:
        return f"{one} cannot be {DOING[aim.relation]} by itself."
    if newer.deleted_at is not None:
        return f"{one} is purged: restore it first."
    if aim.relation == "replaces" and newer.project_id != aim.older.project_id:
        return f"{other} holds in all projects, and {one} in this one: it can narrow {other}, not replace it."
    if would_circle(context.store, newer.seq, aim.older.seq, aim.relation):
        return f"{one} is {DOING[aim.relation]} by {other} already: the other way round would go in a circle."
    return ""
