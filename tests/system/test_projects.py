"""A folder that was moved or renamed gets back what is known of it: offered at a session's start, done when asked."""

import json
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent, is_denied
from daemon_asking import ask
from repositories import Repository, changes_command, imported, run_git
from retry_helper import KEEP, OTHER, RENAMED, RETRY
from running_daemon import wait_until

from palimp_protocol.errors import PalimpError


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    return {**env, "PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def palimp(daemon, env):
    """Runs a command in a folder; returns what it printed, with `--json` what that says."""

    def run(folder: Path, *arguments: str, code: int = 0):
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout + done.stderr

    run.env = env
    return run


def moved(folder: Path, name: str = "renamed") -> Path:
    """Move *folder* and return where it is."""
    return folder.rename(folder.with_name(name))


def test_a_moved_repository_is_offered_what_is_known_and_has_it_when_asked(palimp, env, project):
    """Memories, code that was taken out, versions of documents; and git's history is read on from where it was."""
    repository = Repository(project)
    repository.commit("first", a_py=KEEP + RETRY)
    repository.commit("Drop the retry helper", a_py=KEEP)
    ask(env, project, "save_memory", text="Retries are capped at 3: the API bans after 4.", kind="decision")
    ask(env, project, "add_doc", slug="guide", title="Guide", content="# Guide\n\nAs it was.")
    ask(env, project, "edit_doc", slug="guide", content="# Guide\n\nAs it is.")
    versions = len(palimp(project, "docs", "history", "guide", "--json")["versions"])
    assert versions > 0
    imported(changes_command(env, project))
    assert "palimp adopt" not in Agent(env, project, "before").start()
    here = moved(project)

    offer = Agent(env, here, "after").start()
    assert f"but {project}, which is gone and had the same history or name, has 1 memory" in offer
    assert f"`palimp adopt {project}`" in offer
    assert ask(env, here, "recall", query="retries").total == 0, "nothing moves by itself"
    said = palimp(here, "adopt", f"../{project.name}/")

    assert f"of {project} are this project's now" in said
    assert ask(env, here, "recall", query="retries").total == 1
    assert "palimp adopt" not in Agent(env, here, "later").start()
    assert is_denied(Agent(env, here, "agent").edit("a.py", "value + 1\n", "value + 1\n" + RENAMED))
    assert len(palimp(here, "docs", "history", "guide", "--json")["versions"]) == versions
    Repository(here).commit("Drop another", a_py="nothing = 1\n")
    imported(changes_command(env, here))
    assert json.loads(changes_command(env, here)("log", "--json").stdout)["total"] == 2
    [known] = palimp(here, "projects", "--json")["projects"]
    assert (known["root"], known["memories"], known["is_gone"]) == (str(here), 1, False)


def test_what_was_done_since_at_the_new_place_is_kept(palimp, env, project):
    """Memories of both; what sessions took out in either is watched for; no commit is told of twice."""
    repository = Repository(project)
    repository.commit("first", a_py=KEEP + RETRY + OTHER)
    repository.commit("drop", a_py=KEEP + OTHER)
    ask(env, project, "save_memory", text="Known before the move.")
    imported(changes_command(env, project))
    here = moved(project)
    ask(env, here, "save_memory", text="Known since the move.")
    Repository(here).write("b.py", RETRY + "again = 1\n")
    Repository(here).commit("Try it elsewhere")
    Repository(here).commit("Which was no better", b_py="again = 1\n")
    imported(changes_command(env, here))
    agent = Agent(env, here, "s1")
    agent.start()
    agent.says("Take the other one out, nobody calls it.")
    agent.edit("a.py", OTHER, "")
    agent.stop()

    reply = palimp(here, "adopt", str(project), "--json")

    assert (reply["memories"], reply["joined"]) == (1, 1)
    assert ask(env, here, "recall").total == 2
    # What commits removed since the move is read again, for the row that stayed.
    log = changes_command(env, here)
    wait_until(lambda: json.loads(log("log", "--json").stdout)["total"] == 3, 60)
    assert is_denied(Agent(env, here, "s2").edit("a.py", "value + 1\n", "value + 1\n" + OTHER))
    assert is_denied(Agent(env, here, "s3").edit("a.py", "value + 1\n", "value + 1\n" + RENAMED))
    assert [each["root"] for each in palimp(here, "projects", "--json")["projects"]] == [str(here)]
    assert palimp(here, "health", "--json")["is_damaged"] is False


def test_a_repository_that_only_looks_alike_is_offered_nothing(palimp, env, project):
    """A clone beside the first, or a repository with another history, whatever its name, is no move."""
    repository = Repository(project)
    repository.commit("first", a_py=KEEP)
    ask(env, project, "save_memory", text="Of the first.")
    imported(changes_command(env, project))
    clone = project.with_name("clone")
    repository.git("clone", "--quiet", str(project), str(clone))
    assert "adopt" not in Agent(env, clone).start(), "a clone is offered a link (test_identity)"
    moved(project, "away")
    for folder in (project.with_name("other"), project.parent / "elsewhere" / project.name):
        other = Repository(folder)
        other.commit("something else", b_py=KEEP)
        assert Agent(env, other.path).start() == ""
    assert f"but {project}" in Agent(env, clone).start()


def test_a_repository_is_known_by_its_first_commit_before_its_history_was_read(palimp, project):
    """By another name; a search that finds nothing says so, too, and another repository is told nothing."""
    Repository(project).commit("first", a_py=KEEP)
    palimp(project, "add", "Retries are capped at 3.")
    here = moved(project)
    other = Repository(project.with_name("other"))
    other.commit("something else", b_py=KEEP)
    for asked in (["list"], ["search", "retries"]):
        assert f"`palimp adopt {project}`" in palimp(here, *asked, code=1)
        assert "adopt" not in palimp(other.path, *asked, code=1)
    palimp(here, "adopt", str(project))
    assert "capped" in palimp(here, "search", "retries")


def test_without_a_history_a_folder_is_known_by_its_name(palimp, env, project):
    """It was moved elsewhere and called as before."""
    ask(env, project, "save_memory", text="No repository here.")
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    here = project.rename(elsewhere / project.name)
    assert f"`palimp adopt {project}`" in palimp(here, "context")
    ask(env, here, "save_memory", text="Begun anew.")
    assert "adopt" not in palimp(here, "context"), "who went on without is not asked again"


def test_only_a_folder_that_is_gone_and_known_can_be_adopted(palimp, env, project):
    """By a project; what is wrong is said, and nothing moves."""
    ask(env, project, "save_memory", text="Of this one.")
    other = project.with_name("other")
    other.mkdir()
    assert "is still there" in palimp(other, "adopt", str(project), code=2)
    assert "No project is known at" in palimp(other, "adopt", "/nowhere/at/all", code=1)
    assert "is no project" in palimp(other, "adopt", "/nowhere/at/all", "--global", code=2)
    assert str(project) in palimp(other, "projects")
    assert "No projects yet." not in palimp(other, "projects")
    assert ask(env, project, "recall").total == 1
    moved(project)
    with pytest.raises(PalimpError, match="is still there"):
        ask(env, project, "adopt", root=str(project))  # itself


def test_before_anything_is_known_there_are_no_projects(palimp, project):
    assert "No projects yet." in palimp(project, "projects", code=1)


# --- folders that lead elsewhere, and folders near another -----------------------------------------


@pytest.mark.parametrize("is_git", [True, False])
def test_a_folder_that_left_a_link_at_its_old_path_is_offered_its_memories(palimp, env, project, is_git: bool):
    """Also where something was saved since; by the link's own path, which `link` leads to, too."""
    if is_git:
        Repository(project).commit("first", a_py=KEEP)
    ask(env, project, "save_memory", text="Known before the move.")
    here = moved(project)
    project.symlink_to(here.name)
    assert f"{project}, which leads to this folder now, has 1 memory" in palimp(here, "list", code=1)
    assert f"leads to {here}" in palimp(here, "projects")
    ask(env, here, "save_memory", text="Known since the move.")
    assert f"palimp adopt {project}" in palimp(here, "projects")

    refused = palimp(here, "projects", "link", str(project), code=2)
    assert f"`palimp adopt {project}`" in refused
    assert "1 memory, beside its own 1" in palimp(here, "adopt", f"../{project.name}")

    titles = {each["title"] for each in palimp(here, "list", "--json")["memories"]}
    assert titles == {"Known before the move", "Known since the move"}
    assert {each["title"] for each in palimp(project, "list", "--json")["memories"]} == titles
    assert not palimp(here, "projects", "--json")["notes"]


def test_a_folder_in_a_repository_that_was_made_around_it_can_be_adopted(palimp, env, project):
    """Calls from there are the repository's now."""
    inner = project / "inner"
    inner.mkdir()
    ask(env, inner, "save_memory", text="Known of the inner folder.")
    Repository(project).commit("first", a_py=KEEP)
    assert f"{inner}, which leads to this folder now" in palimp(inner, "list", code=1)
    palimp(project, "adopt", str(inner))
    assert "Known of the inner folder" in palimp(project, "list")


def test_a_submodule_is_told_of_the_repository_around_it_and_can_be_one_project_with_it(palimp, env, project):
    source = Repository(project.with_name("source"))
    source.commit("first", a_py=KEEP)
    around = Repository(project)
    around.commit("first", b_py=KEEP)
    around.git("submodule", "--quiet", "add", str(source.path), "part")
    ask(env, project, "save_memory", text="Known of the whole.")
    _is_joined(palimp, project / "part", project)
    around.commit("later", c_py=OTHER)
    assert "Known of the whole" in palimp(project, "list")


def test_a_folder_without_git_is_told_of_the_one_around_it(palimp, env, project):
    ask(env, project, "save_memory", text="Known of the whole.")
    (project / "part" / "deep").mkdir(parents=True)
    _is_joined(palimp, project / "part" / "deep", project)


def test_a_folder_beside_the_worktrees_of_a_bare_repository_is_told_of_it(palimp, env, project):
    source = Repository(project.with_name("source"))
    source.commit("first", a_py=KEEP)
    source.git("clone", "--quiet", "--bare", str(source.path), str(project / "repo.git"))
    run_git(project / "repo.git", "worktree", "add", "--quiet", str(project / "feature"))
    ask(env, project / "feature", "save_memory", text="Known of the whole.")
    _is_joined(palimp, project, project / "repo.git")


def test_a_repository_in_a_folder_without_git_is_told_nothing(palimp, env, project):
    """Who keeps all repositories in one folder does not mean that by it."""
    ask(env, project, "save_memory", text="Known of the folder of all.")
    Repository(project / "one").commit("first", a_py=KEEP)
    assert "palimp projects link" not in palimp(project / "one", "list", code=1)


def _is_joined(palimp, folder: Path, other: Path) -> None:
    """Check that *folder* is told of *other*, and is one project with it once that is said, until it is taken back."""
    command = f"`palimp projects link {other}`"
    assert command in palimp(folder, "list", code=1)
    assert command in Agent(palimp.env, folder, f"s-{folder.name}").start()
    palimp(folder, "projects", "link", str(other))
    assert "Known of the whole" in palimp(folder, "list")
    palimp(folder, "projects", "unlink")
    palimp(folder, "list", code=1)
