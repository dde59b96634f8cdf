"""Which project a folder belongs to, with repositories that git itself made."""

import os
import subprocess
from pathlib import Path

import pytest

from palimp_protocol.project import Project, project_from_directory, working_directory

HOME = "/nonexistent-home"


def git(folder: Path, *arguments: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def root_of(folder: Path, home: str = HOME) -> str | None:
    project = project_from_directory(str(folder), home)
    return project.root if project else None


def test_a_folder_below_a_repository_belongs_to_it(tmp_path: Path):
    """The root is found by walking up."""
    repo = repository(tmp_path / "repo")
    below = repo / "src" / "deep"
    below.mkdir(parents=True)

    assert project_from_directory(str(below), HOME) == Project(str(repo), "repo", str(repo))


def test_worktrees_share_the_main_root(tmp_path: Path):
    """A linked worktree belongs to the project of its main worktree."""
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))

    assert root_of(tmp_path / "linked") == str(repo)


def test_the_worktree_itself_is_known(tmp_path: Path):
    """Documents stay in each."""
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))

    project = project_from_directory(str(tmp_path / "linked"), HOME)

    assert project == Project(str(repo), "repo", str(tmp_path / "linked"))


def test_a_worktree_of_a_bare_repository_belongs_to_it(tmp_path: Path):
    """Without a main worktree the bare repository itself is the project."""
    repo = repository(tmp_path / "repo")
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(tmp_path / "bare.git"))
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "linked"))

    assert root_of(tmp_path / "linked") == str(tmp_path / "bare.git")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path):
    """The innermost root wins, and the submodule's own worktrees share it."""
    inner, outer = repository(tmp_path / "inner"), repository(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(inner), "lib")
    git(outer / "lib", "worktree", "add", "-q", str(tmp_path / "lib-linked"))

    assert root_of(outer / "lib") == str(outer / "lib")
    assert root_of(tmp_path / "lib-linked") == str(outer / "lib")
    assert root_of(outer) == str(outer)


def test_a_nested_repository_is_a_project_of_its_own(tmp_path: Path):
    """The innermost root wins."""
    outer = repository(tmp_path / "outer")
    inner = repository(outer / "vendor" / "inner")

    assert root_of(inner / ".") == str(inner)


def test_without_a_repository_the_folder_itself_is_the_project(tmp_path: Path):
    """Also when something called .git lies there that is none."""
    (tmp_path / ".git").mkdir()

    assert root_of(tmp_path) == str(tmp_path)


def test_home_and_the_root_folder_are_the_global_scope(tmp_path: Path):
    """Neither is a project, even when the home folder is a repository."""
    home = repository(tmp_path / "home")

    assert root_of(home, str(home)) is None
    assert root_of(Path("/"), str(home)) is None
    assert root_of(home / ".." / "home", str(home)) is None


def test_a_repository_in_the_home_folder_claims_nothing_below_it(tmp_path: Path):
    """Dotfiles kept in git do not swallow every folder below the home folder."""
    home = repository(tmp_path / "home")
    notes = home / "notes"
    notes.mkdir()

    assert root_of(notes, str(home)) == str(notes)


def test_a_symbolic_link_leads_to_the_same_project(tmp_path: Path):
    """Two ways to one folder are one project."""
    repo = repository(tmp_path / "repo")
    (tmp_path / "link").symlink_to(repo)

    assert root_of(tmp_path / "link") == str(repo)


@pytest.mark.parametrize("content", ["", "gitdir:", "nonsense", "gitdir: /does/not/exist", "\0\xff" * 100])
def test_a_broken_git_file_breaks_nothing(tmp_path: Path, content: str):
    """A .git file that leads nowhere leaves the folder a project of its own."""
    (tmp_path / ".git").write_text(content)

    assert root_of(tmp_path) == str(tmp_path)


def test_a_fifo_called_git_is_not_waited_for(tmp_path: Path):
    """Opening it would hang."""
    os.mkfifo(tmp_path / ".git")

    assert root_of(tmp_path) == str(tmp_path)


def test_a_path_that_is_no_text_is_written_out(tmp_path: Path):
    """So that it can be sent; the same folder is always the same project."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/d\xff")
    Path(folder).mkdir()

    assert project_from_directory(folder, HOME) == Project(f"{tmp_path}/d\\xff", "d\\xff", f"{tmp_path}/d\\xff")


def test_of_a_folder_that_is_gone_the_shell_still_knows_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where it does not, nobody guesses."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert working_directory({"PWD": "/elsewhere"}) == str(gone)
    gone.rmdir()

    assert working_directory({"PWD": str(gone)}) == str(gone)
    for env in ({}, {"PWD": "relative"}):
        with pytest.raises(OSError, match="No such file"):
            working_directory(env)
