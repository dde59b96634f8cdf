"""Nothing that a repository names is run, whatever is asked of palimp there; and what it should do still works."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent, is_denied
from daemon_asking import ask
from git_traps import FORMS, RUN, SET_OFF, USED, Traps, configure, set_off, with_history
from mcp_clients import BareClient
from repositories import ENVIRONMENT, Repository
from retry_helper import KEEP, OTHER, RENAMED, RETRY

from palimp_protocol.env import git_command

NAMES_A_PROGRAM = re.compile(
    r"(?i)(cmd|command|program|editor|pager|\btool|browser|helper|hook|proxy|askpass|fsmonitor|external|driver$|httpd"
    r"|uploadpack|receivepack|packobjectshook|clean$|smudge|process$|tunnel|viewer|textconv|filter$|\.update$|\.path$)"
)
"""By which keys of git's configuration are found that may name a program."""

HARMLESS = {
    # Numbers, switches and names, or paths of files that are read as data.
    *("advice.ignoredHook", "advice.updateSparsePath", "bundle.<id>.uri", "color.pager", "column.clean"),
    *("core.fsmonitorHookVersion", "core.hooksPath", "credential.useHttpPath", "diff.<driver>.cachetextconv"),
    *("diff.tool", "diff.guitool", "difftool.prompt", "difftool.trustExitCode", "filter.<driver>.required"),
    *("fsck.gitmodulesPath", "gitcvs.dbDriver", "gpg.ssh.allowedSignersFile", "http.proxy", "merge.tool"),
    *("merge.guitool", "mergetool.<tool>.hideResolved", "mergetool.<tool>.trustExitCode", "mergetool.hideResolved"),
    *("mergetool.keepBackup", "mergetool.keepTemporaries", "mergetool.meld.hasOutput", "mergetool.prompt"),
    *("mergetool.meld.useAutoMerge", "mergetool.vimdiff.layout", "mergetool.writeToTemp", "include.path"),
    *("includeIf.<condition>.path", "receive.fsck.gitmodulesPath", "uploadpack.allowFilter", "fsmonitor.allowRemote"),
    *("fsmonitor.socketDir", "http.proxyAuthMethod", "remote.<name>.proxy", "remote.<name>.proxyAuthMethod"),
    *("remote.<name>.partialclonefilter", "notes.rewrite.<command>", "http.proxySSLCAInfo", "http.proxySSLCert"),
    *("http.proxySSLCertPasswordProtected", "http.proxySSLKey", "rebase.abbreviateCommands", "help.htmlPath"),
    *("instaweb.modulePath", "http.sslCAPath", "completion.commands", "advice.fetchShowForcedUpdates"),
    *("advice.submoduleAlternateErrorStrategyDie", "commitGraph.changedPaths", "clone.filterSubmodules"),
    *("sendemail.smtpsslcertpath",),
}

SWITCHES = re.compile(
    r"(?i)guitool\.<name>\.(?!cmd$)|^uploadpack(filter)?\.(?!packObjectsHook$)|^advice\.|^color\.|SSL"
)
"""Keys of these hold no names of programs."""


def test_every_key_of_this_git_that_may_name_a_program_has_a_trap_or_is_known_to_be_harmless():
    """The list of traps is held to git's own list of its configuration."""
    listed = subprocess.run(["git", "help", "--config-for-completion"], capture_output=True, text=True, check=True)
    full = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True)
    keys = {line.strip() for line in (listed.stdout + full.stdout).splitlines() if "." in line and " " not in line}
    trapped = {re.sub(r"<\w+>|%s|\btrap\b|\borigin\b|openpgp|x509", "*", key).lower() for key in (*RUN, *SET_OFF)}
    unknown = [
        key
        for key in keys
        if NAMES_A_PROGRAM.search(key)
        and not SWITCHES.search(key)
        and key not in HARMLESS
        and re.sub(r"<\w+>", "*", key).lower() not in trapped
        and not any(key.lower() in {f"pager.{name}", f"alias.{name}"} for name in USED)
        and not key.endswith(".")
    ]
    assert len(keys) > 400
    assert unknown == []


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    """On a loaded machine a hook may be late; these tests are not about that."""
    return {**env, "PALIMP_HOOKS_PATIENCE": "100"}


