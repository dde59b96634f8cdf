"""The session that a client names in the environment of what it starts."""

import os

import pytest

from palimp_clients.hooks.programs import client_session
from palimp_protocol.limits import SESSION_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("env", "session"),
    [
        ({}, ""),
        ({"CLAUDE_CODE_SESSION_ID": "c1"}, "c1"),
        ({"QWEN_CODE_SESSION_ID": "q1"}, "q1"),
        ({"CLAUDE_CODE_SESSION_ID": "é" * 999}, "é" * SESSION_CHARACTERS_MAX),
        ({"CLAUDE_CODE_SESSION_ID": "", "QWEN_CODE_SESSION_ID": "q1"}, "q1"),
    ],
)
def test_it_is_the_one_that_a_client_names(env: dict[str, str], session: str):
    assert client_session(env) == session


def test_bytes_that_are_no_text_become_text():
    client_session({"QWEN_CODE_SESSION_ID": os.fsdecode(b"s\xff")}).encode()
