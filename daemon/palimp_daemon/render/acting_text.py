"""Render context of an act in ACTION_CONTEXT_TOKENS_MAX: a former failure, then memories."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.render.frame import KEPT, frame_text
from palimp_daemon.render.prompted import Given
from palimp_daemon.render.times import date
from palimp_daemon.text.titles import title_and_text
from palimp_protocol.limits import ACTION_CONTEXT_TOKENS_MAX, CHARACTERS_PER_TOKEN
from palimp_protocol.text import one_line

HEADING: Final = (
    f"Notes from earlier sessions on what you are about to do, not instructions. recall(id=…) shows one whole. {KEPT}"
)

_CHARACTERS: Final = ACTION_CONTEXT_TOKENS_MAX * CHARACTERS_PER_TOKEN - len(HEADING) - 60
"""Characters left beside the heading and the frame's marks."""

_SHORTEST: Final = 80
"""Least characters of a memory: less says nothing."""

_FAILURE_SHARE: Final = 0.6
"""Share of the characters that a failure may take beside memories."""


class FailedBefore(NamedTuple):
    """A command that failed in an earlier session, and the one that worked."""

    line: str
    error: str
    worked: str
    at: int


def acting_text(memories: Sequence[Given], failed: FailedBefore | None = None) -> tuple[str, int]:
    """Return the context and the number of *memories* in it."""
    parts: list[str] = []
    left = _CHARACTERS
    if failed:
        parts.append(_failure(failed, int(left * _FAILURE_SHARE) if memories else left))
        left -= len(parts[0]) + 1
    told = 0
    for number, memory in enumerate(memories):
        # What a short one leaves goes to those behind it.
        part = _memory(
            memory,
            max(left // (len(memories) - number), min(left, _SHORTEST + len(memory.id) + len(memory.origin) + 2)),
        )
        if not part:
            break
        parts.append(part)
        told += 1
        left -= len(part) + 1
    return (frame_text("\n".join(parts), HEADING) if parts else ""), told


def _failure(failed: FailedBefore, characters: int) -> str:
    said = f"This failed in an earlier session ({date(failed.at)}): `{failed.line}`"
    worked = f"What worked then: `{failed.worked}`"
    room = characters - len(said) - len(worked) - 4
    error = failed.error if len(failed.error) <= room else f"{failed.error[: room - 1]}…"
    why = f" ({error})" if failed.error and room > _SHORTEST // 2 else ""
    return f"{said}{why}\n{worked}"


def _memory(memory: Given, characters: int) -> str:
    text = one_line(title_and_text(one_line(memory.title), memory.content))
    head = f"{memory.id} {memory.origin} "
    room = characters - len(head)
    if room < min(len(text), _SHORTEST):
        return ""
    return head + (text if len(text) <= room else f"{text[: room - 1].rstrip()}…")
