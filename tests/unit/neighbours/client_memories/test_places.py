"""Which folder of Claude Code's is a project's, and whether what is there may be another's."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from claude_notes import ClaudeHome
from hypothesis import given
from hypothesis import strategies as st
from repositories import ENVIRONMENT

from palimp_neighbours.client_memories.daemon import places
from palimp_neighbours.client_memories.daemon.places import (
    LINK,
    UNSEEN,
    Seen,
    memory_places,
    owner_of,
)
from palimp_protocol.env.project_slugs import slug_of, slugs_of
from palimp_protocol.messages.caller import ProjectRef

NOT_YET = Seen()


def place_of(claude: ClaudeHome, root: Path, seen: Seen = NOT_YET, **env: str) -> tuple[list[tuple[str, str]], Seen]:
    project = ProjectRef(str(root), root.name, str(root))
    found, seen = memory_places(project, {"HOME": str(claude.home), **env}, seen)
    return [(str(each.folder), each.why) for each in found], seen


@given(st.lists(st.text(st.characters(blacklist_characters="/\0"), min_size=1, max_size=8), min_size=1, max_size=6))
def test_the_owner_of_a_slug_is_found_from_below(parts: list[str]):
    root = "/" + "/".join(parts)
    for below in ("", "/a", "/a/b c"):
        assert slug_of(owner_of(root + below, slug_of(root))) in slugs_of(root)


def test_no_owner_is_found_elsewhere():
    assert owner_of("/home/ann/shop-old", "-home-ann-shop") == ""
    assert owner_of("", "-home") == ""
    assert owner_of("nowhere", "-home") == ""
    assert owner_of("/a" * 100_000, "-a" * 50) == ""


# --- whose it is ---------------------------------------------------------------------------------


def test_a_project_without_one_has_none_and_nothing_is_read(claude: ClaudeHome, root: Path, monkeypatch):
    monkeypatch.setattr(places, "working_folder_of", lambda _: pytest.fail("a transcript was read"))
    monkeypatch.setattr(places, "read_bounded", lambda *_: pytest.fail("the configuration was read"))
    assert place_of(claude, root) == ([], Seen())


def test_where_claude_code_was_in_the_project_its_memory_is_the_projects(claude: ClaudeHome, root: Path):
    folder = claude.memory(root)
    assert place_of(claude, root)[0] == [(str(folder), "")]


def test_a_session_in_a_subfolder_says_whose_it_is(claude: ClaudeHome):
    """Its transcript is in a folder of its own, and the memory in that of the repository."""
    root = claude.home / "shop"
    claude.was_in(root / "backend")
    folder = claude.memory(root)
    assert place_of(claude, root)[0] == [(str(folder), "")]


@pytest.mark.parametrize("other", ["my-shop", "my/shop", "my shop/backend"])
def test_a_memory_that_may_be_another_projects_is_not_read(claude: ClaudeHome, root: Path, other: str):
    """Both paths make one slug, so Claude Code mixes both projects' notes."""
    claude.memory(root)
    claude.was_in(claude.home / other, "s2")
    ((_, why),), _ = place_of(claude, root)
    assert "another project's" in why
    assert other.removesuffix("/backend") in why


def test_where_nobody_says_whose_it_is_it_is_not_read(claude: ClaudeHome):
    root = claude.home / "shop"
    folder = claude.memory(root)
    assert place_of(claude, root)[0] == [(str(folder), UNSEEN)]
    claude.was_in(claude.home / "shop-old")
    assert place_of(claude, root)[0] == [(str(folder), UNSEEN)]


def test_a_first_session_is_known_before_it_has_written_where_it_is(claude: ClaudeHome):
    """A connection of Claude Code's own says so; that another project has the same name counts all the same."""
    root = claude.home / "my.shop"
    folder = claude.memory(root)
    project, env = ProjectRef(str(root), root.name, str(root)), {"HOME": str(claude.home)}
    assert memory_places(project, env, NOT_YET, is_here=True)[0] == [(folder, "")]
    claude.was_in(claude.home / "my-shop")
    ((_, why),) = memory_places(project, env, NOT_YET, is_here=True)[0]
    assert "another project's" in why


def test_a_transcript_that_said_nothing_yet_is_read_again(claude: ClaudeHome):
    """The folder it is in does not change when it grows."""
    root = claude.home / "größe"
    folder = claude.memory(root)
    file = claude.was_in(root)
    whole = file.read_bytes()
    file.write_bytes(b"")
    places, seen = place_of(claude, root)
    assert places == [(str(folder), UNSEEN)]
    file.write_bytes(whole)
    assert place_of(claude, root, seen)[0] == [(str(folder), "")]


