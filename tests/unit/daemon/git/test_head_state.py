"""Where HEAD is and was, read from git's files."""

from pathlib import Path

import pytest
from repositories import Repository

from palimp_daemon.git.head_state import head_state, reflog_of


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("first", a_py="x = 1\n")
    return made


def test_it_changes_with_every_move_of_head_and_with_nothing_else(repository: Repository):
    tree = str(repository.path)
    first = head_state(tree)
    assert first is not None
    repository.write("a.py", "x = 2\n")
    repository.git("branch", "other")
    assert head_state(tree) == first
    repository.commit("second")
    second = head_state(tree)
    assert second != first
    repository.git("checkout", "--quiet", "other")
    assert head_state(tree) not in (first, second)
    repository.git("checkout", "--quiet", "--detach", "main")
    detached = head_state(tree)
    repository.git("checkout", "--quiet", "--detach", "main^")
    assert head_state(tree) != detached


def test_packed_branches_and_linked_worktrees_are_known(repository: Repository, tmp_path: Path):
    repository.git("pack-refs", "--all")
    packed = head_state(str(repository.path))
    repository.commit("second")
    assert head_state(str(repository.path)) != packed
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "--quiet", "-b", "feature", str(linked))
    before = head_state(str(linked))
    assert before is not None
    assert before.branch
    repository.git("-C", str(linked), "commit", "--quiet", "--allow-empty", "--message", "there")
    assert head_state(str(linked)) != before


def test_where_there_is_no_repository_nothing_is_known(tmp_path: Path):
    assert head_state(str(tmp_path)) is None
    assert reflog_of(str(tmp_path)) == []
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    assert head_state(str(tmp_path)) is None
    assert head_state(f"{tmp_path}/\0") is None


def test_the_reflog_says_where_head_was(repository: Repository):
    second = repository.commit("second")
    repository.git("reset", "--quiet", "--hard", "HEAD^")
    moments = reflog_of(str(repository.path))
    assert [each.commit for each in moments][1:] == [second, repository.git("rev-parse", "HEAD")]
    log = repository.path / ".git/logs/HEAD"
    log.write_bytes(
        b"nonsense\n\xff\xfe\n" + b"0" * 40 + b" " + b"0" * 40 + b" a <a> 17000000 +0000\tx\n" + log.read_bytes()
    )
    assert reflog_of(str(repository.path)) == moments
