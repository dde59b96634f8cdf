"""Peers: one per client process, forgotten when silent."""

import contextlib
import json
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.mcp.request_caller import caller_named
from palimp_daemon.server.peers import Hello, Inbox, Peers, decode_hello
from palimp_protocol.limits import PEER_EXPIRY_S, PEER_INBOX_FRAMES_MAX, PEERS_MAX
from palimp_protocol.messages.caller import SessionRef


def hello(client: str = "c1", **fields) -> Hello:
    return Hello(client=client, version="1", **fields)


def test_a_peer_is_found_until_it_is_silent_for_too_long():
    """Each frame keeps it alive."""
    peers = Peers()
    peers.open(b"1", hello(), 0)

    assert peers.find(b"1", PEER_EXPIRY_S - 1)
    assert peers.remove_expired(PEER_EXPIRY_S + 1) == []
    (expired,) = peers.remove_expired(2 * PEER_EXPIRY_S)
    assert expired.scope.cancel_called
    assert peers.find(b"1", 2 * PEER_EXPIRY_S) is None


async def test_a_client_that_says_hello_again_takes_its_own_place():
    """On the same connection or on a new one; the old session ends."""
    peers = Peers()
    first = peers.open(b"1", hello(), 0)
    second = peers.open(b"2", hello(), 0)
    third = peers.open(b"2", hello(), 0)

    assert first.scope.cancel_called
    assert second.scope.cancel_called
    assert not third.scope.cancel_called
    assert len(peers) == 1


def test_removing_an_old_peer_leaves_its_successor():
    """A late farewell of the old session does not end the new one."""
    peers = Peers()
    first = peers.open(b"1", hello(), 0)
    second = peers.open(b"1", hello(), 0)

    peers.remove(first)

    assert peers.find(b"1", 0) is second


def test_there_are_only_so_many():
    """The next one is refused."""
    peers = Peers()
    for number in range(PEERS_MAX):
        assert peers.open(b"%d" % number, hello(str(number)), 0)

    assert peers.open(b"more", hello("more"), 0) is None


def test_the_caller_is_whom_the_client_named():
    """The session of the client program if it told one, else the client process."""
    told = decode_hello(b'{"client":"c","version":"1","session":"s","project":{"root":"/x","name":"x"}}').caller()
    silent = decode_hello(b'{"client":"c","version":"1","from_the_future":1}').caller()

    assert (told.session.key, told.project.root) == ("s", "/x")
    assert (silent.session.key, silent.project) == ("c", None)


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.dictionaries(st.text(), x), max_leaves=5))
def test_any_hello_is_understood_or_refused(body):
    """With the one exception that the router expects."""
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
        decode_hello(json.dumps(body).encode())


@pytest.mark.parametrize("body", [b"", b"{}", b'{"client":"","version":"1"}', b"\xff"])
def test_a_hello_without_a_client_is_refused(body: bytes):
    """It could not be recognised when it comes back."""
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_hello(body)


def test_messages_wait_for_their_session_and_are_given_to_it_at_once_then():
    """In their order, as many as fit."""
    inbox, given = Inbox(), []

    def take(frame_id: bytes, message: bytes) -> bool:
        given.append((frame_id, message))
        return len(given) <= PEER_INBOX_FRAMES_MAX

    for number in range(PEER_INBOX_FRAMES_MAX):
        assert inbox.put(b"%d" % number, b"early")
    assert not inbox.put(b"", b"one too many")
    inbox.give_to(take)
    assert [frame_id for frame_id, _ in given] == [b"%d" % number for number in range(PEER_INBOX_FRAMES_MAX)]
    assert not inbox.put(b"id", b"late")
    assert given[-1] == (b"id", b"late")


async def test_a_client_whose_program_does_not_say_its_name_is_called_as_its_environment_says():
    backend: Any = SimpleNamespace(calling=SimpleNamespace(only_session=lambda *_: ""))
    for told, client in (("hermes", "hermes"), ("", "mcp")):
        caller = caller_named(backend, hello(program=told, session="s1").caller(), "mcp", None)
        assert caller.session == SessionRef("s1", client)
