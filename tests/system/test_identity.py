"""Whose memories a folder has: not those of another repository that was there before, and those of a first clone."""

import itertools
import json
import shutil
import subprocess
import time
from pathlib import Path

import apsw
import pytest
from claude_hooks import PALIMP, Agent, is_denied
from daemon_asking import ask
from mcp_clients import BareClient
from repositories import Repository, changes_command, imported
from retry_helper import KEEP, OTHER, RENAMED, RETRY
from running_daemon import wait_until

from palimp_daemon.features.sessions.repository_identity import CONFIRMED_S
from palimp_protocol.errors import PalimpError

FORMER = "The former project is called Thunderbird"
NEW = "The new one is called Kestrel"


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    return {**env, "PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def palimp(daemon, env):
    """Runs a command in a folder as it is now; returns what it printed, with `--json` what that says."""

    def run(folder: Path, *arguments: str, codes: tuple[int, ...] = (0,)):
        until_looked_at_again()
        done = subprocess.run([*PALIMP, *arguments], env=env, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode in codes, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout + done.stderr

    return run


def known_by_commits(env: dict[str, str], folder: Path) -> None:
    """Wait until the first commits of *folder*'s repository are stored, which is done behind an answer."""
    copies = (Path(env["HOME"]) / f"copy-{time.monotonic_ns()}-{number}.db" for number in itertools.count())

    def is_stored() -> bool:
        copy = next(copies)  # the daemon's own is locked
        ask(env, Path(env["HOME"]), "backup", path=str(copy))
        database = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
        sql = "SELECT count(*) FROM first_commits f JOIN projects p ON p.id = f.project_id WHERE p.root = ?"
        [(count,)] = database.execute(sql, (str(folder),)).fetchall()
        database.close()
        return bool(count)

    wait_until(is_stored, 60)


def first_project(env: dict[str, str], folder: Path) -> None:
    """A repository of which memories, removed code, a document's versions and a session are known."""
    repository = Repository(folder)
    repository.commit("first", a_py=KEEP + RETRY)
    repository.commit("Drop the retry helper", a_py=KEEP)
    ask(env, folder, "save_memory", text=FORMER, kind="decision")
    ask(env, folder, "save_memory", text="It is written in Zig.", kind="note")
    ask(env, folder, "add_doc", slug="guide", title="Guide", content="# Guide\n\nThunderbird.")
    ask(env, folder, "edit_doc", slug="guide", content="# Guide\n\nThunderbird again.")
    imported(changes_command(env, folder))
    agent = Agent(env, folder, "before")
    assert "Thunderbird" in agent.start()
    agent.says("What is it called?", "Thunderbird.")
    agent.write("b.py", OTHER)
    agent.stop()
    agent.edit("b.py", OTHER, "start()\n")
    agent.stop()
    known_by_commits(env, folder)


def replaced(folder: Path) -> Repository:
    """Put another repository at the path of *folder*."""
    shutil.rmtree(folder)
    repository = Repository(folder)
    repository.commit("quite another", c_py="begin()\n")
    until_looked_at_again()
    return repository


def until_looked_at_again() -> None:
    """Wait while what a folder was seen to hold is believed."""
    seen = time.monotonic()
    wait_until(lambda: time.monotonic() > seen + CONFIRMED_S, 5)


def everything_said(env: dict[str, str], palimp, folder: Path) -> str:
    """Return what every command, hook and tool says in *folder*."""
    agent = Agent(env, folder, "after")
    said = [agent.start(), json.dumps(agent.hook("UserPromptSubmit", prompt="What is Thunderbird written in?"))]
    for command in (
        *(["list"], ["search", "thunderbird"], ["context"], ["docs", "list"], ["changes", "log"], ["sessions"]),
        *(["summarize"], ["compact"], ["docs", "history", "guide"], ["show", "0"], ["list", "--purged"]),
    ):
        said += [palimp(folder, *command, codes=(0, 1, 2))]
    client = BareClient(env, folder)
    client.initialize()
    given = {"recall": {"query": "thunderbird"}, "list_docs": {}, "list_changes": {}, "summarize": {}, "compact": {}}
    said += [client.ask(tool, tool, **arguments) for tool, arguments in given.items()]
    said += [client.ask("newest", "recall")]
    client.close()
    return "\n".join(said)


def test_another_repository_at_the_path_of_a_deleted_one_is_shown_nothing(palimp, env, project):
    """Through hooks, commands and tools; each says so, and how many memories are kept."""
    first_project(env, project)
    replaced(project)

    said = everything_said(env, palimp, project)

    assert "Thunderbird" not in said.replace("What is Thunderbird", "")
    assert "Zig" not in said
    notice = "This folder held another repository before; its 2 memories are kept and not shown."
    assert Agent(env, project, "later").start().startswith(notice)
    assert notice in palimp(project, "list", codes=(1,))
    assert notice in palimp(project, "projects")
    assert notice in palimp(project, "context")
    assert said.count("held another repository") >= 5


def test_code_of_the_former_repository_is_not_looked_for_in_the_new_one(palimp, env, project):
    """What was taken out there may be written here."""
    first_project(env, project)
    replaced(project)
    agent = Agent(env, project, "after")
    agent.start()

    assert not agent.write("a.py", RENAMED)
    assert palimp(project, "changes", "log", codes=(1,))


def test_the_user_says_that_it_is_another_and_starts_anew(palimp, env, project):
    """What is saved before and after that is the new one's; what was before is kept, and can be had after all."""
    first_project(env, project)
    replaced(project)
    ask(env, project, "save_memory", text=NEW)

    assert "2 memories of the repository before are kept" in palimp(project, "projects", "new")

    assert "held another" not in palimp(project, "list")
    assert [each["title"] for each in palimp(project, "list", "--json")["memories"]] == [NEW]
    kept = [each for each in palimp(project, "projects", "--json")["projects"] if each["root"] != str(project)]
    assert [each["memories"] for each in kept] == [2]


def test_the_user_says_that_it_is_the_same_and_can_take_that_back(palimp, env, project):
    """Nothing is lost either way, however often it is said."""
    first_project(env, project)
    removed = len(palimp(project, "changes", "log", "--json")["hunks"])
    replaced(project)
    ask(env, project, "save_memory", text=NEW)
    ask(env, project, "add_doc", slug="guide", title="Guide", content="# Guide\n\nKestrel.")
    ask(env, project, "edit_doc", slug="guide", content="# Guide\n\nKestrel again.")
    for _ in range(2):
        assert "3 memories" in palimp(project, "projects", "same")
        assert {each["title"] for each in palimp(project, "list", "--json")["memories"]} >= {FORMER, NEW}
        assert len(palimp(project, "changes", "log", "--json")["hunks"]) == removed
        assert len(palimp(project, "docs", "history", "guide", "--json")["versions"]) == 2
        agent = Agent(env, project, "again")
        assert "Thunderbird" in agent.start()

        palimp(project, "projects", "new")
        assert [each["title"] for each in palimp(project, "list", "--json")["memories"]] == [NEW]
        assert len(palimp(project, "docs", "history", "guide", "--json")["versions"]) == 1
        assert palimp(project, "changes", "log", codes=(1,))
    assert palimp(project, "projects", "link", "/nowhere", codes=(1,))
    assert "linked with no other" in palimp(project, "projects", "unlink", codes=(2,))


def test_a_repository_that_comes_back_has_what_was_known_of_it(palimp, env, project):
    """Its commits say who it is: nobody has to say yes."""
    first_project(env, project)
    stored = project.rename(project.with_name("stored"))
    Repository(project).commit("quite another", c_py="begin()\n")
    assert "held another" in palimp(project, "list", codes=(1,))
    ask(env, project, "save_memory", text=NEW)
    known_by_commits(env, project)
    other = project.rename(project.with_name("other"))
    stored.rename(project)

    listed = palimp(project, "list")
    assert "Thunderbird" in listed
    assert "Kestrel" not in listed
    assert "held another" not in listed
    project.rename(stored)
    other.rename(project)
    assert [each["title"] for each in palimp(project, "list", "--json")["memories"]] == [NEW]


def test_a_repository_that_was_moved_while_another_took_its_place_is_offered_its_memories(palimp, env, project):
    """They are adopted by the name that they have meanwhile."""
    first_project(env, project)
    moved = project.rename(project.with_name("moved"))
    Repository(project).commit("quite another", c_py="begin()\n")
    palimp(project, "list", codes=(1,))

    offer = Agent(env, moved, "there").start()
    name = offer.split("`palimp adopt ")[1].split("`")[0]
    palimp(moved, "adopt", name)

    assert "Thunderbird" in palimp(moved, "list")
    assert "held another" not in palimp(project, "list", codes=(1,))


HEALTHY = {
    "a branch without a common commit": [
        "checkout --quiet --orphan fresh",
        "rm -rfq .",
        "commit --quiet --allow-empty -m x",
    ],
    "a rewritten history": ["commit --quiet --amend -m rewritten", "reflog expire --expire=now --all"],
    "a detached head": ["checkout --quiet --detach HEAD~1"],
    "packed and pruned": ["gc --quiet --prune=now"],
    "a branch that is gone": ["checkout --quiet -b other", "branch --quiet -D main"],
}


@pytest.mark.parametrize("what", HEALTHY)
def test_a_healthy_repository_keeps_its_memories(palimp, env, project, what: str):
    """Whatever its user does with its history."""
    first_project(env, project)
    repository = Repository(project)
    for command in HEALTHY[what]:
        repository.git(*command.split(" "))

    assert "Thunderbird" in palimp(project, "list")
    assert "Thunderbird" in Agent(env, project, "after").start()


def test_a_clone_in_place_of_the_first_one_keeps_its_memories(palimp, env, project, home):
    """Whole, shallow, partial or as a folder without git: none of it is another repository."""
    first_project(env, project)
    shutil.copytree(project, home / "source")
    source = Repository(home / "source")
    source.git("config", "uploadpack.allowFilter", "true")
    for options in (["--quiet"], ["--depth=1"], ["--filter=tree:0", "--no-checkout"], ["--bare"]):
        shutil.rmtree(project)
        source.git("clone", "--quiet", "--no-local", *options, f"file://{source.path}", str(project))
        assert "Thunderbird" in palimp(project, "list"), options
    shutil.rmtree(project)
    project.mkdir()
    assert "Thunderbird" in palimp(project, "list")


def test_a_new_repository_without_commits_is_shown_nothing_of_the_former_and_keeps_what_is_saved_in_it(
    palimp, env, project
):
    """It is another from `git init` on, and not from its first commit on."""
    first_project(env, project)
    shutil.rmtree(project)
    repository = Repository(project)

    assert "held another repository" in palimp(project, "list", codes=(1,))
    palimp(project, "add", NEW)
    for _ in range(2):
        assert [each["title"] for each in palimp(project, "list", "--json")["memories"]] == [NEW]
        repository.commit("the first of the new one", a_py=KEEP)
    known_by_commits(env, project)
    assert "Thunderbird" not in palimp(project, "search", "called", codes=(0, 1))


def test_a_clone_that_is_looked_at_while_it_is_being_made_has_its_memories_once_it_is_there(palimp, env, project, home):
    """In between it is a repository without commits."""
    first_project(env, project)
    source = shutil.copytree(project, home / "source")
    shutil.rmtree(project)
    repository = Repository(project)
    assert palimp(project, "list", codes=(1,))
    repository.git("fetch", "--quiet", str(source), "main")
    listed = palimp(project, "list")
    assert "Thunderbird" in listed
    assert "held another" not in listed


def test_who_deletes_the_history_to_begin_anew_says_that_it_is_the_same(palimp, env, project):
    first_project(env, project)
    shutil.rmtree(project / ".git")
    assert "Thunderbird" in palimp(project, "list")
    repository = Repository(project)
    assert "palimp projects same" in palimp(project, "list", codes=(1,))
    palimp(project, "projects", "same")
    assert "Thunderbird" in palimp(project, "list")
    repository.commit("first of the new history", a_py=KEEP)
    assert "Thunderbird" in palimp(project, "list")


def test_memories_of_a_folder_are_there_when_it_becomes_a_repository(palimp, env, project):
    """`git init` in a folder of which something is known."""
    ask(env, project, "save_memory", text=FORMER)
    Repository(project).commit("first", a_py=KEEP)
    assert "Thunderbird" in palimp(project, "list")
    known_by_commits(env, project)
    replaced(project)
    assert "held another" in palimp(project, "list", codes=(1,))


# --- a second clone --------------------------------------------------------------------------------


@pytest.fixture
def second(env, project, palimp) -> Path:
    """A second clone of a repository of which something is known."""
    first_project(env, project)
    clone = project.with_name("second")
    Repository(project).git("clone", "--quiet", str(project), str(clone))
    return clone


def test_a_second_clone_is_told_of_the_first(palimp, env, project, second):
    """At a session's start, and where a list is empty; not in a folder that has nothing to do with it."""
    offer = f"but {project}, another clone of the same repository, has 2 memories"
    assert offer in Agent(env, second, "s").start()
    assert offer in palimp(second, "list", codes=(1,))
    assert offer in palimp(second, "projects")
    client = BareClient(env, second)
    client.initialize()
    assert offer in client.ask("newest", "recall")
    client.close()
    other = Repository(second.with_name("other"))
    other.commit("another", a_py=KEEP)
    assert "another clone" not in palimp(other.path, "list", codes=(1,))
    assert not Agent(env, other.path, "o").start()


def test_linked_clones_are_one_project_until_they_are_unlinked(palimp, env, project, second):
    """Memories, sessions and removed code; documents stay in each tree."""
    ask(env, second, "save_memory", text=NEW)
    agent = Agent(env, second, "own")
    agent.start()
    agent.write("own.py", OTHER)
    agent.stop()
    agent.edit("own.py", OTHER, "begin()\n")
    agent.stop()
    for number in range(2):
        said = palimp(second, "projects", "link", f"../{project.name}/")
        assert f"one project with {project} now" in said
        for folder in (project, second):
            found = {each["title"] for each in palimp(folder, "list", "--json")["memories"]}
            assert {FORMER, NEW} <= found
        assert "Thunderbird" in Agent(env, second, f"linked{number}").start()
        session = Agent(env, second, f"edit{number}")
        session.start()
        assert is_denied(session.edit("a.py", "value + 1\n", "value + 1\n" + RENAMED))
        assert not palimp(second, "docs", "list", "--json")["docs"]
        assert "linked already" in palimp(second, "projects", "link", str(project), codes=(2,))
        linked = {each["root"]: each["linked_to"] for each in palimp(second, "projects", "--json")["projects"]}
        assert linked[str(project)] == ""

        assert "1 memory" in palimp(second, "projects", "unlink")
        assert [each["title"] for each in palimp(second, "list", "--json")["memories"]] == [NEW]
        assert NEW not in {each["title"] for each in palimp(project, "list", "--json")["memories"]}
        removed = {each["path"] for each in palimp(second, "changes", "log", "--json")["hunks"]}
        assert "own.py" in removed


def test_what_is_no_clone_is_not_linked(palimp, env, project, second):
    """With what is to be done instead; nothing changes."""
    other = Repository(second.with_name("other"))
    other.commit("another", a_py=KEEP)
    ask(env, other.path, "save_memory", text="Something else.")
    for folder, target, code, why in (
        (second, other.path, 2, "not known to be of the same repository"),
        (second, second, 2, "cannot be linked with itself"),
        (second, Path("/nowhere"), 1, "No project is known at /nowhere"),
    ):
        assert why in palimp(folder, "projects", "link", str(target), codes=(code,))
    with pytest.raises(PalimpError, match="no project"):
        ask(env, Path(env["HOME"]), "link_project", action="unlink")
    assert "Thunderbird" not in palimp(second, "list", codes=(1,))
    palimp(second, "projects", "link", str(project))
    assert "Another folder is linked" in palimp(project, "projects", "link", str(second), codes=(2,))
    assert "linked with another" in palimp(second, "adopt", "/nowhere-else", codes=(2,))


def test_a_worktree_of_a_linked_clone_shares_it(palimp, env, project, second):
    """Since it is the clone's project."""
    palimp(second, "projects", "link", str(project))
    Repository(second).git("worktree", "add", "--quiet", str(second.with_name("linked")))
    assert "Thunderbird" in palimp(second.with_name("linked"), "list")
