"""Locks of files: one holder, whom the kernel names."""

import errno
import fcntl
import os
import subprocess
from pathlib import Path

import pytest
from running_daemon import wait_until

from palimp_protocol.env import file_lock


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


def test_a_disk_without_locks_is_not_a_lock_that_somebody_holds(tmp_path, monkeypatch):
    """As NFS without a lock daemon answers: waiting would not help."""

    def no_locks(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(OSError, match=file_lock.NO_LOCKS) as raised:
        file_lock.take(tmp_path / "lock")
    assert raised.value.errno == errno.ENOLCK


def test_a_folder_is_removed_by_the_last_who_leaves_it(tmp_path):
    """Not under the feet of another; and one that holds something stays."""
    folder = tmp_path / "shared"
    with file_lock.shared_folder(folder):
        with file_lock.shared_folder(folder):
            assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.is_dir()
    assert not folder.exists()
    with file_lock.shared_folder(folder):
        (folder / "something").touch()
    assert folder.is_dir()


def test_a_file_of_the_same_number_on_another_disk_is_another_file(tmp_path, monkeypatch):
    """The kernel lists numbers; whoever has another file locked is not asked to end."""
    path = tmp_path / "lock"
    path.touch()
    at = path.stat()
    listed = tmp_path / "locks"
    monkeypatch.setattr(file_lock, "LOCKS", listed)
    listed.write_text(f"1: FLOCK  ADVISORY  WRITE 77 0f:7f:{at.st_ino} 0 EOF\n")
    assert file_lock.holders(path) == []
    disk = f"{os.major(at.st_dev):02x}:{os.minor(at.st_dev):02x}"
    listed.write_text(f"1: FLOCK  ADVISORY  WRITE 77 {disk}:{at.st_ino} 0 EOF\n")
    assert file_lock.holders(path) == [77]


def test_a_holder_whom_the_kernel_lists_twice_is_one(tmp_path, monkeypatch):
    """As it may while other locks come and go: a test that counts owners failed by it, once in many thousands."""
    path, listed = tmp_path / "lock", tmp_path / "locks"
    path.touch()
    at = path.stat()
    line = f"FLOCK  ADVISORY  WRITE 77 {os.major(at.st_dev):02x}:{os.minor(at.st_dev):02x}:{at.st_ino} 0 EOF\n"
    listed.write_text(f"1: {line}2: {line}")
    monkeypatch.setattr(file_lock, "LOCKS", listed)

    assert file_lock.holders(path) == [77]


def test_where_numbers_of_disks_do_not_agree_it_must_be_one_of_ours(tmp_path):
    """As on btrfs, whose files have another disk than its locks."""
    path = tmp_path / "lock"
    path.touch()
    fields = list(path.stat())
    fields[2] = os.makedev(0, 91_919)
    at = os.stat_result(fields)
    for ours in ("palimp_daemon", "another"):
        # Not this Python, whose path may have the name in it.
        process = subprocess.Popen(["/bin/sh", "-c", f"read line; : {ours}"], stdin=subprocess.PIPE)
        command = Path(f"/proc/{process.pid}/cmdline")
        # For a moment the kernel has none, or that of this process.
        wait_until(lambda own=ours, said=command: own.encode() in said.read_bytes(), 60)
        assert file_lock._may_be_ours(at, "00:5a", process.pid) is (ours == "palimp_daemon")
        assert not file_lock._may_be_ours(at, "fe:00", process.pid)
        assert not file_lock._may_be_ours(path.stat(), "00:5a", process.pid)
        process.communicate(b"\n")


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to make files of another user")
@pytest.mark.parametrize("is_held", [True, False], ids=["held", "free"])
def test_a_file_that_another_user_left_is_replaced_unless_somebody_holds_it(home, is_held: bool):
    """By whoever owns the folder, in a process that may not open it."""
    path = home / "lock"
    held = file_lock.take(path)
    if not is_held:
        file_lock.release(held)
    os.chown(home, 65534, 65534)
    child = os.fork()
    if not child:
        os.setgid(65534)
        os.setuid(65534)
        try:
            os._exit(0 if file_lock.take_in_own_folder(path) is not None else 3)
        except PermissionError:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == (1 if is_held else 0)
    assert path.stat().st_uid == (0 if is_held else 65534)
