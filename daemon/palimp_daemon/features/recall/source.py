"""The interface of the sources that `recall` answers from besides the memories."""

from collections.abc import Sequence
from typing import Protocol

from palimp_daemon.features.handler import Invocation
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memories import Recall, Recalled


class Source(Protocol):
    """Rows of a kind of their own."""

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* asks for these rows only, by their kind or their ids."""
        ...

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Return the rows for *request*, which is valid.

        Raises:
            PalimpError: they cannot be read here.
        """
        ...


class SearchBeside(Protocol):
    """A search that runs beside the one for memories."""

    is_for_doubt: bool
    """Whether nobody needs it once a memory certainly answers; it is cancelled then."""

    async def find(self) -> None:
        """Look for rows, and keep them."""
        ...

    async def added_to(self, reply: Recalled) -> Recalled:
        """Return *reply*, the memories', with the rows that were found."""
        ...


class SourceBeside(Source, Protocol):
    """A source that is searched with every search for memories, and whose ids may stand among theirs."""

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return the ids of these rows in a view."""
        ...

    def may_answer(self, request: Recall, caller: Caller) -> bool:
        """Tell whether these rows may answer *request*."""
        ...

    def begin_search(self, call: Invocation) -> SearchBeside:
        """Return the search for *call*; what has to be asked of the memories' store stands before their search."""
        ...


class ViewElsewhere(Protocol):
    """Knows memories that are not here, by their ids."""

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return the ids in a view that may be of such ones."""
        ...

    async def view(self, names: Sequence[str]) -> Recalled:
        """Return those of the memories *names* that are known."""
        ...
