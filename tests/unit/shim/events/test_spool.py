"""What no daemon took is left in a file, whatever others do in the folder meanwhile."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from palimp_protocol.env.paths import spool_directory
from palimp_shim.events import spool


def test_what_another_takes_away_meanwhile_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    env = {"PALIMP_HOME": str(tmp_path)}
    assert spool.keep(env, b"1", b"first")
    [first] = Path(spool_directory(env)).iterdir()
    scandir = os.scandir

    def taken_away(folder: str):
        entries = list(scandir(folder))
        first.unlink(missing_ok=True)  # by a daemon, say, that has just read it
        return nullcontext(entries)

    monkeypatch.setattr(os, "scandir", taken_away)
    assert spool.keep(env, b"2", b"second")
    assert [path.read_bytes() for path in Path(spool_directory(env)).iterdir()] == [b"second"]


def test_where_there_is_no_room_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    env = {"PALIMP_HOME": str(tmp_path)}
    monkeypatch.setattr(spool, "HOOK_SPOOL_BYTES_MAX", 8)
    assert spool.keep(env, b"1", b"first")
    assert not spool.keep(env, b"2", b"second")
    assert len(list(Path(spool_directory(env)).iterdir())) == 1
