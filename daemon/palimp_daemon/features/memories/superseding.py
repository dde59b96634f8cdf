"""`supersede`: record that a memory replaces, narrows or disputes another."""

from msgspec.structs import replace

from palimp_daemon.features.memories.linking import ProposedLink, add_links, link_author
from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables.memory_links import MemoryLink, links_among
from palimp_daemon.store.tables.memory_rows import shown_id
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.links import Supersede, Superseded
from palimp_protocol.messages.memory_messages import Similar


def supersede(context: RequestContext, request: Supersede) -> Superseded:
    """Store the link; *request* must be `with_clean_reason`.

    Raises:
        PalimpError: a memory is unknown, or the link would close a circle.
    """
    older, newer = one_named(context, request.older), one_named(context, request.newer)
    before = _link(context, newer.seq, older.seq, request.relation)
    with recording(context, "supersede"):
        add_links(context, newer, [ProposedLink(older, request.relation, link_author(context), request.why)])
    now = _link(context, newer.seq, older.seq, request.relation)
    assert now is not None  # noqa: S101  it was just noted
    return Superseded(
        link=link_name(now.id),
        older=Similar(shown_id(older), older.title),
        newer=Similar(shown_id(newer), newer.title),
        relation=request.relation,
        is_known=before is not None and before.id == now.id,
    )


def with_clean_reason(redact: Redactor, request: Supersede) -> Supersede:
    """Return *request* with its reason redacted, on one line."""
    return replace(request, why=" ".join(redact(request.why).split()))


def characters_of_reason(request: Supersede) -> int:
    """Count the characters to search for secrets."""
    return len(request.why)


def link_name(number: int) -> str:
    """Return the displayed name of link *number*."""
    return f"link{number}"


def _link(context: RequestContext, newer: int, older: int, relation: str) -> MemoryLink | None:
    found = links_among(context.store, [older])
    return next((each for each in found if (each.newer, each.relation) == (newer, relation)), None)