@pytest.fixture
def traps(home: Path) -> Traps:
    return Traps(home / "traps")


@pytest.fixture
def repository(project: Path) -> Repository:
    """A repository whose last commit took something out, on a branch with a telling name."""
    return with_history(Repository(project))


def use_everything(env: dict[str, str], folder: Path, *, finds_removed: bool = True, staged_env: dict | None = None):
    """Drive every hook, command and tool in *folder*; what is asked for there must be done."""

    def palimp(*arguments: str, codes: tuple[int, ...] = (0,), text: str = "") -> str:
        done = subprocess.run(
            [*PALIMP, *arguments],
            env={**env, **(staged_env or {})},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            input=text,
        )
        assert done.returncode in codes, (arguments, done.stdout + done.stderr)
        return done.stdout

    ask(env, folder, "save_memory", text="The ratelimit is twelve requests a second.", kind="note")
    palimp("changes", "import")
    agent = Agent(env, folder, f"s-{folder.name}")
    context = agent.start()
    assert "ratelimit is twelve" in context
    assert "Relevant to the current work" in context, "the branch or the last commits are known"
    agent.hook("UserPromptSubmit", prompt="What is the ratelimit?")
    agent.says("Please look at it.", "I will.")
    text = (folder / "a.py").read_text()
    denied = agent.edit("a.py", text, text + RENAMED)
    assert is_denied(denied) is finds_removed
    agent.write("new_one.py", OTHER.replace("parse_header", "read_header"))
    agent.stop()
    agent.edit("new_one.py", OTHER.replace("parse_header", "read_header"), "")
    agent.stop()
    agent.hook("PreCompact", trigger="auto")
    for command in (
        *(["context"], ["docs", "list"], ["projects"], ["health"], ["sessions"], ["list"], ["search", "ratelimit"]),
        *(
            ["summarize"],
            ["compact"],
            ["changes", "import"],
            ["changes", "replay"],
            ["export", str(folder.parent / f"{folder.name}.jsonl")],
            ["mcp", "tools"],
        ),
        ["config", "list"],
    ):
        palimp(*command)
    palimp("changes", "log", codes=(0,) if finds_removed else (0, 1))
    palimp("doctor", codes=(0, 1, 2, 4))
    palimp("changes", "check", "b.py", "--stdin", codes=(1,) if finds_removed else (0,), text=RENAMED)
    check_staged(palimp, folder, finds_removed=finds_removed)
    agent.end()
    call_tools(env, folder)


