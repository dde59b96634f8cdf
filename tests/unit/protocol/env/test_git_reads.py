"""What would hold git up in a repository is seen before git is started, whatever names it and wherever it lies."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from git_traps import configure
from hypothesis import given
from hypothesis import strategies as st
from repositories import ENVIRONMENT, Repository

from palimp_protocol.env.git_command import GitError, run_git
from palimp_protocol.env.git_reads import LIST_BYTES_MAX, SETTINGS_BYTES_MAX, obstacle, settings_in

ASKED = (
    ("diff-files", "--name-only", "--no-ext-diff", "--"),
    ("diff-index", "--cached", "--patch", "--no-ext-diff", "--no-textconv", "HEAD", "--"),
    ("blame", "--porcelain", "HEAD", "--", "a.py"),
    ("ls-files", "--others", "--exclude-standard"),
    ("log", "--patch", "--no-ext-diff", "--no-textconv", "--"),
    ("rev-list", "--max-parents=0", "--all", "--"),
    ("config", "--get-regexp", "^filter"),
)
"""What palimp asks of git, in short."""

WITHIN_S = 20
"""A git that waits is ended sooner."""

NAMES_A_FILE = re.compile(r"(?i)(file|path|list|template|cert|cainfo|key|dir|worktree)$")
"""By which keys of git's configuration are found that may name a file; `skipList`, `sslCert`, `signingKey`."""


@pytest.fixture
def repository(project: Path) -> Repository:
    repository = Repository(project)
    repository.commit("first", a_py="one()\n")
    (project / "a.py").write_text("two()\n")
    return repository


@pytest.fixture
def pipe(home: Path) -> Path:
    os.mkfifo(home / "pipe")
    return home / "pipe"


def keys_of_files() -> list[str]:
    """Return the keys of this git's own list whose value may name a file, with names where it has a place for one."""
    listed = subprocess.run(["git", "help", "--config-for-completion"], capture_output=True, text=True, check=True)
    full = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True)
    keys = {line.strip() for line in (listed.stdout + full.stdout).splitlines() if "." in line and " " not in line}
    conditions = {"<condition>": "gitdir:/", "*": "trap"}
    named = {re.sub(r"<\w+>|\*", lambda match: conditions.get(match[0], "trap"), key) for key in keys}
    return sorted(key for key in named if NAMES_A_FILE.search(key) and not key.endswith("."))


def asked_in(tree: Path) -> list[str]:
    """Ask git what palimp asks in *tree*; return what was said where it refused."""
    said: list[str] = []
    for question in ASKED:
        try:
            run_git(str(tree), question, os.environ, within_s=WITHIN_S)
        except GitError as error:
            said.append(str(error))
    return said


def test_every_key_of_this_git_that_may_name_a_file_is_seen_when_it_names_a_pipe(repository, pipe):
    """Also one that is not known here: the list is git's own."""
    keys = keys_of_files()
    assert {"core.attributesFile", "include.path", "includeIf.gitdir:/.path", "blame.ignoreRevsFile"} <= set(keys)
    settings = repository.path / ".git/config"
    before = settings.read_text()
    for key in keys:
        configure(settings, key, str(pipe))
        assert str(pipe) in obstacle(str(repository.path), os.environ), key
        said = asked_in(repository.path)
        assert len(said) == len(ASKED), key
        assert all("named pipe" in each for each in said), key
        settings.write_text(before)
    assert asked_in(repository.path) == []


