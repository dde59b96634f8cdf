"""Cut a conversation into messages.

Secrets are redacted in whole messages, before any part is quoted.
"""

import re
from typing import Literal, NamedTuple

from palimp_clients.transcripts.turn import cut_middle
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_daemon.text.redact import Redactor


class Message(NamedTuple):
    """A message of the user or the agent, without secrets."""

    role: Literal["user", "assistant"]
    text: str
    files: tuple[str, ...] = ()
    """Files that the agent edited with it."""
    at_ms: int = 0
    """Its time, in milliseconds since the epoch; 0 if unknown."""


def plain_messages(text: str, redact: Redactor) -> list[Message]:
    """Split a text that is no transcript at lines `User:` or `Assistant:`."""
    parts = re.split(r"(?mi)^(user|human|assistant|agent|ai)\s*:\s*", redact(text))
    found = [Message("user", typed_by_person(parts[0]).strip())]
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        is_user = name.lower() in ("user", "human")
        found.append(Message("user", typed_by_person(said).strip()) if is_user else Message("assistant", said.strip()))
    return [Message(message.role, cut_middle(message.text)) for message in found if message.text]


def short(text: str, characters: int) -> str:
    """Return *text* on one line, cut to *characters*."""
    words = " ".join(text.split())
    return words if len(words) <= characters else words[: characters - 1] + "…"
