"""A partial clone lacks objects, which git would fetch by what its configuration names: nothing is fetched, or run."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
import trio
from claude_hooks import PALIMP, Agent, is_denied
from git_traps import Traps, set_off, with_history
from repositories import Repository
from retry_helper import KEEP, RENAMED, RETRY

from palimp_protocol.env import git_command
from palimp_protocol.env.git_command import GitError


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    """On a loaded machine a hook may be late; these tests are not about that."""
    return {**env, "PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def traps(home: Path) -> Traps:
    return Traps(home / "traps")


def read_the_rest(clone: Path, head: str) -> None:
    """Read what is staged and what the commit *head* says, and ask who had added what it took out."""
    from palimp_daemon.git.git_messages import FirstParentLine, new_commits  # noqa: PLC0415
    from palimp_daemon.git.line_origin import Gone, Origin, origins_of  # noqa: PLC0415
    from palimp_daemon.text.redact import Redactor  # noqa: PLC0415
    from palimp_shim.cli.removed_code.staged import staged_texts  # noqa: PLC0415

    staged_texts(str(clone), dict(os.environ))
    told: list[Origin] = []
    with suppress(GitError):
        origins_of(clone, Gone("a.py", 6, tuple(RETRY.splitlines()), head, 0, ""), told.extend)
    subjects: list[str] = []

    async def read() -> None:
        async for page in new_commits(clone, FirstParentLine([head]), set(), Redactor()):
            subjects.extend(commit.subject for commit in page)

    trio.run(read)
    assert subjects == ["Drop the retry helper"]


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
@pytest.mark.parametrize("is_new_git", [True, False])
@pytest.mark.parametrize(
    "url", ["{source}", "file://{source}", "ssh://host/x", "host:x", "ext::TRAP %S", "git://127.0.0.1/x", "trap::x"]
)
def test_nothing_is_fetched_into_a_partial_clone(tmp_path, kind, is_new_git, url, monkeypatch):
    """Neither what the remote names is run nor its helper, whatever kind of address it has, however old git is."""
    source = with_history(Repository(tmp_path / "source"))
    source.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    source.git("clone", "--quiet", "--no-local", f"--filter={kind}", f"file://{source.path}", str(clone))
    traps = Traps(tmp_path / "traps")
    traps.lay(clone / ".git", urls=(url.format(source=source.path),))
    helpers = tmp_path / "helpers"
    helpers.mkdir()
    for name in ("git-remote-trap", "git-remote-none", "ssh", "false"):
        (helpers / name).symlink_to(traps.program(f"helper-{name}"))
    monkeypatch.setenv("PATH", f"{helpers}:{os.environ['PATH']}")
    if not is_new_git:
        fewer = {name: value for name, value in git_command._SET.items() if name != "GIT_NO_LAZY_FETCH"}
        monkeypatch.setattr(git_command, "_SET", fewer)
    from palimp_daemon.git.git_log import PARTIAL, History  # noqa: PLC0415
    from palimp_daemon.git.git_repository import commits_here, head_of  # noqa: PLC0415
    from palimp_daemon.git.recent_work import RecentWorkReader  # noqa: PLC0415
    from palimp_daemon.git.worktree import files_of  # noqa: PLC0415

    with History(clone, ["HEAD"], 100) as history:
        commits = list(history)
    assert history.problem == PARTIAL
    assert len(commits) < 2
    work = RecentWorkReader().read(clone)
    assert work.branch == "feature/ratelimit"
    assert work.subjects[0] == "Drop the retry helper"
    assert set(files_of(clone)) == {"a.py", "b.py", "d/c.py"}
    assert commits_here(clone, [head_of(clone), "0" * 40]) == {head_of(clone)}
    read_the_rest(clone, head_of(clone))
    assert [name for name in traps.run() if name != "helper-false"] == []


def test_in_a_partial_clone_what_is_there_is_used(daemon, env, traps, home):
    """What was taken out since the clone was made is known; what would have to be fetched is not."""
    source = with_history(Repository(home / "source"))
    source.commit("One that has to be fetched", z_py="one_that_is_old()\n")
    source.commit("One whose past has to be fetched", z_py="one_that_is_new()\n")
    source.git("config", "uploadpack.allowFilter", "true")
    clone = home / "clone"
    source.git("clone", "--quiet", "--no-local", "--filter=blob:none", f"file://{source.path}", str(clone))
    here = Repository(clone)
    here.commit("Try it again", a_py=KEEP + RETRY)
    here.commit("Drop the retry helper for good", a_py=KEEP)
    traps.lay(clone / ".git", urls=(f"file://{source.path}",))
    set_off(clone)
    palimp = [*PALIMP, "changes"]
    said = subprocess.run([*palimp, "import"], env=env, cwd=clone, capture_output=True, text=True, check=False)
    assert "partial clone" in said.stdout + said.stderr
    agent = Agent(env, clone, "s1")
    agent.start()
    text = (clone / "a.py").read_text()
    assert is_denied(agent.edit("a.py", text, text + RENAMED))
    assert traps.run() == []
