"""The interface of `recall`'s sources besides the memories."""

from collections.abc import Sequence
from typing import Protocol

from palimp_daemon.features.handler import Invocation
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall, Recalled


class Source(Protocol):
    """Rows of their own kind."""

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* is for these rows only."""
        ...

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Return the rows for *request*, already checked.

        Raises:
            PalimpError: they cannot be read here.
        """
        ...


class SearchBeside(Protocol):
    """A search beside that for memories."""

    is_for_doubt: bool
    """Whether it is cancelled once a memory certainly answers."""

    async def find(self) -> None:
        """Find and keep rows."""
        ...

    async def added_to(self, reply: Recalled) -> Recalled:
        """Return *reply*, the memories', with the found rows."""
        ...


class SourceBeside(Source, Protocol):
    """A source searched with every search; its ids may be mixed with memories'."""

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return the ids of these rows in a view."""
        ...

    def may_answer(self, request: Recall, caller: Caller) -> bool:
        """Tell whether these rows may answer *request*."""
        ...

    def begin_search(self, call: Invocation) -> SearchBeside:
        """Return the search; its questions to the memories' store come first."""
        ...


class ViewElsewhere(Protocol):
    """Views memories that are elsewhere, by id."""

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return the ids in a view that may be elsewhere."""
        ...

    async def view(self, names: Sequence[str]) -> Recalled:
        """Return the known ones of *names*."""
        ...
