"""What the speed benchmarks store and ask: synthetic memories of a developer, and a session that asks."""

import os
import random
import socket
import time
from pathlib import Path
from typing import Any

import msgspec
from measuring import ANSWER_S

from palimp_daemon.search.terms import STOP_WORDS
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.wire.frames import Frame, Kind, frame_ids
from palimp_shim.transport.connection import Connection

CALLER = Caller(ProjectRef("/bench", "bench"))
VOCABULARY = 40_000
IDENTIFIERS = 20_000


class Words:
    """Texts whose word frequencies fall as Zipf's law says, with English stop words at the top as in real ones."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words = [*sorted(STOP_WORDS), *(self._syllables(number) for number in range(VOCABULARY))]
        self._cumulative: list[float] = []
        total = 0.0
        for rank in range(1, len(self._words) + 1):
            total += 1 / rank
            self._cumulative.append(total)

    def text(self, count: int = 40) -> str:
        """Return a memory of *count* words, a tenth of them identifiers."""
        words = self._chance.choices(self._words, cum_weights=self._cumulative, k=count)
        for place in range(self._chance.randrange(10), count, 10):
            words[place] = self.identifier(int(IDENTIFIERS * self._chance.random() ** 3))
        return " ".join(words)

    def query(self, count: int = 4) -> str:
        """Return a query of words from the middle of the distribution, as people ask."""
        return " ".join(self._words[self._chance.randrange(200, 5_000)] for _ in range(count))

    def common_words(self) -> str:
        """Return a query of words that stand in many memories."""
        return " ".join(self._words[self._chance.randrange(len(STOP_WORDS), 200)] for _ in range(3))

    def rare_words(self) -> str:
        """Return a query of words that stand in few memories."""
        return " ".join(self._words[self._chance.randrange(10_000, VOCABULARY)] for _ in range(3))

    def one_identifier(self) -> str:
        """Return a query that is one identifier."""
        return self.identifier(self._chance.randrange(IDENTIFIERS))

    def question(self) -> str:
        """Return a question of a dozen words, most of which say little."""
        told, was = self.query(2), self.query(1)
        return f"why did we {told} when the {self.common_words()} was {was} for {self.one_identifier()}?"

    def identifier(self, number: int) -> str:
        """Return the identifier of that *number*: snake_case, camelCase, a dotted name or a path."""
        one, other = (self._syllables(200 + number * step % 3_000) for step in (7, 13))
        forms = (f"{one}_{other}", f"{one}{other.title()}", f"{one}.{other}", f"src/{one}/{other}.py")
        return forms[number % len(forms)]

    @staticmethod
    def _syllables(number: int) -> str:
        word = "q"
        while number:
            number, digit = divmod(number, 40)
            word += "bcdfghklmnprstvz"[digit % 16] + "aeiou"[digit % 5]
        return word


class RefusedError(Exception):
    """A request that was not answered with a reply; *code* is that of its error."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body.decode())
        self.code: str = msgspec.json.decode(body)["code"]


class Session:
    """A client that sends typed requests and waits for each."""

    def __init__(self, path: Path, caller: dict[str, Any] | None = None) -> None:
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(path))
        self._connection = Connection(connected)
        self._ids = frame_ids(os.urandom(16))
        self._caller = caller or msgspec.to_builtins(CALLER)

    def call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Return the reply.

        Raises:
            RefusedError: the answer is none.
        """
        body = msgspec.json.encode({"operation": operation, "arguments": arguments, "caller": self._caller})
        answer = self._connection.ask(Frame(Kind.REQUEST, next(self._ids), body), time.monotonic() + ANSWER_S)
        if answer.kind is not Kind.REPLY:
            raise RefusedError(answer.body)
        return msgspec.json.decode(answer.body)
