"""What git's history took out is read once, whatever happens meanwhile: real git, real daemon."""

import json
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent, is_denied
from repositories import ENVIRONMENT, Repository, changes_command, imported
from retry_helper import KEEP, OTHER, RENAMED, RETRY
from running_daemon import wait_until


@pytest.fixture
def repository(project: Path) -> Repository:
    return Repository(project)


@pytest.fixture
def palimp(daemon, env, project: Path):
    """Runs `palimp changes` in the project."""
    return changes_command(env, project)


def test_history_is_read_once_and_then_only_what_is_new(repository, palimp):
    repository.commit("first", a_py=KEEP + RETRY + OTHER)
    repository.commit("second", a_py=KEEP + OTHER)
    imported(palimp)
    assert json.loads(palimp("import", "--json").stdout)["commits"] == 2
    repository.commit("third", a_py=KEEP)
    status = json.loads(palimp("import", "--json").stdout)
    assert (status["commits"], status["hunks"]) == (3, 2)


def test_a_long_line_that_stands_for_a_hunk_is_cut_and_says_so(repository, palimp):
    repository.commit("first", a_py=KEEP + f"answer({', '.join(f'argument_{number}' for number in range(20))})\n")
    repository.commit("second", a_py=KEEP)
    imported(palimp)
    (hunk,) = json.loads(palimp("log", "--json").stdout)["hunks"]
    assert hunk["first"].startswith("answer(argument_0, argument_1,")
    assert hunk["first"].endswith("argument_8,…")


def test_a_rewritten_history_is_read_again_and_known_commits_stay_single(repository, palimp):
    first = repository.commit("first", a_py=KEEP + RETRY + OTHER)
    repository.commit("second", a_py=KEEP + OTHER)
    repository.commit("third", a_py=KEEP)
    imported(palimp)
    repository.git("reset", "--quiet", "--hard", first)
    repository.commit("rewritten", a_py=KEEP + OTHER)
    imported(palimp)
    reasons = [hunk["reason"] for hunk in json.loads(palimp("log", "--json").stdout)["hunks"]]
    assert sorted(reasons) == ["rewritten", "second", "third"]


def test_a_worktree_shares_what_was_removed(repository, palimp, env, home):
    repository.commit("first", a_py=KEEP + RETRY)
    repository.commit("drop", a_py=KEEP)
    imported(palimp)
    repository.git("worktree", "add", "--quiet", str(home / "tree"), "-b", "topic")
    assert is_denied(Agent(env, home / "tree").write("a.py", KEEP + RENAMED))


def test_reading_goes_on_after_the_daemon_was_killed(repository, palimp, env, daemon):
    for number in range(40):
        lines = "".join(f"    step_number_{number}_{n}(value_{n})\n" for n in range(30))
        repository.commit(f"add {number}", a_py=KEEP + f"\ndef work_{number}():\n{lines}")
    subprocess.run(
        [*PALIMP, "changes", "import", "--status"], env=env, cwd=repository.path, check=True, capture_output=True
    )
    reading = subprocess.Popen([*PALIMP, "changes", "import"], env=env, cwd=repository.path, stdout=subprocess.DEVNULL)
    wait_until(lambda: json.loads(palimp("import", "--status", "--json").stdout)["hunks"] > 0, 60)
    daemon.kill()
    daemon.start()
    reading.wait(timeout=60)
    imported(palimp)
    status = json.loads(palimp("import", "--json").stdout)
    assert (status["commits"], status["hunks"]) == (40, 39)


def test_a_folder_without_a_repository_has_no_history(palimp, project):
    done = palimp("import")
    assert (done.returncode, done.stdout) == (0, "commits read: 0; pieces of removed code known: 0\n")


def test_a_history_with_a_lost_object_is_read_up_to_it_and_on_when_it_is_back(repository, palimp):
    """It is not taken for read; what git said is told, also by a replay."""
    repository.commit("first", a_py=KEEP + RETRY + OTHER)
    name = repository.git("rev-parse", "HEAD:a.py")
    lost = repository.path / ".git" / "objects" / name[:2] / name[2:]
    repository.commit("second", a_py=KEEP + OTHER)
    repository.commit("third", a_py=KEEP)
    kept = lost.read_bytes()
    lost.unlink()

    done = palimp("import")
    assert done.returncode == 4
    assert "PROBLEM  git's log ended early" in done.stdout
    replayed = palimp("replay")
    assert replayed.returncode == 4
    assert "PROBLEM  git's log ended early" in replayed.stdout
    assert [hunk["reason"] for hunk in json.loads(palimp("log", "--json").stdout)["hunks"]] == ["third"]

    lost.write_bytes(kept)
    status = json.loads(palimp("import", "--json").stdout)
    assert (status["commits"], status["hunks"], status["problem"]) == (3, 2, "")


def test_how_far_back_is_read_and_what_is_left_out_is_said(repository, palimp, monkeypatch):
    """Three years by default; `--since` and `--all` read further, and a day that is none is refused by name."""
    monkeypatch.setitem(ENVIRONMENT, "GIT_COMMITTER_DATE", "1262304000 +0000")  # 2010
    for number in range(30):
        repository.commit(f"old {number}", a_py=f"call_something({number}, of={number * 7})\n")
    monkeypatch.delitem(ENVIRONMENT, "GIT_COMMITTER_DATE")
    for number in range(20):
        repository.commit(f"new {number}", a_py=f"call_another({number}, of={number * 7})\n")

    said = palimp("import").stdout
    assert "30 older commits left out (`--all` reads them, `--since DATE` some)" in said
    assert "older" not in palimp("import", "--since", "2009-01-01").stdout
    assert "read back to 2009-01-01" in palimp("import", "--status").stdout
    assert "read back to the first commit" in palimp("import", "--all").stdout
    refused = palimp("import", "--since", "yesterday")
    assert refused.returncode == 2
    assert "'yesterday' is no day such as 2020-01-31" in refused.stderr
