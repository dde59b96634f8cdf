"""What `check_change` answers, as text."""

from palimp_daemon.render.budget import few, fitting
from palimp_daemon.render.frame import framed
from palimp_daemon.render.times import date
from palimp_protocol.limits import LIST_TOKENS_MAX
from palimp_protocol.messages.removed_code import ChangeChecked, Return
from palimp_protocol.text import one_line, shown_name


def checked_text(reply: ChangeChecked, _: str) -> str:
    """Return which removed code a change would reintroduce."""
    if not reply.returns:
        nothing = ["None of it was removed before."] if reply.new_lines else []
        return "\n".join([*nothing, *few(reply.notes)]) or "There is nothing in it to check."
    parts = [_described(each) for each in reply.returns]
    count = fitting(parts, LIST_TOKENS_MAX)
    cut = [] if count == len(parts) else [f"{count} of {len(parts)} are shown."]
    return "\n".join(
        [framed("\n".join(parts[:count])), *cut, *few(reply.notes), 'recall(id="h…") shows what was removed.']
    )


def _described(found: Return) -> str:
    word = "Reintroduces" if found.level == "warn" else "Resembles"
    where = f"commit {shown_name(found.commit[:12])}" if found.commit else "an earlier edit by an agent"
    memory = f" Saved at that time: {one_line(found.memory)}." if found.memory else ""
    lines = "\n".join(f"  {' '.join(line.splitlines())}" for line in found.lines)
    return (
        f"{word} {found.id}, removed from {shown_name(found.path)} on {date(found.at)} in {where}."
        f" Reason: {one_line(found.reason) or 'none was recorded'}.{memory}"
        f" {found.identical} of {found.gone} removed lines are the same,"
        f" {found.share:.0%} of it is here again:\n{lines}"
    )