def test_claude_codes_configuration_says_whose_it_is_when_transcripts_are_gone(claude: ClaudeHome):
    """It deletes transcripts after a month, and keeps the memory."""
    root = claude.home / "shop"
    folder = claude.memory(root)
    config = claude.home / ".claude.json"
    config.write_text(json.dumps({"oauthAccount": {"a": 1}, "projects": {str(root): {"hasTrust": True}}}))
    assert place_of(claude, root)[0] == [(str(folder), "")]
    config.write_text(json.dumps({"projects": {str(root): {}, f"{claude.home}.shop": {}}}))
    ((_, why),), _ = place_of(claude, root)
    assert "another project's" in why


@pytest.mark.parametrize("text", [b"", b"[]", b'{"projects": []}', b'{"projects": {"\xff": 1}}', b"{" * 100_000, None])
def test_a_configuration_that_cannot_be_read_says_nothing(claude: ClaudeHome, text: bytes | None):
    root = claude.home / "shop"
    folder = claude.memory(root)
    config = claude.home / ".claude.json"
    if text is None:
        os.mkfifo(config)
    else:
        config.write_bytes(text)
    assert place_of(claude, root)[0] == [(str(folder), UNSEEN)]


@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b'{"cwd": 7}\n', b'{"cwd": ""}\n', b"[" * 10_000, b'"cwd"\n' * 99])
def test_a_transcript_that_says_nothing_is_passed_by(claude: ClaudeHome, root: Path, text: bytes):
    folder = claude.memory(root)
    (folder.parent / "odd.jsonl").write_bytes(text)
    os.mkfifo(folder.parent / "pipe.jsonl")
    (folder.parent / "folder.jsonl").mkdir()
    (folder.parent / "gone.jsonl").symlink_to("nowhere")
    assert place_of(claude, root)[0] == [(str(folder), "")]


def test_the_folder_that_claude_config_dir_names_is_looked_into(claude: ClaudeHome, root: Path):
    other = ClaudeHome(claude.home, claude.home / "elsewhere")
    other.was_in(root)
    claude.memory(root)
    folder = other.memory(root)
    assert place_of(claude, root, CLAUDE_CONFIG_DIR=str(other.config))[0] == [(str(folder), "")]


def test_a_memory_that_is_a_link_is_not_followed(claude: ClaudeHome, root: Path):
    """It may lead to the notes on another project."""
    (claude.home / "secret").mkdir()
    folder = claude.memory(root)
    folder.rmdir()
    folder.symlink_to(claude.home / "secret")
    assert place_of(claude, root)[0] == [(str(folder), LINK)]


# --- worktrees -----------------------------------------------------------------------------------


@pytest.fixture
def repository(root: Path):
    """Runs git in the project, which has one commit."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=root, env=ENVIRONMENT, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    return git


def test_the_memories_of_all_worktrees_are_the_projects(claude: ClaudeHome, root: Path, repository):
    tree = claude.home / "feature"
    repository("worktree", "add", "-q", str(tree))
    folders = [claude.memory(root), claude.memory(tree)]
    claude.was_in(tree)
    assert place_of(claude, root)[0] == [(str(folder), "") for folder in folders]


def test_a_session_in_a_worktree_says_whose_the_memory_of_the_main_one_is(claude: ClaudeHome, root: Path, repository):
    tree = claude.home / "feature"
    repository("worktree", "add", "-q", str(tree))
    (claude.projects(root) / "s1.jsonl").unlink()
    folder = claude.memory(root)
    assert place_of(claude, root)[0] == [(str(folder), UNSEEN)]
    claude.was_in(tree)
    assert place_of(claude, root)[0] == [(str(folder), "")]


def test_a_repository_that_names_a_strange_folder_does_not_see_its_notes(claude: ClaudeHome, root: Path, repository):
    """An archive may hold a `.git` that says so."""
    secret = claude.home / "secret"
    (secret / ".git").mkdir(parents=True)
    (secret / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    claude.was_in(secret)
    claude.memory(secret)
    named = root / ".git" / "worktrees" / "secret"
    named.mkdir(parents=True)
    (named / "gitdir").write_text(f"{secret}/.git\n")
    (named / "commondir").write_text("../..\n")
    assert place_of(claude, root)[0] == []


# --- again ---------------------------------------------------------------------------------------


def test_transcripts_are_read_once(claude: ClaudeHome, root: Path, monkeypatch: pytest.MonkeyPatch):
    claude.memory(root)
    _, seen = place_of(claude, root)
    read: list[str] = []
    monkeypatch.setattr(places, "working_folder_of", lambda path: read.append(path) or str(root))
    monkeypatch.setattr(places, "read_bounded", lambda path, _: read.append(path.name) or b"{}")
    again, seen = place_of(claude, root, seen)
    assert (len(again), read) == (1, [])
    new = claude.was_in(root, "s2")
    place_of(claude, root, seen)
    assert read == [str(new), ".claude.json"]
