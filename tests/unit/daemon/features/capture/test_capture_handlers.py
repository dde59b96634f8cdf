"""What capture found is stored unless it is known already."""

import pytest

from palimp_daemon.features.capture.capture_handlers import CaptureResult, keep_gathered
from palimp_daemon.features.capture.extract import Extract, extracts_of
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.text.messages import Message
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

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


def test_what_was_said_long_ago_is_as_old_as_that(request_context):
    """An old session that is looked through now says nothing newer than what was saved since."""
    week_ms = 7 * 24 * 3600 * 1000
    context = request_context()
    long_ago, unknown, ahead = context.now_ms - week_ms, 0, context.now_ms + week_ms
    said = [
        SAID._replace(quote=f"{each} is not reachable from the office network", at_ms=at)
        for each, at in (("staging", long_ago), ("the wiki's mirror", unknown), ("a printer on the roof", ahead))
    ]

    keep_gathered(context, CaptureResult(said, 3), Redactor())

    listed = recall(context, Recall(until="1d"))
    assert [each.created_at for each in listed.memories] == [long_ago]
    assert [each.created_at for each in recall(context, Recall()).memories] == [context.now_ms] * 2 + [long_ago]


def test_a_found_memory_has_the_time_of_its_message():
    said = [
        Message("user", "From now on we always use pnpm in the web folder.", at_ms=5),
        Message("assistant", "Noted.", at_ms=6),
        Message("user", "We decided to keep invoices in Postgres because the bank wants it.", at_ms=7),
    ]
    assert [each.at_ms for each in extracts_of(said)] == [5, 7]
