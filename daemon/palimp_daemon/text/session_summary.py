"""Summarize a session as its transcript is read."""

from collections.abc import Callable, Sequence
from typing import Final, Self

from msgspec import Struct

from palimp_daemon.text.messages import Message, short

REQUESTS_FIRST: Final = 3
REQUESTS_LAST: Final = 5
"""Requests kept from the session's beginning and from its end."""

FILES_MAX: Final = 20
REQUEST_CHARACTERS: Final = 160
STATEMENT_CHARACTERS: Final = 400
REQUEST_WORDS_MIN: Final = 3
"""Shorter requests ("continue", "yes please") say nothing later."""


class Digest(Struct, frozen=True, kw_only=True):
    """The part of a session that was read so far."""

    first: list[str] = []
    last: list[str] = []
    requests: int = 0
    files: list[str] = []
    """Names of edited files, the latest last."""
    statement: str = ""

    def with_messages(self, messages: Sequence[Message]) -> Self:
        """Return the digest extended by *messages*."""
        first, last, files = list(self.first), list(self.last), list(self.files)
        requests, statement = self.requests, self.statement
        for message in messages:
            for path in message.files:
                name = path.rsplit("/", 1)[-1][:80]
                files = [*(each for each in files if each != name), name][-FILES_MAX:]
            if message.role == "assistant":
                statement = short(message.text, STATEMENT_CHARACTERS) or statement
            elif len(message.text.split()) >= REQUEST_WORDS_MIN:
                requests += 1
                request = short(message.text, REQUEST_CHARACTERS)
                if len(first) < REQUESTS_FIRST:
                    first.append(request)
                else:
                    last = [*last, request][-REQUESTS_LAST:]
        return type(self)(first=first, last=last, requests=requests, files=files, statement=statement)

    def without(self, is_erased: Callable[[str], bool]) -> Self:
        """Return the digest without texts that *is_erased* accepts."""
        return type(self)(
            first=[each for each in self.first if not is_erased(each)],
            last=[each for each in self.last if not is_erased(each)],
            requests=self.requests,
            files=self.files,
            statement="" if is_erased(self.statement) else self.statement,
        )

    @property
    def is_telling(self) -> bool:
        """Whether files were edited, or several requests made."""
        return bool(self.first) and (bool(self.files) or self.requests > 1)

    @property
    def title(self) -> str:
        """The title of the summary."""
        return f"Session: {short(self.first[0], 80)}"

    @property
    def text(self) -> str:
        """The summary."""
        left_out = self.requests - len(self.first) - len(self.last)
        asked = [*self.first, *([f"({left_out} more)"] if left_out > 0 else []), *self.last]
        lines = ["Asked:", *(f"- {request}" for request in asked)]
        if self.files:
            lines.append(f"Edited: {', '.join(self.files)}")
        if self.statement:
            lines.append(f"At the end the agent said: {self.statement}")
        return "\n".join(lines)
