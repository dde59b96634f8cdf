"""The folder in which hooks leave records: what a killed hook left half written does not stay."""

import os
from pathlib import Path

from palimp_daemon.server.background.hook_spool import HALF_WRITTEN_S, _waiting


def test_a_record_that_a_killed_hook_left_half_written_is_removed_and_one_being_written_is_not(tmp_path: Path):
    whole, left, being_written = (tmp_path / name for name in ("1-aa.json", "2-bb.partial", "3-cc.partial"))
    for file in (whole, left, being_written):
        file.write_bytes(b"{}")
    written_at = left.stat().st_mtime - HALF_WRITTEN_S - 1
    os.utime(left, (written_at, written_at))
    assert _waiting(tmp_path) == [whole]
    assert sorted(tmp_path.iterdir()) == [whole, being_written]


def test_a_folder_that_is_not_there_has_no_records(tmp_path: Path):
    assert _waiting(tmp_path / "none") == []
