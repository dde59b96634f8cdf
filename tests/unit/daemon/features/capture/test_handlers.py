"""What capture found is stored unless it is known already."""

import pytest

from palimp_daemon.features.capture.extract import Extract
from palimp_daemon.features.capture.handlers import CaptureResult, keep_gathered
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memories import SaveMemory

SAID = Extract("note", "staging is not reachable from the office network", is_asked_for=True)


@pytest.mark.parametrize(
    ("saved", "session", "stored"),
    [
        ("Staging is not reachable from the office network.", "s1", 0),
        ("The staging environment is not reachable from the office's network (VPN needed).", "s1", 0),
        ("The office network blocks port 25.", "s1", 1),
        ("The staging environment is not reachable from the office's network (VPN needed).", "s2", 1),
    ],
    ids=["the same words", "other words", "something else", "another session"],
)
def test_what_the_agent_saved_in_that_session_is_not_stored_again(
    request_context, saved: str, session: str, stored: int
):
    save_memory(request_context(session=session), SaveMemory(text=saved))

    captured = keep_gathered(request_context(session="s1"), CaptureResult([SAID], 1), Redactor())

    assert (len(captured.memories), captured.known) == (stored, 1 - stored)