def test_every_file_of_a_repository_may_be_a_pipe(repository, tmp_path):
    """Git answers, or is not asked, or is ended soon; its time is never up. Also in a linked worktree."""
    repository.git("pack-refs", "--all")
    repository.git("branch", "other")
    repository.git("gc", "--quiet")
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "--quiet", str(linked))
    git_folder = repository.path / ".git"
    looked_for = ("info/attributes", "info/grafts", "shallow", "config.worktree", "objects/info/alternates")
    files = sorted({*(path for path in git_folder.rglob("*") if path.is_file()), *map(git_folder.joinpath, looked_for)})
    files += [repository.path / name for name in (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")]
    assert len(files) > 25
    for path in files:
        aside = path.read_bytes() if path.exists() else None
        mode = path.stat().st_mode if path.exists() else 0
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)
        for tree in (repository.path, linked):
            said = asked_in(tree)
            assert not [each for each in said if "no answer within" in each], path
        path.unlink()
        if aside is not None:
            path.write_bytes(aside)
            path.chmod(mode)
    assert asked_in(repository.path) == []
    assert asked_in(linked) == []


@pytest.mark.parametrize("how", ["itself", "relative", "home", "included", "link", "alternate", "graph"])
def test_however_it_is_named(repository, pipe, home, how):
    """By a relative path, from the home folder, by a file that is included, by a link; in folders of objects."""
    settings = repository.path / ".git/config"
    if how == "alternate":
        (home / "objects/pack").mkdir(parents=True)
        os.mkfifo(home / "objects/pack/pack-1.idx")
        (repository.path / ".git/objects/info/alternates").write_text(f"# ours\n{home / 'objects'}\n")
    elif how == "graph":
        graphs = repository.path / ".git/objects/info/commit-graphs"
        graphs.mkdir(parents=True)
        os.mkfifo(graphs / "commit-graph-chain")
    elif how == "included":
        (home / "more").write_text(f"[core]\n\tattributesFile = {pipe}\n")
        configure(settings, "include.path", str(home / "more"))
    elif how == "link":
        (repository.path / ".git/info").mkdir(exist_ok=True)
        (repository.path / ".git/info/attributes").symlink_to(pipe)
    else:
        value = {"itself": str(pipe), "relative": os.path.relpath(pipe, settings.parent), "home": "~/pipe"}[how]
        configure(settings, "include.path", value)
    assert "named pipe" in obstacle(str(repository.path), {"HOME": str(home)})


def test_devices_and_what_is_too_large_are_seen(repository, home):
    """A file that takes no room on the disk may be as long as one likes."""
    settings = repository.path / ".git/config"
    for key, size in {"include.path": SETTINGS_BYTES_MAX, "core.attributesFile": LIST_BYTES_MAX}.items():
        with (home / "large").open("wb") as large:
            large.truncate(size + 1)
        configure(settings, key, str(home / "large"))
        assert "larger than" in obstacle(str(repository.path), {})
        os.truncate(home / "large", 0)
        assert obstacle(str(repository.path), {}) == ""
        configure(settings, key, "/dev/zero")
        assert "a device" in obstacle(str(repository.path), {})
        configure(settings, key, os.devnull)
        assert obstacle(str(repository.path), {}) == ""


def test_files_that_include_each_other_come_to_an_end(repository):
    configure(repository.path / ".git/config", "include.path", "config")
    assert obstacle(str(repository.path), {}) == ""


def test_a_healthy_repository_has_no_obstacle(repository, home, tmp_path):
    """With the socket of git's own file watcher, folders, programs and what is not there as values."""
    settings = repository.path / ".git/config"
    for key, value in {
        "core.hooksPath": os.devnull,
        "core.editor": "/bin/sh",
        "core.excludesFile": "/nowhere",
        "commit.template": str(tmp_path),
        "remote.origin.url": "git@example.org:x/y.git",
        "alias.x": '!echo "a # b" ; true',
        "user.name": "Zoë \t \\ Ünal",
    }.items():
        configure(settings, key, value)
    assert obstacle(str(repository.path), {"HOME": str(home)}) == ""
    assert obstacle(str(tmp_path), {}) == ""


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=20)


@given(
    entries=st.lists(
        st.tuples(st.sampled_from(["core.one", "include.path", 'trap.a b"c\\.key', "includeIf.x.path"]), TEXT),
        max_size=5,
    )
)
def test_settings_are_read_as_git_reads_them(tmp_path_factory, entries):
    """Quotes, comments, escapes and line breaks in values, as git itself writes them."""
    file = tmp_path_factory.mktemp("settings") / "config"
    file.touch()
    for key, value in entries:
        command = ["git", "config", "--file", str(file), "--add", key, value]
        subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT, cwd="/")
    listing = ["git", "config", "--file", str(file), "--no-includes", "--list", "--null"]
    told = subprocess.run(listing, check=True, capture_output=True, env=ENVIRONMENT, cwd="/").stdout.decode()
    theirs = [entry.split("\n", 1) for entry in told.split("\0") if entry]
    assert [value for _, value in settings_in(file.read_text())] == [value for _, value in theirs]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[core]\n\tone = /x/y # note\n", "/x/y"),
        ("[core] one = /x/y ; note", "/x/y"),
        ('[core]\none = "/x y"\\\n/z\n', "/x y/z"),
        ("[core]\r\none=/x\r\n", "/x"),
        ('# [core]\n; one = no\n[core "sub]\\"x"]\none = /x', "/x"),
        ("\ufeff[core]\none = /x", "/x"),
        ("[core.sub]\none = /x", "/x"),
        ("[core]\none", ""),
    ],
)
def test_settings_as_people_write_them(text: str, value: str):
    assert settings_in(text) == [("core.one", value)]


@given(st.text(st.sampled_from('[]="\\#;\n\t ab.é\0'), max_size=60))
def test_settings_that_are_none_are_passed_by(text: str):
    """However they are cut."""
    assert isinstance(settings_in(text), list)
