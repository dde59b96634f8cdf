"""Render the replies of `check_change`."""

from typing import Final

from palimp_daemon.render.budget import few, fitting
from palimp_daemon.render.frame import frame_text
from palimp_daemon.render.times import date
from palimp_protocol.limits import LIST_TOKENS_MAX
from palimp_protocol.messages.removed_code import Addition, ChangeChecked, Return
from palimp_protocol.text import one_line, shown_name

ADDED_CHARACTERS_MAX: Final = 700
"""Characters shown of the reason for added code; a little less is stored."""


def checked_text(reply: ChangeChecked, _: str) -> str:
    """Return the removed code that a change would reintroduce."""
    if not reply.returns:
        nothing = _nothing(reply) if reply.new_lines else []
        return "\n".join([*nothing, *few(reply.notes)]) or "There is nothing in it to check."
    parts = [_description(each) for each in reply.returns]
    count = fitting(parts, LIST_TOKENS_MAX)
    cut = [] if count == len(parts) else [f"{count} of {len(parts)} are shown."]
    return "\n".join(
        [frame_text("\n".join(parts[:count])), *cut, *few(reply.notes), 'recall(id="h…") shows what was removed.']
    )


def _nothing(reply: ChangeChecked) -> list[str]:
    if reply.history == "read":
        return ["None of it was removed before."]
    return ["None of it is among the removed code that is known.", reply.history_note]


def added_text(added: Addition) -> str:
    """Return the commit or edit that had added removed code, and its reason."""
    where = f"commit {shown_name(added.commit[:12])}" if added.commit else "an agent's edit"
    share = f" ({added.lines} of {added.of} lines)" if added.lines < added.of else ""
    place = "It had come from another file, where it was added" if added.is_elsewhere else "It had been added"
    reason = one_line(added.reason, ADDED_CHARACTERS_MAX) or "no reason was recorded"
    return f"{place} in {where} on {date(added.at)}{share}: {reason}"


def _description(found: Return) -> str:
    word = "Reintroduces" if found.level == "warn" else "Resembles"
    where = f"commit {shown_name(found.commit[:12])}" if found.commit else "an earlier edit by an agent"
    memory = f" Saved at that time: {one_line(found.memory)}." if found.memory else ""
    added = "".join(f" {_with_full_stop(added_text(each))}" for each in found.added)
    lines = "\n".join(f"  {' '.join(line.splitlines())}" for line in found.lines)
    return (
        f"{word} {found.id}, removed from {shown_name(found.path)} on {date(found.at)} in {where}."
        f" Reason: {_with_full_stop(one_line(found.reason) or 'none was recorded')}{added}{memory}"
        f" {found.identical} of {found.gone} removed lines are the same,"
        f" {found.share:.0%} of it is here again:\n{lines}"
    )


def _with_full_stop(text: str) -> str:
    return text if text.endswith((".", "…", "!", "?")) else f"{text}."
