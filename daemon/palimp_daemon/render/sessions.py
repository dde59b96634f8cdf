"""Replies about sessions as text."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from palimp_protocol.sessions import Captured


def _captured(reply: Captured, _: str) -> str:
    lines = [f'{memory.id} {memory.kind}: "{memory.title}"' for memory in reply.memories]
    known = f", {reply.known} known already" if reply.known else ""
    lines.append(f"Captured {len(reply.memories)} from {reply.messages} messages{known}.")
    return "\n".join([*lines, *reply.notes])


SESSION_RENDERERS: Final[Mapping[str, Callable[[Any, str], str]]] = {"capture": _captured}
