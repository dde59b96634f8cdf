"""Which project a folder belongs to, with repositories that git itself made."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lanes import examples, steps
from repositories import run_git

from palimp_protocol.env.project import Project, project_from_directory, working_directory

HOME = "/nonexistent-home"


def git(folder: Path, *arguments: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run_git(folder, *arguments)


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


# --- what a .git file says must be confirmed by the repository -------------------------------------


def forge(folder: Path, git_folder: str, **files: str) -> Path:
    """Make *folder* one whose `.git` names *git_folder*, with *files* beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".git").write_text(f"gitdir: {git_folder}\n")
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_git_file_alone_makes_no_worktree_of_another_repository(tmp_path: Path):
    """An archive can carry it, with a `commondir` that names any repository."""
    victim = repository(tmp_path / "victim")
    git(victim, "worktree", "add", "-q", str(tmp_path / "linked"))
    common = victim / ".git"
    own = {"g__commondir": f"{common}\n", "g__HEAD": "ref: refs/heads/main\n"}
    for name, folder in {
        "commondir": forge(tmp_path / "a", "g", **own),
        "back pointer": forge(tmp_path / "b", "g", **own, g__gitdir=f"{tmp_path}/b/.git\n"),
        "in a folder called worktrees": forge(
            tmp_path / "c",
            "worktrees/g",
            worktrees__g__commondir=f"{common}\n",
            worktrees__g__gitdir=f"{tmp_path}/c/.git",
        ),
        "the git folder of another worktree": forge(tmp_path / "d", f"{common}/worktrees/linked"),
        "the repository itself": forge(tmp_path / "e", str(common)),
        "a path with dots": forge(tmp_path / "f", "g/../../victim/.git/worktrees/linked"),
    }.items():
        assert root_of(folder) == str(folder), name
    assert root_of(tmp_path / "linked") == str(victim)


def test_a_link_in_place_of_the_repository_makes_no_worktree_either(tmp_path: Path):
    """Paths are compared without links."""
    victim = repository(tmp_path / "victim")
    git(victim, "worktree", "add", "-q", str(tmp_path / "linked"))
    evil = forge(tmp_path / "evil", "fake/worktrees/linked")
    (evil / "fake").symlink_to(victim / ".git")

    assert root_of(evil) == str(evil)


def test_the_worktree_that_a_configuration_names_must_lead_back(tmp_path: Path):
    """`core.worktree` can name any folder."""
    victim = repository(tmp_path / "victim")
    common = tmp_path / "evil.git"
    git(tmp_path, "init", "-q", "--bare", str(common))
    git(repository(tmp_path / "seed"), "push", "-q", str(common), "HEAD:refs/heads/main")
    git(common, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
    with (common / "config").open("a") as config:
        config.write(f"[core]\n\tworktree = {victim}\n")

    assert root_of(tmp_path / "linked") == str(common)


def test_repositories_whose_git_folder_lies_elsewhere_are_projects_of_their_own(tmp_path: Path):
    """Also when another folder names the same git folder."""
    git(tmp_path / "one", "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere.git"))
    git(tmp_path / "one", "commit", "-q", "--allow-empty", "-m", "first")
    two = forge(tmp_path / "two", str(tmp_path / "elsewhere.git"))

    assert root_of(tmp_path / "one") == str(tmp_path / "one")
    assert root_of(two) == str(two)


def test_a_worktree_that_git_moved_or_repaired_is_known(tmp_path: Path):
    """Git writes both ends; one that was moved behind its back is confirmed again by `git worktree repair`."""
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    git(repo, "worktree", "move", str(tmp_path / "linked"), str(tmp_path / "moved"))
    assert root_of(tmp_path / "moved") == str(repo)

    (tmp_path / "moved").rename(tmp_path / "renamed")
    git(repo, "worktree", "repair", str(tmp_path / "renamed"))
    assert root_of(tmp_path / "renamed") == str(repo)


def test_relative_paths_between_a_worktree_and_its_repository_are_followed(tmp_path: Path):
    """Git 2.48 writes them with `worktree.useRelativePaths`."""
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked/.git").write_text("gitdir: ../repo/.git/worktrees/linked\n")
    (repo / ".git/worktrees/linked/gitdir").write_text("../../../../linked/.git\n")

    assert root_of(tmp_path / "linked") == str(repo)


def test_a_submodule_in_a_folder_with_special_characters_keeps_its_worktrees(tmp_path: Path):
    """Git quotes them in the configuration."""
    inner, outer = repository(tmp_path / "inner"), repository(tmp_path / "outer")
    for name in ("li b", "li;b", "li#b", 'li"b', "li\\b", "lib é"):
        git(outer, "submodule", "add", "-q", str(inner), name)
        git(outer / name, "worktree", "add", "-q", "--detach", str(tmp_path / f"linked {name}"))

        assert root_of(outer / name) == str(outer / name)
        assert root_of(tmp_path / f"linked {name}") == str(outer / name)


