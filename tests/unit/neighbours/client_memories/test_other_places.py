"""The own memories of Codex, Qwen Code and Gemini CLI: whose they are, and found like Claude Code's."""

import hashlib
import json
from pathlib import Path

import pytest

from palimp_daemon.text.redact import Redactor
from palimp_neighbours.client_memories.daemon.note_files import read_notes
from palimp_neighbours.client_memories.daemon.other_places import other_places
from palimp_protocol.env.project_slugs import slugs_of
from palimp_protocol.messages.caller import ProjectRef


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = tmp_path / "src" / "shop"
    folder.mkdir(parents=True)
    return str(folder)


def write(path: Path, text: str = "A note.") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(tmp_path: Path, root: str, **env: str) -> dict[str, tuple[str, str]]:
    """Return {place below the home folder: (client, why it is not read)}."""
    places = other_places(ProjectRef(root, "shop"), {"HOME": str(tmp_path), **env})
    return {str(each.folder.relative_to(tmp_path)): (client, each.why) for each, client in places.items()}


def qwen_session(tmp_path: Path, root: str, cwd: str) -> Path:
    kept = tmp_path / ".qwen" / "projects" / next(iter(slugs_of(root)))
    write(kept / "chats" / "one.jsonl", json.dumps({"sessionId": "one", "cwd": cwd}) + "\n")
    return kept / "memory"


def test_without_any_there_is_none(tmp_path: Path, root: str):
    assert found(tmp_path, root) == {}


def test_of_codex_only_what_it_reads_everywhere_is_read(tmp_path: Path, root: str):
    write(tmp_path / ".codex" / "memories_v2" / "memory_summary.md", "v1\nPrefers small commits.")
    write(tmp_path / ".codex" / "memories_v2" / "rollout_summaries" / "other.md", "Of another project.")
    assert found(tmp_path, root) == {".codex/memories_v2/memory_summary.md": ("codex", "")}
    write(tmp_path / "elsewhere" / "memories" / "MEMORY.md")
    assert found(tmp_path, root, CODEX_HOME=str(tmp_path / "elsewhere")) == {
        "elsewhere/memories/MEMORY.md": ("codex", "")
    }


def test_gemini_says_itself_whose_a_folder_is(tmp_path: Path, root: str):
    kept = tmp_path / ".gemini"
    write(kept / "projects.json", json.dumps({"projects": {root: "shop", "/srv/other": "other"}}))
    for name in ("shop", "other", hashlib.sha256(root.encode()).hexdigest()):
        write(kept / "tmp" / name / "memory" / "MEMORY.md")
    assert sorted(found(tmp_path, root)) == sorted(
        f".gemini/tmp/{name}/memory/MEMORY.md" for name in ("shop", hashlib.sha256(root.encode()).hexdigest())
    )
    write(kept / "projects.json", json.dumps({"projects": {root: "../../.ssh"}}))
    assert len(found(tmp_path, root)) == 1


def test_qwen_codes_folder_of_a_project_counts_where_its_sessions_were(tmp_path: Path, root: str):
    memory = qwen_session(tmp_path, root, f"{root}/src")
    write(memory / "project" / "deploy.md")
    write(tmp_path / ".qwen" / "memories" / "user" / "style.md")
    assert {*found(tmp_path, root).values()} == {("qwen", "")}
    assert len(found(tmp_path, root)) == 2


@pytest.mark.parametrize("cwd", ["/srv/other", ""])
def test_one_that_may_be_another_projects_is_not_read(tmp_path: Path, root: str, cwd: str):
    write(qwen_session(tmp_path, root, cwd) / "MEMORY.md")
    [(client, why)] = found(tmp_path, root).values()
    assert client == "qwen"
    assert why


def test_links_are_not_followed(tmp_path: Path, root: str):
    write(tmp_path / "secret.md")
    (tmp_path / ".codex" / "memories").mkdir(parents=True)
    (tmp_path / ".codex" / "memories" / "MEMORY.md").symlink_to(tmp_path / "secret.md")
    [(_, why)] = found(tmp_path, root).values()
    assert "link" in why


def test_a_file_is_read_like_a_folder_of_notes(tmp_path: Path):
    note = write(tmp_path / "MEMORY.md", "Prefers small commits.")
    assert [each.content for each in read_notes([note], {}, Redactor()).notes.values()] == ["Prefers small commits."]
