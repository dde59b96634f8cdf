"""Locks of files: one holder, whom the kernel names."""

import os

from palimp_protocol import file_lock


def test_one_holds_it_and_the_next_gets_it_when_it_is_released(tmp_path):
    path = tmp_path / "lock"
    assert not file_lock.is_held(path)
    held = file_lock.take(path)
    assert held is not None
    assert file_lock.take(path) is None
    assert file_lock.is_held(path)
    assert file_lock.holders(path) == [os.getpid()]
    file_lock.release(held)
    assert file_lock.holders(path) == []
    assert not file_lock.is_held(path)
    assert path.stat().st_mode & 0o777 == 0o600
