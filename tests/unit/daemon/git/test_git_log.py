"""Reading a real repository's history."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repositories import Repository

from palimp_daemon.codediff.diff import takes_out, without_moves
from palimp_daemon.git.git_log import MESSAGE_CHARACTERS_MAX, Commit, History, plain_message, reason_of
from palimp_daemon.git.git_repository import count_commits
from palimp_daemon.text.redact import Redactor

REDACT = Redactor()
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEEP = "def keep_it(value):\n    return value + 1\n\n\n\n\n\n"
DROP = "def drop_it(value):\n    return compute_drop(value)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def history(repository: Repository, *revisions: str, limit: int = 100, oldest_first: bool = False) -> list[Commit]:
    with History(repository.path, list(revisions) or ["HEAD"], limit, oldest_first=oldest_first) as commits:
        return list(commits)


def gone(commit: Commit) -> dict[str, list[str]]:
    """What a commit took out, by file."""
    return {hunk.path: hunk.gone for hunk in without_moves(commit.hunks) if takes_out(hunk)}


def test_a_commit_says_what_it_removed_when_and_why(repository):
    repository.commit("first", a_py=KEEP + DROP)
    sha = repository.commit("Drop drop_it\n\nNobody called it.\n\nSigned-off-by: a <a@example.com>", a_py=KEEP)
    newest = history(repository)[0]
    assert (newest.sha, reason_of(newest.message)) == (sha, "Drop drop_it. Nobody called it.")
    assert gone(newest) == {"a.py": ["def drop_it(value):", "    return compute_drop(value)"]}
    assert newest.hunks[0].line == 8
    assert newest.at > 1_600_000_000_000


def test_the_order_and_the_bound_are_those_asked_for(repository):
    names = [repository.commit(f"commit {n}", a_py=f"call({n})\n") for n in range(5)]
    assert [commit.sha for commit in history(repository, limit=2)] == names[:-3:-1]
    assert [commit.sha for commit in history(repository, oldest_first=True)] == names
    assert [commit.sha for commit in history(repository, f"{names[2]}..{names[4]}")] == [names[4], names[3]]
    assert count_commits(repository.path, ["HEAD"], 100) == 5


def test_a_renamed_file_is_no_removal(repository):
    repository.commit("first", a_py=KEEP + DROP)
    repository.git("mv", "a.py", "b.py")
    repository.commit("rename")
    assert gone(history(repository)[0]) == {}


def test_code_that_moved_to_another_file_is_no_removal(repository):
    repository.commit("first", a_py=KEEP + DROP)
    repository.commit("move", a_py=KEEP, b_py="import a\n\n" + DROP)
    assert gone(history(repository)[0]) == {}


def test_reformatting_is_no_removal(repository):
    repository.commit("first", a_py="result = call_it(first, second, 'x')\n" + KEEP)
    repository.commit("format", a_py='result = call_it(\n    first,\n    second,\n    "x",\n)\n' + KEEP)
    assert gone(history(repository)[0]) == {}


def test_a_merge_stands_for_its_branch(repository):
    repository.commit("first", a_py=KEEP + DROP, b_py="start()\n")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit("on the branch", a_py=KEEP)
    repository.git("checkout", "--quiet", "main")
    repository.commit("meanwhile", b_py="start()\nother()\n")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge: nobody called it", "topic")
    commits = history(repository)
    assert [reason_of(commit.message) for commit in commits] == ["Merge: nobody called it", "meanwhile", "first"]
    assert list(gone(commits[0])) == ["a.py"]


def test_a_revert_and_its_revert_are_removal_and_return(repository):
    repository.commit("first", a_py=KEEP)
    repository.commit("add", a_py=KEEP + DROP)
    repository.git("revert", "--no-edit", "HEAD")
    repository.git("revert", "--no-edit", "HEAD")
    again, reverted, *_ = history(repository)
    assert (gone(again), list(gone(reverted))) == ({}, ["a.py"])


def test_generated_vendored_locked_and_binary_files_are_left_out(repository):
    files = {
        "package-lock.json": '{"a": "some_value(1)"}\n',
        "vendor/lib.py": DROP,
        "dist/app.js": DROP,
        "logo.png": b"\x89PNG\0\n",
        "data.bin": b"\0\1\2" * 50,
        "min.js": "call_it(1);" * 200 + "\n",
        "real.py": DROP,
    }
    for name, text in files.items():
        repository.write(name, text)
    repository.commit("first")
    for name in files:
        (repository.path / name).unlink()
    repository.commit("remove all")
    assert list(gone(history(repository)[0])) == ["real.py"]


def test_a_submodule_is_left_out(repository, tmp_path):
    other = Repository(tmp_path / "other")
    other.commit("first", a_py=DROP)
    repository.commit("first", a_py=KEEP)
    repository.git("submodule", "--quiet", "add", str(other.path), "sub")
    repository.commit("submodule")
    repository.git("rm", "--quiet", "-f", "sub")
    repository.commit("no submodule")
    assert all(not gone(commit) or list(gone(commit)) == [".gitmodules"] for commit in history(repository))


def test_a_shallow_clone_ends_where_it_ends(repository, tmp_path):
    repository.commit("first", a_py=KEEP + DROP)
    repository.commit("second", a_py=KEEP)
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{repository.path}", tmp_path / "shallow"], check=True
    )
    with History(tmp_path / "shallow", ["HEAD"], 10) as commits:
        [only] = list(commits)
    assert (only.message.strip(), gone(only)) == ("second", {})


def test_the_users_own_git_configuration_changes_nothing(repository):
    repository.commit("first", a_py=KEEP + DROP)
    repository.commit("drop", a_py=KEEP)
    for key, value in (("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("color.ui", "always")):
        repository.git("config", key, value)
    repository.git("config", "diff.external", "/bin/false")
    assert list(gone(history(repository)[0])) == ["a.py"]


def test_names_that_are_not_plain_are_read_or_left_out(repository):
    repository.write("ünï cøde.py", DROP)
    repository.write('tab\tand"quote.py', DROP)
    repository.commit("first")
    repository.git("rm", "--quiet", "*.py")
    repository.commit("gone")
    assert list(gone(history(repository)[0])) == ["ünï cøde.py"]


def test_a_patch_that_looks_like_a_header_is_text(repository):
    odd = "-- a/other.py\n++ b/other.py\n@@ -1 +1 @@\ndiff --git a/x b/x\ncall_something(odd)\n"
    repository.commit("first", a_sql=odd, b_py=KEEP)
    repository.commit("drop", a_sql=None)
    assert "call_something(odd)" in gone(history(repository)[0])["a.sql"]


def test_a_long_message_is_cut_and_an_empty_one_says_nothing():
    assert len(reason_of("x" * 900)) == 400
    assert reason_of("") == ""
    assert reason_of("Done!\n\nMore") == "Done! More"


@given(st.integers(0, len(TOKEN) + 8), st.sampled_from(["\n", " " * (MESSAGE_CHARACTERS_MAX // 2) + "\n"]))
def test_of_a_message_that_is_cut_no_line_is_kept_in_part(shift, line):
    lines = line * ((MESSAGE_CHARACTERS_MAX - shift) // len(line))
    message = f"{lines}use {TOKEN} here\nmore" + "\nmore" * 99
    assert TOKEN[:4] not in REDACT(plain_message(message))


def test_a_token_that_hidden_characters_cut_is_redacted_in_a_message(repository):
    sha = repository.commit(f"Use {TOKEN[:9]}\u200b{TOKEN[9:]}\n\n\u202e\x1b[31mred", a_py=KEEP)
    (commit,) = history(repository)
    assert (commit.sha, REDACT(commit.message).strip()) == (sha, "Use <redacted:github-token>\n\nred")


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Drop it\n\nIt hid outages.\n\nReported-by: B <b@x.org>\nCC: C\n <c@x.org>", "Drop it. It hid outages."),
        ("Drop it\n\nKept.\n\n🤖 Generated with [Claude Code](https://x.org)\n\nX-Id: 1\n", "Drop it. Kept."),
        ("Drop it\n\nSigned-off-by: is wanted now.\n\nSee it.", "Drop it. Signed-off-by: is wanted now. See it."),
        ("Signed-off-by: all there is", "Signed-off-by: all there is"),
    ],
)  # fmt: skip
def test_trailers_are_what_ends_a_message_and_no_reason(message, reason):
    assert reason_of(message) == reason


def test_a_history_that_git_cannot_read_to_its_end_says_so(repository):
    """What is above the lost object is read all the same."""
    repository.commit("first", a_py=KEEP + DROP)
    lost = repository.git("rev-parse", "HEAD:a.py")
    repository.commit("second", a_py=KEEP)
    newest = repository.commit("third", b_py=KEEP)
    (repository.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with History(repository.path, ["HEAD"], 100) as commits:
        assert [commit.sha for commit in commits] == [newest]
        assert "ended early" in commits.problem


def test_a_history_that_is_read_to_its_end_has_no_problem(repository):
    repository.commit("first", a_py=KEEP)
    with History(repository.path, ["HEAD"], 100) as commits:
        assert len(list(commits)) == 1
        assert commits.problem == ""
