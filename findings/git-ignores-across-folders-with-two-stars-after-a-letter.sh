#!/usr/bin/env bash
# 30 November 2026, git 2.x of the machine, pathspec 1.1.1 (from PyPI), Python 3.11.
#
# One would guess, from gitignore(5): two stars that are not alone between slashes are one star, so "log**/out" is
# "log*/out": it ignores "logs/out", and neither "logout" nor "logs/old/out".
# Seen: git ignores all three. Written as "[l]og**/out", which says the same, the pattern ignores "logs/out" alone; so
# does pathspec with either. git compares the letters before the first star by themselves, takes them away, and what is
# left, "**/out", then begins with two stars.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pathspec==1.1.1"
git --version
git init --quiet "$folder/repo"
mkdir -p "$folder/repo/logs/old"
touch "$folder/repo/logout" "$folder/repo/logs/out" "$folder/repo/logs/old/out"
"$folder/venv/bin/python" - "$folder/repo" <<'PYTHON'
import subprocess
import sys
from pathlib import Path

from pathspec import GitIgnoreSpec

repo = Path(sys.argv[1])
NAMES = ["logout", "logs/old/out", "logs/out"]


def by_git(pattern):
    (repo / ".gitignore").write_text(pattern + "\n")
    command = ["git", "-C", str(repo), "ls-files", "--others", "--ignored", "--exclude-standard"]
    return sorted(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def by_pathspec(pattern):
    return sorted(GitIgnoreSpec.from_lines([pattern]).match_files(NAMES))


for pattern in ("log**/out", "[l]og**/out", "log*/out"):
    print(f"{pattern}: git {by_git(pattern)}, pathspec {by_pathspec(pattern)}")
assert by_git("log*/out") == by_git("[l]og**/out") == by_pathspec("log**/out") == ["logs/out"]
assert by_git("log**/out") == NAMES, "this has changed"
PYTHON