@pytest.mark.parametrize("name", [".git", ".git/HEAD", "g/commondir", "c/worktrees/g/gitdir"])
def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path, name: str):
    """Opening a named pipe would hang, wherever it stands."""
    if not name.startswith(".git"):
        (tmp_path / ".git").write_text(f"gitdir: {Path(name).parent}\n")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("gitdir"):
        (path.parent / "commondir").write_text("../..\n")
        (tmp_path / "c/HEAD").write_text("ref: refs/heads/main\n")
    os.mkfifo(path)

    assert root_of(tmp_path) == str(tmp_path)


@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=300))
def test_whatever_stands_in_the_files_a_folder_is_its_own_project(
    tmp_path_factory: pytest.TempPathFactory, marker: bytes, common: bytes, back: bytes
):
    """Bytes of any kind, behind the words that git expects or without them."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "g").mkdir()
    for prefix in (b"", b"gitdir: ", b"gitdir: g\n", b"gitdir: g"):
        (folder / ".git").write_bytes(prefix + marker)
        (folder / "g/commondir").write_bytes(common)
        (folder / "g/gitdir").write_bytes(back)

        assert root_of(folder) == str(folder)


def test_a_git_file_that_is_endless_is_read_to_its_bound(tmp_path: Path):
    """A sparse file of a gigabyte takes no memory."""
    with (tmp_path / ".git").open("wb") as file:
        file.write(b"gitdir: ")
        file.truncate(1 << 30)

    assert root_of(tmp_path) == str(tmp_path)


class Folders(RuleBasedStateMachine):
    """Repositories, worktrees, submodules and forgeries made by git itself, in any order, and what each must be."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(os.path.realpath(tempfile.mkdtemp(prefix="palimp-")))
        self.expected: dict[Path, Path] = {}
        self.mains: list[Path] = []
        self.linked: list[tuple[Path, Path]] = []
        self.number = 0

    def _new(self) -> Path:
        self.number += 1
        return self.top / f"n{self.number}"

    @initialize()
    def begin(self) -> None:
        self.plain()

    @rule()
    def plain(self) -> None:
        folder = repository(self._new())
        self.expected[folder] = folder
        self.mains.append(folder)

    @rule()
    def separate(self) -> None:
        folder = self._new()
        git(folder, "init", "-q", "--separate-git-dir", f"{folder}.git")
        git(folder, "commit", "-q", "--allow-empty", "-m", "first")
        self.expected[folder] = folder

    @rule(data=st.data())
    def add_worktree(self, data: st.DataObject) -> None:
        main, folder = data.draw(st.sampled_from(self.mains)), self._new()
        git(main, "worktree", "add", "-q", "--detach", str(folder))
        self.linked.append((main, folder))
        self.expected[folder] = main

    @precondition(lambda self: self.linked)
    @rule(data=st.data())
    def move_worktree(self, data: st.DataObject) -> None:
        main, old = self.linked.pop(data.draw(st.integers(0, len(self.linked) - 1)))
        folder = self._new()
        git(main, "worktree", "move", str(old), str(folder))
        del self.expected[old]
        self.linked.append((main, folder))
        self.expected[folder] = main

    @rule(data=st.data())
    def add_submodule(self, data: st.DataObject) -> None:
        inner, outer = data.draw(st.sampled_from(self.mains)), data.draw(st.sampled_from(self.mains))
        if inner != outer:
            self.number += 1
            git(outer, "submodule", "add", "-q", str(inner), f"lib{self.number}")
            self.expected[outer / f"lib{self.number}"] = outer / f"lib{self.number}"
            self.mains.append(outer / f"lib{self.number}")

    @rule(data=st.data(), how=st.sampled_from(["copy", "commondir", "git folder"]))
    def forge(self, data: st.DataObject, how: str) -> None:
        """Copy the `.git` of a known folder, or name its repository."""
        source, folder = data.draw(st.sampled_from(sorted(self.expected))), self._new()
        main = self.expected[source]
        repo = main / ".git" if (main / ".git").is_dir() else main
        if how == "commondir":
            forge(folder, "g", g__commondir=str(repo), g__gitdir=f"{folder}/.git", g__HEAD="ref: refs/heads/main")
        elif (
            how == "copy" and (source / ".git").is_file() and not (source / ".git").read_text().startswith("gitdir: ..")
        ):
            folder.mkdir()
            (folder / ".git").write_text((source / ".git").read_text())
        else:
            forge(folder, str(repo))
        self.expected[folder] = folder

    @invariant()
    def each_is_what_its_repository_says(self) -> None:
        for folder, root in self.expected.items():
            assert root_of(folder) == str(root), folder

    def teardown(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)


TestFolders = Folders.TestCase
TestFolders.settings = settings(max_examples=examples(12), stateful_step_count=steps(8), deadline=None)


@pytest.mark.parametrize("name", [".bare", "repo.git", "日本 git"])
def test_the_folder_around_a_bare_repository_shares_its_worktrees_project(tmp_path: Path, name: str):
    """Its `.git` names the repository that lies in it."""
    source, around = repository(tmp_path / "source"), tmp_path / "around"
    around.mkdir()
    git(source, "clone", "-q", "--bare", str(source), str(around / name))
    (around / ".git").write_text(f"gitdir: ./{name}\n")
    git(around, "worktree", "add", "-q", str(around / "feature"))
    assert root_of(around) == root_of(around / "feature") == str(around / name)
    (around / "notes").mkdir()
    assert root_of(around / "notes") == str(around / name)
