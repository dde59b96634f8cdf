"""A client that answers without a daemon, and notes what it was asked: for tests of commands."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from palimp_protocol.messages.caller import Caller
from palimp_protocol.operations import Operation


class FakeClient:
    """Stands in for the class of clients: each one gives the next of *answers*, the last of them again and again."""

    def __init__(self, answers: Iterable[Struct | Exception]) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    def __call__(self, *_: object, **__: object) -> "FakeClient":
        return self

    def call(self, operation: Operation, request: Struct, _: Caller) -> Any:
        """Answer, or raise what is to be raised."""
        assert isinstance(request, operation.request)
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer
