"""The version of Claude Code, told from where it stands; the oldest counts, and one that is not told counts as none."""

from pathlib import Path

import pytest
from fake_claude import npm_package

from palimp_clients.claude_code.claude_version import oldest, version_of
from palimp_clients.install.npm_package import Version, parse_version


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def environment(home: Path, *folders: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": ":".join(str(folder) for folder in (*folders, "/bin", "/usr/bin"))}


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.1.332", (2, 1, 332)),
        ("2.1.332 (Claude Code)", (2, 1, 332)),
        ("v2.1.0-beta.1", (2, 1, 0)),
        ("2.1", None),
        ("", None),
        ("٢.١.٣", None),
        ("2.1.332x", None),
        ("9" * 5000 + ".1.1", None),
    ],
)
def test_versions_are_read(text: str, version: tuple[int, int, int] | None):
    assert parse_version(text) == version


def test_npm_s_package_is_not_run(tmp_path: Path):
    """The program of the fake would fail."""
    folder = npm_package(tmp_path, "2.1.118")
    assert oldest(environment(tmp_path, folder)) == Version(2, 1, 118)


def test_the_native_installer_s_file_is_named_after_its_version(tmp_path: Path):
    program = script(tmp_path / ".local/share/claude/versions/2.1.332", "exit 9")
    (tmp_path / ".local/bin").mkdir()
    (tmp_path / ".local/bin/claude").symlink_to(program)
    assert oldest(environment(tmp_path)) == Version(2, 1, 332)


def test_the_oldest_counts_and_of_an_editor_s_extensions_the_newest(tmp_path: Path):
    """They all read the same settings."""
    folder = npm_package(tmp_path / "npm", "2.1.332")
    extensions = tmp_path / ".vscode" / "extensions"
    for name in ("2.0.9-linux-x64", "2.1.100-linux-x64", "oddly"):
        (extensions / f"anthropic.claude-code-{name}").mkdir(parents=True)
    assert oldest(environment(tmp_path, folder)) == Version(2, 1, 100)


def test_a_program_that_says_nothing_where_it_stands_is_asked(tmp_path: Path):
    assert version_of(script(tmp_path / "a", "echo '2.1.7 (Claude Code)'"), environment(tmp_path)) == (2, 1, 7)


@pytest.mark.parametrize(
    "text", ["exit 1", "echo 2.1.332; exit 3", "echo '日本語 2.1.332'", "printf '\\377'", "exec 1>&-"]
)
def test_one_that_does_not_tell_it_is_unknown(tmp_path: Path, text: str):
    assert version_of(script(tmp_path / "a", text), environment(tmp_path)) is None


def test_one_unknown_makes_all_unknown(tmp_path: Path):
    """It may be the oldest."""
    folder = npm_package(tmp_path / "npm", "2.1.332")
    script(tmp_path / ".local/bin/claude", "exit 1")
    assert oldest(environment(tmp_path, folder)) is None


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b"\xff", b'{"name": "@anthropic-ai/claude-code", "version": 5}', b"[" * 100_000]
)
def test_a_broken_package_is_asked_instead(tmp_path: Path, data: bytes):
    folder = npm_package(tmp_path, "2.1.332")
    (tmp_path / "node_modules/@anthropic-ai/claude-code/package.json").write_bytes(data)
    assert oldest(environment(tmp_path, folder)) is None


def test_without_any_there_is_none(tmp_path: Path):
    assert oldest({"HOME": str(tmp_path), "PATH": str(tmp_path)}) is None
