"""Room that is kept for a full disk."""

import errno
import os
from pathlib import Path

import pytest

from palimp_daemon.store.integrity.ballast import RESERVE_BYTES, Ballast


def test_it_takes_room_and_lets_go_of_it(tmp_path: Path):
    reserve = Ballast(tmp_path / "palimp.db")
    assert reserve.hold()
    assert reserve.hold()
    assert reserve.path.stat().st_blocks * 512 >= RESERVE_BYTES
    assert reserve.path.stat().st_mode & 0o777 == 0o600
    reserve.release()
    reserve.release()
    assert not reserve.path.exists()
    assert reserve.hold()


def test_where_there_is_no_room_nothing_is_left(tmp_path: Path):
    reserve = Ballast(tmp_path / "missing" / "palimp.db")
    assert not reserve.hold()
    assert not reserve.path.exists()


def test_on_a_disk_that_is_read_only_it_is_refused_and_nothing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    reserve = Ballast(tmp_path / "palimp.db")
    assert reserve.hold()
    reserve.release()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert not reserve.hold()
