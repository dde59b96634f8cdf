"""What is being worked on in a real tree."""

from pathlib import Path

import pytest
from repositories import Repository

from palimp_daemon.git.recent_work import RecentWork, RecentWorkReader

KEEP = "def keep_it(value):\n    return value + 1\n\n\n\n\n\n"
DROP = "def drop_it(value):\n    return compute_drop(value)\n"
PATIENT_S = 60.0


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_files_at_hand_are_those_changed_then_those_of_the_last_commits(repository):
    repository.commit("first", a_py=KEEP, b_py=DROP)
    repository.commit("second", c_py=KEEP)
    repository.write("b.py", "changed()\n")
    work = RecentWorkReader(PATIENT_S).read(repository.path)
    assert work == RecentWork("main", ["second", "first"], ["b.py", "c.py", "a.py"])


def test_a_folder_without_git_has_no_work(tmp_path: Path):
    assert RecentWorkReader().read(tmp_path) == RecentWork("", [], [])
