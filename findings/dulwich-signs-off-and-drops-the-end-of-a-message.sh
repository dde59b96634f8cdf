#!/usr/bin/env bash
# 30 November 2026, dulwich 1.2.21 (from PyPI), git 2.x of the machine, Python 3.11.
#
# One would guess: porcelain.commit(message=..., signoff=True) commits the message with one more line, as `git commit -s`
# does, and so does porcelain.interpret_trailers, which is to do what the command of git does.
# Seen: where a line such as "Usage:" stands alone, and all after it is indented or empty, the line counts as a trailer
# without a value and what is below it as nothing: the commit holds "Usage: " and the sign-off, and the indented lines are
# lost without a word. So are all lines from one on that begins with "---", where the paragraph before it looks like
# trailers. Without signoff the message is kept; a word before the colon more, or a full stop after it, and it is, too.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "dulwich==1.2.21"
git --version
export HOME="$folder" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
git init --quiet "$folder/repo"
"$folder/venv/bin/python" - "$folder/repo" <<'PYTHON'
import subprocess
import sys

from dulwich import porcelain
from dulwich.repo import Repo

folder = sys.argv[1]
SIGNED = "Signed-off-by: Ada <ada@example.org>\n"


def by_git(message):
    command = ["git", "-C", folder, "commit", "--quiet", "--allow-empty", "--signoff", "--file=-"]
    subprocess.run(command, input=message, text=True, check=True)
    return Repo(folder)[b"HEAD"].message.decode()


def by_dulwich(message, signoff=True):
    made = porcelain.commit(folder, message=message, signoff=signoff)
    return Repo(folder)[made].message.decode()


def shown(message):
    answers = by_git(message), by_dulwich(message)
    print(f"{message!r}:\n  git     {answers[0]!r}\n  dulwich {answers[1]!r}")
    assert answers[0] == message + "\n" + SIGNED, "git has changed"
    return answers[1]


usage = "Add a rule\n\nUsage:\n\n    make rule\n"
ruled = "Add a rule\n\nNote: once a year.\n\n---\n\nThe old rule had none.\n"
for kept in (usage.replace("Usage:", "Its usage:"), usage.replace("Usage:", "Usage."), usage + "\nThat is all.\n"):
    assert shown(kept) == kept + "\n" + SIGNED, "other messages have changed"
assert by_dulwich(usage, signoff=False) == usage, "messages without a sign-off have changed"
assert shown(usage) == "Add a rule\n\nUsage: \n" + SIGNED, "this has changed"
assert shown(ruled) == "Add a rule\n\nNote: once a year.\n" + SIGNED, "this has changed"
reviewed = porcelain.interpret_trailers(usage, trailers=[("Reviewed-by", "Ada")])
assert reviewed == b"Add a rule\n\nUsage: \nReviewed-by: Ada\n", "this has changed"
PYTHON
