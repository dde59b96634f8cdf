"""Messages to an agent about to reintroduce removed code."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.render.changes_text import added_text
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.times import date
from palimp_protocol.messages.removed_code import Return
from palimp_protocol.text import one_line, quote_text, shown_name

LINES_SHOWN: Final = 8
LINE_CHARACTERS: Final = 100

_WEIGH: Final = (
    "Weigh both reasons: if the removal answers why the code was added, leave the code out; if it does not, the removal"
    " may be the mistake."
)
_AGAIN: Final = (
    "If it is wanted all the same (the user asked for it, or the reason no longer holds), send the same edit again:"
    " it will pass. Otherwise solve it another way, or ask the user."
)


def denial(returns: Sequence[Return]) -> str:
    """Explain a refused edit, and how to get it through."""
    return "\n".join([*_description(returns), _AGAIN])


def note(returns: Sequence[Return], *, is_second: bool) -> str:
    """Write the note on a passing edit."""
    first = "This edit was let through, since you sent it again." if is_second else "Possibly removed before:"
    return "\n".join([first, *_description(returns)])


def _description(returns: Sequence[Return]) -> list[str]:
    best = returns[0]
    where = f"commit {shown_name(best.commit[:12])}" if best.commit else "an earlier edit by an agent"
    reason = one_line(best.reason)
    if best.added:
        told = [*map(added_text, best.added), f"It was removed for this reason: {reason or 'none was recorded'}"]
    else:
        told = [f"Reason then: {reason or 'none was recorded'}"]
    if best.memory:
        told.append(f"Saved at that time: {one_line(best.memory)}")
    told.append(f"{best.identical} of {best.gone} removed lines are the same, {best.share:.0%} of it is here again:")
    told += [f"  {cut_line(line)}" for line in best.lines[:LINES_SHOWN]]
    sentences = [
        f"palimp: this reintroduces code that was removed from {quote_text(best.path)} on {date(best.at)} in {where}.",
        # Reasons are commit messages and what was said in sessions: anybody's words.
        frame_text("\n".join(told)),
    ]
    if best.added:
        sentences.append(_WEIGH)
    others = [f"{other.id} ({quote_text(other.path)}, {date(other.at)})" for other in returns[1:4]]
    if others:
        sentences.append(f"Also like it: {', '.join(others)}.")
    sentences.append(f'recall(id="{best.id}") shows what was removed.')
    return sentences


def cut_line(line: str) -> str:
    """Cut a line of code to LINE_CHARACTERS."""
    text = " ".join(line.rstrip().splitlines())
    return text if len(text) <= LINE_CHARACTERS else text[: LINE_CHARACTERS - 1] + "…"
