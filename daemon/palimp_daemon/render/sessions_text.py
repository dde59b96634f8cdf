"""Render replies about sessions."""

from palimp_daemon.render.budget import few, fitting
from palimp_daemon.render.frame import frame_text
from palimp_protocol.limits import LIST_TOKENS_MAX
from palimp_protocol.messages.session_messages import Captured
from palimp_protocol.text import count_of, quote_title


def captured_text(reply: Captured, _: str) -> str:
    """Return the captured memories, or that capturing has started."""
    if reply.is_started:
        what = count_of(reply.messages, "message") if reply.messages else "this session"
        started = f"Started: {what} will be looked through in the background. `palimp sessions` says what came of it."
        return "\n".join([started, *few(reply.notes)])
    rows = [f"{memory.id} {memory.kind}: {quote_title(memory.title)}" for memory in reply.memories]
    shown = fitting(rows, LIST_TOKENS_MAX)
    lines = [frame_text("\n".join(rows[:shown]))] if rows else []
    lines += [f"Cut after {shown:,} of {len(rows):,}; recall(query=…) finds the others."] if shown < len(rows) else []
    known = f", {reply.known} known already" if reply.known else ""
    lines.append(f"Captured {len(rows):,} from {count_of(reply.messages, 'message')}{known}.")
    if any(memory.is_proposal for memory in reply.memories):
        lines.append(
            "They are proposals: saving one in your words confirms it, and so does the user with `palimp review`."
        )
    return "\n".join([*lines, *few(reply.notes)])
