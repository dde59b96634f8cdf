"""The operations that capture: what answers them, and how their replies read."""

from collections.abc import Awaitable, Callable

from palimp_daemon.features.capture.service import Captures
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_daemon.render.sessions import captured_text
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.sessions import Captured


def bindings(
    captures: Captures,
    read_text: Callable[[str, Caller], Awaitable[int]],
    read_file: Callable[[str, Caller], Awaitable[int]],
) -> Bindings:
    """Return what answers `capture` and `capture_file`.

    *read_text* and *read_file* keep what a transcript says, as a conversation.
    """

    async def capture(call: Invocation) -> Captured:
        captured = await captures.capture(call.request, call.caller, call.request_id)
        if call.request.text is not None:
            await read_text(call.request.text, call.caller)
        return captured

    async def capture_file(call: Invocation) -> Captured:
        captured = await captures.capture_file(call.request, call.caller, call.request_id)
        await read_file(call.request.path, call.caller)
        return captured

    return {
        "capture": Binding(AsyncHandler(capture), captured_text),
        "capture_file": Binding(AsyncHandler(capture_file), captured_text),
    }
