"""Render the replies of `summarize` and `compact`."""

from palimp_daemon.render.budget import few
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.rows import rows_as_text
from palimp_protocol.messages.digest_messages import Summarized
from palimp_protocol.messages.merge_messages import Compacted


def summarized_text(reply: Summarized, _: str) -> str:
    """Return a digest."""
    if not reply.text:
        return "Nothing is stored of that."
    return "\n".join([frame_text(reply.text), *few(reply.notes)])


def compacted_text(reply: Compacted, answer_format: str) -> str:
    """Return memories to merge, or merged ones."""
    if not reply.total:
        lines = ["Nothing says the same as something newer."]
    else:
        rows = [
            {"id": each.id, "title": each.title, "into": each.into, "into_title": each.into_title, "why": each.why}
            for each in reply.merges
        ]
        done = "superseded by newer ones; `palimp undo` takes it back" if reply.is_applied else "would be superseded"
        lines = [f"{reply.total} {done}:", frame_text(rows_as_text("merges", rows, answer_format))]
        if not reply.is_applied:
            lines.append("apply=true does it.")
    return "\n".join([*lines, *few(reply.tidied), *few(reply.notes)])
