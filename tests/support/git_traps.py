"""Traps for git: every way in which a repository can name a program, each of which leaves a file when it is run.

The keys are those whose value git runs, or that bring it to run what another names: read from the configuration
variables in git's documentation (Documentation/config/*.txt of 2.39, *.adoc up to 2.53, gitattributes, githooks,
git-send-email, git-difftool). `test_git_traps` holds the list to what the installed git knows.
"""

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from repositories import ENVIRONMENT, Repository
from retry_helper import KEEP, OTHER, RETRY

RUN: Final[tuple[str, ...]] = (
    "alias.%s",
    "browser.trap.cmd",
    "browser.trap.path",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "core.virtualFilesystem",
    "credential.helper",
    "credential.https://example.org.helper",
    "diff.external",
    "diff.trap.command",
    "diff.trap.textconv",
    "difftool.trap.cmd",
    "difftool.trap.path",
    "filter.trap.clean",
    "filter.trap.process",
    "filter.trap.smudge",
    "gc.recentObjectsHook",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "gpg.x509.program",
    "guitool.trap.cmd",
    "help.browser",
    "hook.trap.command",
    "imap.tunnel",
    "instaweb.browser",
    "instaweb.httpd",
    "interactive.diffFilter",
    "man.trap.cmd",
    "man.trap.path",
    "man.viewer",
    "merge.trap.driver",
    "mergetool.trap.cmd",
    "mergetool.trap.path",
    "pager.%s",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "sendemail.ccCmd",
    "sendemail.headerCmd",
    "sendemail.sendmailCmd",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sequence.editor",
    "submodule.trap.update",
    "tar.trap.command",
    "trailer.trap.cmd",
    "trailer.trap.command",
    "uploadpack.packObjectsHook",
    "web.browser",
)
"""Keys that name a program. `%s` stands for each command of git that palimp uses."""

SET_OFF: Final[Mapping[str, str]] = {
    "core.fsmonitorHookVersion": "2",
    "core.preloadIndex": "true",
    "core.untrackedCache": "true",
    "diff.autoRefreshIndex": "true",
    "diff.guitool": "trap",
    "diff.ignoreSubmodules": "none",
    "diff.submodule": "log",
    "diff.tool": "trap",
    "fetch.recurseSubmodules": "true",
    "gpg.format": "openpgp",
    "hook.trap.event": "post-index-change",
    "log.showSignature": "true",
    "merge.guitool": "trap",
    "merge.tool": "trap",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "trailer.trap.key": "Trap",
}
"""Keys that bring git to run what others name."""

FORMS: Final[Mapping[str, str]] = {
    "color.branch": "always",
    "color.decorate": "always",
    "color.diff": "always",
    "color.status": "always",
    "color.ui": "always",
    "core.abbrev": "4",
    "core.quotePath": "true",
    "diff.algorithm": "patience",
    "diff.colorMoved": "zebra",
    "diff.context": "9",
    "diff.dirstat": "lines",
    "diff.interHunkContext": "50",
    "diff.mnemonicPrefix": "true",
    "diff.noPrefix": "true",
    "diff.orderFile": "no-such-file",
    "diff.relative": "true",
    "diff.renames": "copies",
    "diff.suppressBlankEmpty": "true",
    "diff.wordRegex": ".",
    "diff.wsErrorHighlight": "all",
    "format.pretty": "no-such-format",
    "grep.lineNumber": "true",
    "i18n.logOutputEncoding": "UTF-16",
    "log.abbrevCommit": "true",
    "log.date": "format:%%",
    "log.decorate": "full",
    "log.diffMerges": "combined",
    "log.excludeDecoration": "refs/heads/*",
    "log.follow": "true",
    "log.mailmap": "true",
    "log.showRoot": "false",
    "notes.displayRef": "refs/notes/*",
    "status.branch": "true",
    "status.relativePaths": "true",
    "status.short": "true",
    "status.showUntrackedFiles": "no",
    "ui.column": "always",
}
"""Keys that change the form of an answer, or make git refuse one."""

USED: Final = (
    *("blame", "cat-file", "config", "diff", "diff-files", "diff-index", "diff-tree", "grep", "log", "ls-files"),
    *("ls-tree", "merge-base", "rev-list", "rev-parse"),
)
"""Commands that palimp uses, or did."""

HOOKS: Final = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"),
    *("commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"),
    *("proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc"),
    *("post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change", "query-watchman"),
)

ATTRIBUTES: Final = "* filter=trap diff=trap merge=trap\n"


class Traps:
    """Programs that leave a file when they are run, and repositories that name them."""

    def __init__(self, folder: Path) -> None:
        self._programs = folder / "programs"
        self._left = folder / "left"
        self._programs.mkdir(parents=True)
        self._left.mkdir()

    def program(self, name: str) -> str:
        """Return the path of a program that leaves a file called *name*, passes its input on and fails."""
        safe = name.replace("/", "_").replace(":", "_")
        path = self._programs / safe
        path.write_text(f"#!/bin/sh\n: >> {self._left / safe}\nexit 1\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run(self) -> list[str]:
        """Return the traps that were run."""
        return sorted(path.name for path in self._left.iterdir())

    def lay(self, git_folder: Path, *, place: str = "", urls: tuple[str, ...] = ()) -> None:
        """Lay every trap in the repository *git_folder*; *urls* are those of its remotes."""
        settings = dict(SET_OFF | FORMS)
        for key in RUN:
            for command in USED if "%s" in key else ("",):
                name = key.replace("%s", command)
                prefix = "!" if key.startswith(("alias.", "submodule.", "credential.")) else ""
                settings[name] = prefix + self.program(f"{place}{name}")
        settings["diff.external"] = self.program(f"{place}diff.external")
        settings["remote.origin.promisor"] = "true"
        for name, value in settings.items():
            configure(git_folder / "config", name, value)
        for number, url in enumerate(urls):
            name = "origin" if not number else f"other{number}"
            for key, value in {
                "url": url.replace("TRAP", self.program(f"{place}url-{number}")),
                "promisor": "true",
                "partialclonefilter": "blob:none",
                "uploadpack": self.program(f"{place}uploadpack-{number}"),
                "vcs": "",
                "proxy": "",
            }.items():
                if value:
                    configure(git_folder / "config", f"remote.{name}.{key}", value)
        for hook in HOOKS:
            path = git_folder / "hooks" / hook
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)
            path.symlink_to(self.program(f"{place}hook-{hook}"))
        info = git_folder / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(ATTRIBUTES)


def configure(file: Path, key: str, value: str) -> None:
    """Set *key* in a file of git's configuration, without git looking into the repository."""
    command = ["git", "config", "--file", str(file), "--replace-all", key, value]
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT, cwd="/")


def with_history(repository: Repository) -> Repository:
    """Commit to *repository*, on a branch with a telling name, what a last commit takes out again."""
    repository.commit("first", a_py=KEEP + RETRY, b_py="start()\n", d__c_py=OTHER)
    repository.git("checkout", "--quiet", "-b", "feature/ratelimit")
    repository.commit("Drop the retry helper", a_py=KEEP)
    return repository


def set_off(repository: Path) -> None:
    """Bring the index out of step with the files, so that git would look at each of them."""
    (repository / ".gitattributes").write_text(ATTRIBUTES)
    for name in ("a.py", "b.py"):
        (repository / name).write_text((repository / name).read_text() + "\n")
        os.utime(repository / name, (1, 1))