def check_staged(palimp: Callable[..., str], folder: Path, *, finds_removed: bool) -> None:
    """Stage code that was removed, past the traps, and have it checked."""
    (folder / "back.py").write_text(RENAMED)
    blob = subprocess.run(
        ["git", "-C", str(folder), "hash-object", "-w", "--stdin", "--no-filters"],
        input=RENAMED,
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    ).stdout.strip()
    own = ("core.fsmonitor=", "core.hooksPath=/dev/null", "filter.trap.clean=", "filter.trap.process=")
    command = ["git", "-C", str(folder), *(part for setting in own for part in ("-c", setting))]
    more = ["update-index", "--add", "--cacheinfo", f"100644,{blob},back.py"]
    done = subprocess.run([*command, *more], check=False, capture_output=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    said = palimp("changes", "check", "--staged", codes=(1,) if finds_removed else (0,))
    assert ("back.py" in said) is finds_removed


def call_tools(env: dict[str, str], folder: Path) -> None:
    """Call every tool over MCP."""
    client = BareClient(env, folder)
    client.initialize()
    client.request("tools", "tools/list")
    listed = client.answer("tools")["result"]["tools"]
    given = {
        "save_memory": {"text": "Another one."},
        "recall": {"query": "ratelimit"},
        "read_doc": {"slug": "none"},
        "search_docs": {"pattern": "x"},
        "add_doc": {"slug": "guide", "title": "Guide", "content": "# Guide"},
        "edit_doc": {"slug": "guide", "content": "# Guide\n\nMore."},
        "delete_doc": {"slug": "guide"},
        "check_change": {"path": "b.py", "text": RENAMED},
        "show_change": {"id": "h1"},
        "dismiss_change": {"id": "h999"},
        "config": {},
    }
    assert len(listed) > 8
    for tool in listed:
        assert client.ask(tool["name"], tool["name"], **given.get(tool["name"], {}))
    client.close()


def test_no_trap_goes_off_in_a_repository_with_all_of_them(daemon, env, repository, traps):
    """Each key whose value git runs, each hook, filters of attributes, and every form of answer."""
    traps.lay(repository.path / ".git", urls=("/nowhere",))
    set_off(repository.path)
    use_everything(env, repository.path)
    assert traps.run() == []


def test_the_traps_would_go_off(repository, traps, env):
    """Git itself runs them, where nobody forbids it: else the other tests would say nothing."""
    traps.lay(repository.path / ".git", urls=("/nowhere",))
    set_off(repository.path)
    with_git = {**ENVIRONMENT, "HOME": env["HOME"]}
    for command in (["status"], ["diff"], ["log", "-p", "--ext-diff"], ["fetch", "other"], ["fetch"], ["add", "a.py"]):
        subprocess.run(
            ["git", "-c", "format.pretty=medium", "-c", "diff.orderFile=/dev/null", *command],
            cwd=repository.path,
            capture_output=True,
            check=False,
            env=with_git,
        )
    assert {"core.fsmonitor", "filter.trap.process", "uploadpack-0"} <= set(traps.run())


def test_no_trap_goes_off_by_include_or_in_the_configuration_of_a_worktree(daemon, env, repository, traps, home):
    """Both are as good as the repository's own."""
    git_folder = repository.path / ".git"
    other = home / "other"
    shutil.copytree(git_folder, other)
    traps.lay(other, urls=("/nowhere",))
    configure(git_folder / "config", "include.path", str(other / "config"))
    configure(git_folder / "config", "extensions.worktreeConfig", "true")
    shutil.copy(other / "config", git_folder / "config.worktree")
    configure(git_folder / "config.worktree", "core.bare", "false")
    set_off(repository.path)
    use_everything(env, repository.path)
    assert traps.run() == []


def test_no_trap_goes_off_in_a_submodule_or_beside_it(daemon, env, repository, traps, home):
    """A submodule has a configuration of its own, and so has a repository that lies in the tree untracked."""
    inner = with_history(Repository(home / "inner"))
    repository.git("submodule", "add", "--quiet", str(inner.path), "lib")
    repository.git("commit", "--quiet", "-m", "Add the library")
    nested = with_history(Repository(repository.path / "nested"))
    for place, folder in (("lib", repository.path / ".git/modules/lib"), ("nested", nested.path / ".git")):
        traps.lay(folder, place=f"{place}-", urls=("/nowhere",))
    traps.lay(repository.path / ".git", urls=("/nowhere",))
    for tree in (repository.path, repository.path / "lib", nested.path):
        set_off(tree)
    use_everything(env, repository.path)
    use_everything(env, repository.path / "lib")
    assert traps.run() == []


def test_no_trap_goes_off_in_a_linked_worktree_of_a_bare_repository(daemon, env, repository, traps, home):
    """Its configuration is the bare repository's."""
    repository.git("clone", "--quiet", "--bare", str(repository.path), str(home / "bare.git"))
    command = ["git", "-C", str(home / "bare.git"), "worktree", "add", "--quiet", str(home / "linked")]
    subprocess.run([*command, "feature/ratelimit"], check=True, capture_output=True, env=ENVIRONMENT)
    traps.lay(home / "bare.git", urls=("/nowhere",))
    set_off(home / "linked")
    use_everything(env, home / "linked")
    assert traps.run() == []


def test_no_trap_goes_off_in_a_repository_of_sha256(daemon, env, traps, home):
    """Where names of commits are longer, and that of the empty tree is another."""
    tree = home / "new"
    tree.mkdir()
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256"], cwd=tree, check=True, env=ENVIRONMENT)
    repository = with_history(Repository(tree))
    traps.lay(tree / ".git", urls=("/nowhere",))
    set_off(repository.path)
    use_everything(env, tree)
    assert traps.run() == []


def test_a_bare_repository_among_the_files_of_a_folder_is_none(daemon, env, traps, home, repository):
    """An archive can deliver one at its top; git would take its configuration."""
    folder = home / "unpacked"
    shutil.copytree(repository.path / ".git", folder)
    traps.lay(folder, urls=("/nowhere",))
    (folder / "a.py").write_text(KEEP + RETRY)
    below = folder / "src"
    below.mkdir()
    for broken in (False, True):
        if broken:  # git goes on to the folder itself when `.git` is nothing
            (folder / ".git").mkdir()
        for where in (folder, below):
            agent = Agent(env, where, f"s{broken}{where.name}")
            agent.start()
            agent.write("b.py", OTHER)
            agent.stop()
            agent.end()
            for command in (["context"], ["changes", "import"], ["changes", "check", "--staged"], ["doctor"]):
                subprocess.run([*PALIMP, *command], env=env, cwd=where, capture_output=True, check=False)
    assert traps.run() == []


def test_the_environment_of_a_session_does_not_lead_git_elsewhere(daemon, env, repository, traps, home):
    """A session may run in a hook of git, or be given variables by its folder."""
    other = with_history(Repository(home / "other"))
    traps.lay(other.path / ".git", urls=("/nowhere",))
    trap = traps.program("environment")
    hostile = {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": str(other.path),
        "GIT_EXTERNAL_DIFF": trap,
        "GIT_PAGER": trap,
        "GIT_SSH_COMMAND": trap,
        "GIT_ASKPASS": trap,
        "GIT_EDITOR": trap,
        "GIT_TRACE": str(home / "traps/left/trace"),
        "GIT_TRACE2": str(home / "traps/left/trace2"),
        "GIT_EXEC_PATH": str(home / "traps"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": trap,
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{trap}'",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_NAMESPACE": "none",
        "GIT_LITERAL_PATHSPECS": "1",
        "PAGER": trap,
        "EDITOR": trap,
    }
    use_everything(env, repository.path, staged_env=hostile)
    assert traps.run() == []


def test_the_programs_are_not_looked_for_in_the_folder_itself(repository, traps, env):
    """PATH may hold relative folders, and those are the repository's."""
    (repository.path / "git").symlink_to(traps.program("git"))
    (repository.path / "nice").symlink_to(traps.program("nice"))
    assert git_command.program("git", {"PATH": f".::{os.environ['PATH']}"}) == shutil.which("git")
    environment = git_command.git_environment("/x", {"PATH": f".:/usr/bin::{os.environ['PATH']}"})
    assert all(os.path.isabs(folder) for folder in environment["PATH"].split(":"))  # noqa: PTH117


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a repository away")
def test_a_repository_of_another_user_is_named_as_such(daemon, env, repository):
    """Git refuses it, and its words say what to do; nothing else fails."""
    for folder, _, files in os.walk(repository.path):
        for name in ("", *files):
            os.chown(Path(folder, name), 12345, 12345)
    said = subprocess.run(
        [*PALIMP, "changes", "import"], env=env, cwd=repository.path, capture_output=True, text=True, check=False
    )
    assert "belongs to another user" in said.stdout + said.stderr
    assert "safe.directory" in said.stdout + said.stderr
    staged = subprocess.run(
        [*PALIMP, "changes", "check", "--staged"],
        env=env,
        cwd=repository.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert staged.returncode == 2
    assert "safe.directory" in staged.stderr
    replayed = subprocess.run(
        [*PALIMP, "changes", "replay"], env=env, cwd=repository.path, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in replayed.stderr
    assert "safe.directory" in replayed.stdout + replayed.stderr
    agent = Agent(env, repository.path, "s1")
    agent.start()
    agent.write("c.py", OTHER)
    agent.stop()


def test_forms_are_no_traps():
    """The three lists are about different keys."""
    assert not set(RUN) & set(SET_OFF)
    assert not set(FORMS) & (set(RUN) | set(SET_OFF))
    assert json.dumps(sorted(FORMS))
