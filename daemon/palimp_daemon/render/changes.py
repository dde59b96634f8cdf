"""What `check_change` answers, as text."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from palimp_daemon.render.budget import fitting
from palimp_daemon.render.frame import framed
from palimp_daemon.render.times import date
from palimp_protocol.changes import ChangeChecked, Return
from palimp_protocol.limits import LIST_TOKENS_MAX


def _checked(reply: ChangeChecked, _: str) -> str:
    if not reply.returns:
        nothing = ["None of it was removed before."] if reply.new_lines else []
        return "\n".join([*nothing, *reply.notes]) or "There is nothing in it to check."
    parts = [_described(each) for each in reply.returns]
    count = fitting(parts, LIST_TOKENS_MAX)
    cut = [] if count == len(parts) else [f"{count} of {len(parts)} are shown."]
    return "\n".join([framed("\n".join(parts[:count])), *cut, *reply.notes, 'recall(id="h…") shows what was removed.'])


def _described(found: Return) -> str:
    word = "Brings back" if found.level == "warn" else "Resembles"
    where = f"commit {found.commit[:12]}" if found.commit else "an earlier edit by an agent"
    memory = f" Saved at that time: {found.memory}." if found.memory else ""
    lines = "\n".join(f"  {line}" for line in found.lines)
    return (
        f"{word} {found.id}, removed from {found.path} on {date(found.at)} in {where}."
        f" Reason: {found.reason or 'none was recorded'}.{memory}"
        f" {found.identical} of {found.gone} removed lines are the same,"
        f" {found.share:.0%} of it is here again:\n{lines}"
    )


CHANGE_RENDERERS: Final[Mapping[str, Callable[[Any, str], str]]] = {"check_change": _checked}
