"""Room that is kept for a full disk."""

from pathlib import Path

from palimp_daemon.store.integrity.ballast import RESERVE_BYTES, Reserve


def test_it_takes_room_and_lets_go_of_it(tmp_path: Path):
    reserve = Reserve(tmp_path / "palimp.db")
    assert reserve.hold()
    assert reserve.hold()
    assert reserve.path.stat().st_blocks * 512 >= RESERVE_BYTES
    assert reserve.path.stat().st_mode & 0o777 == 0o600
    reserve.release()
    reserve.release()
    assert not reserve.path.exists()
    assert reserve.hold()


def test_where_there_is_no_room_nothing_is_left(tmp_path: Path):
    reserve = Reserve(tmp_path / "missing" / "palimp.db")
    assert not reserve.hold()
    assert not reserve.path.exists()
