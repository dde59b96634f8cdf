"""The operation `capture`: what answers it, and how its reply reads."""

from collections.abc import Awaitable, Callable

from palimp_daemon.features.capture.service import Captures
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_daemon.render.sessions import captured_text
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.sessions import Captured


def bindings(captures: Captures, read_text: Callable[[str, Caller], Awaitable[int]]) -> Bindings:
    """Return what answers `capture`; *read_text* keeps what a transcript says, as a conversation."""

    async def capture(call: Invocation) -> Captured:
        captured = await captures.capture(call.request, call.caller, call.request_id)
        if call.request.text is not None:
            await read_text(call.request.text, call.caller)
        return captured

    return {"capture": Binding(AsyncHandler(capture), captured_text)}
