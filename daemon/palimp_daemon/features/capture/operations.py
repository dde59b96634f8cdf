"""The operation `capture`: what answers it, and how its reply reads."""

from palimp_daemon.features.capture.service import Captures
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings
from palimp_daemon.render.sessions import captured_text


def bindings(captures: Captures) -> Bindings:
    """Return what answers `capture`."""
    capture = AsyncHandler(lambda call: captures.capture(call.request, call.caller, call.request_id))
    return {"capture": Binding(capture, captured_text)}
