"""Ask the dispatcher as a person: the page's only access to data."""

from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_protocol.errors import RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.operations import OPERATIONS, Operation

_OPERATION_OF: Final[dict[type[Struct], Operation]] = {each.request: each for each in OPERATIONS.values()}

Request = TypeVar("Request", bound=Struct)


class Asking:
    """Asks for operations by their requests."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def ask(self, request: Struct, caller: Caller, once: str = "") -> Any:
        """Return the reply to *request*; a change with a known *once* is not repeated.

        Raises:
            PalimpError: it failed and changed nothing.
        """
        operation = _OPERATION_OF[type(request)]
        began = self._dispatcher.begin()
        try:
            return await self._dispatcher.answer(operation, request, caller, once.encode())
        finally:
            self._dispatcher.end(operation, began)


def request_from(kind: type[Request], /, **fields: Any) -> Request:
    """Return a request of *kind* with *fields* from a browser.

    Raises:
        PalimpError: a field is invalid.
    """
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise RequestError(f"{error}.", "Nothing was changed.") from None
