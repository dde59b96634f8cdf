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


def test_a_file_of_the_same_number_on_another_disk_is_another_file(tmp_path, monkeypatch):
    """The kernel lists numbers; whoever has another file open is not asked to end."""
    path = tmp_path / "lock"
    path.touch()
    listed = tmp_path / "locks"
    listed.write_text(f"1: FLOCK  ADVISORY  WRITE {os.getpid()} 00:01:{path.stat().st_ino} 0 EOF\n")
    monkeypatch.setattr(file_lock, "LOCKS", listed)
    assert file_lock.holders(path) == []
    with path.open("rb"):
        assert file_lock.holders(path) == [os.getpid()]
