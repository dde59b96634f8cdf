"""What a real repository is asked of its commits."""

from pathlib import Path

import pytest
from repositories import Repository

from palimp_daemon.git.git_log import History
from palimp_daemon.git.git_repository import ask, commits_here, head_of, is_ancestor, parent_of

KEEP = "def keep_it(value):\n    return value + 1\n\n\n\n\n\n"
DROP = "def drop_it(value):\n    return compute_drop(value)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_a_repository_without_commits_and_a_folder_without_git_have_no_head(repository, tmp_path):
    assert head_of(repository.path) == ""
    assert head_of(tmp_path) == ""
    with History(repository.path, ["HEAD"], 100) as commits:
        assert list(commits) == []


def test_an_ancestor_is_told_from_another_branch(repository):
    first = repository.commit("first", a_py=KEEP)
    second = repository.commit("second", a_py=DROP)
    assert is_ancestor(repository.path, first, second)
    assert not is_ancestor(repository.path, second, first)
    assert not is_ancestor(repository.path, "0" * 40, second)


def test_which_of_some_commits_a_repository_has_is_told(repository, tmp_path):
    """A folder without a repository has none."""
    one, two = repository.commit("one", a_py="1\n"), repository.commit("two", a_py="2\n")
    assert commits_here(repository.path, [one, "0" * 40, two]) == {one, two}
    assert commits_here(repository.path, []) == set()
    assert commits_here(tmp_path, [one]) == set()


def test_the_parent_of_a_commit_is_known_also_when_it_is_lost(repository):
    """The first commit has none."""
    first = repository.commit("first", a_py=KEEP)
    second = repository.commit("second", a_py=KEEP + DROP)
    (repository.path / ".git" / "objects" / first[:2] / first[2:]).unlink()
    assert parent_of(repository.path, second) == first
    assert parent_of(repository.path, first) == ""


def test_git_reads_what_it_is_given_however_much(repository):
    repository.commit("first")
    given = b"HEAD\n" * 15_000  # more than a pipe holds, and so is the answer
    answer = ask(repository.path, "cat-file", "--batch-check", given=given)
    assert answer.output.count(b" commit ") == 15_000
    assert ask(repository.path, "rev-parse", "--verify", "HEAD", given=given).status == 0  # it does not read them
