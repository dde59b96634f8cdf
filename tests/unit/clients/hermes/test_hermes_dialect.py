"""Hermes takes context with a prompt and a denial before a tool, in its own words."""

import json

from palimp_clients.hermes.dialect import output_of, transcript_of
from palimp_clients.hooks.event import HookReply

REPLY = HookReply("Known.", "Removed.")


def test_context_is_told_with_a_prompt_alone_and_a_denial_before_a_tool():
    assert json.loads(output_of("SessionStart", REPLY)) == {"context": "Known."}
    assert json.loads(output_of("UserPromptSubmit", REPLY)) == {"context": "Known."}
    assert json.loads(output_of("PreToolUse", REPLY)) == {"action": "block", "message": "Removed."}
    assert output_of("PreToolUse", HookReply("Known.")) == ""
    assert output_of("PostToolUse", REPLY) == output_of("Stop", REPLY) == ""


def test_a_session_is_in_the_database_of_its_home():
    assert transcript_of("s1", {"HOME": "/home/ana"}) == "/home/ana/.hermes/state.db#s1"
    assert transcript_of("s1", {"HOME": "/home/ana", "HERMES_HOME": "/srv/h"}) == "/srv/h/state.db#s1"
    assert transcript_of("s1", {}) == ""
