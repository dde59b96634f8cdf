"""Bindings of the operations that capture."""

from palimp_daemon.features.capture.requested import RequestedCaptures
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings
from palimp_daemon.render.sessions_text import captured_text


def bindings(captures: RequestedCaptures) -> Bindings:
    """Bind `capture` and `capture_file`."""
    return {
        "capture": Binding(
            AsyncHandler(lambda call: captures.capture(call.request, call.caller, call.request_id)), captured_text
        ),
        "capture_file": Binding(
            AsyncHandler(lambda call: captures.capture_file(call.request, call.caller, call.request_id)), captured_text
        ),
    }
