"""A daemon whose memory is filled from outside makes room for the next one."""

from pathlib import Path

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.server.background.memory_bound import CHECK_S, RESIDENT_MAX, keep_within, resident_bytes


async def test_it_ends_above_the_bound_and_not_before(autojump_clock, nursery, tmp_path: Path):
    """Large databases raise the bound: vectors of a million memories are in memory, and no reason to end."""
    state = DaemonState(boot="b", started_at=trio.current_time())
    database = tmp_path / "palimp.db"
    database.write_bytes(bytes(1_000))
    taken, logged = [RESIDENT_MAX + 1_000], []
    nursery.start_soon(
        keep_within,
        state,
        [database, tmp_path / "missing.db"],
        lambda event, **_: logged.append(event),
        lambda: taken[0],
    )

    await trio.sleep(3 * CHECK_S)
    assert not state.stop.is_set()
    taken[0] += 1
    await trio.sleep(2 * CHECK_S)

    assert state.stop.is_set()
    assert not state.is_stopped_by_user
    assert "memory_exceeded" in logged


def test_memory_that_is_taken_is_counted():
    before = resident_bytes()
    held = bytearray(b"x" * (64 << 20))
    assert resident_bytes() - before > len(held) // 2
