"""The user at the other end of a connection."""

import os
import sys

import pytest
import trio

from palimp_daemon.runtime.peer_user import are_users_known, user_in_table, user_of_peer

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:20EE 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:20EE 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:A001 0100007F:20EE 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
   3: 0100007F:A002 0100007F:20EE 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0
   4: short
"""
OURS = ("127.0.0.1", 0x20EE)


@pytest.mark.skipif(sys.byteorder != "little", reason="the table above is of a little-endian machine")
def test_the_peer_s_own_row_says_its_user():
    """Not ours, which is the same connection from the other side; and not one that is over."""
    assert user_in_table(TABLE, ("127.0.0.1", 0xA001), OURS) == 1001
    assert user_in_table(TABLE, ("127.0.0.1", 0xA002), OURS) is None
    assert user_in_table(TABLE, ("127.0.0.1", 0xA003), OURS) is None
    assert user_in_table("", ("127.0.0.1", 0xA001), OURS) is None


@pytest.mark.skipif(not are_users_known(), reason="this system has no /proc/net/tcp")
async def test_a_real_connection_of_ours_is_ours():
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    async with listener, await trio.open_tcp_stream("127.0.0.1", port), await listener.accept() as stream:
        assert await user_of_peer(stream) == os.getuid()
