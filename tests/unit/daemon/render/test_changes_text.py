"""What `check_change` answers: that nothing was removed before is a fact only where all was read."""

from typing import get_args

import pytest

from palimp_daemon.render.changes_text import checked_text
from palimp_protocol.messages.removed_code import ChangeChecked, HistoryState

STATES = get_args(HistoryState)


@pytest.mark.parametrize("state", STATES)
def test_nothing_is_called_unremoved_where_the_history_is_not_read(state: HistoryState):
    note = "" if state == "read" else "Why it is not."
    text = checked_text(ChangeChecked(returns=[], new_lines=3, history=state, history_note=note), "toon")
    assert ("None of it was removed before." in text) == (state == "read")
    assert note in text


@pytest.mark.parametrize("state", STATES)
def test_of_nothing_new_the_history_does_not_matter(state: HistoryState):
    reply = ChangeChecked(returns=[], new_lines=0, history=state, history_note="Why.", notes=["3 of 3 are there."])
    assert checked_text(reply, "toon") == "3 of 3 are there."
