"""Replay a repository's history, and count palimp's warnings: `palimp changes replay`.

A commit's added hunks are checked in a temporary store against earlier removals. Prints JSON lines: progress, then the
result.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from palimp_daemon.codediff.diff import Hunk, takes_out, without_moves
from palimp_daemon.codediff.fingerprint import feature
from palimp_daemon.codediff.normalize import code_lines, definitions, is_significant, key_of
from palimp_daemon.git import GitError
from palimp_daemon.git.git_log import Commit, History, reason_of
from palimp_daemon.git.git_repository import count_commits, head_of
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.removed_code.reintroduced import Reintroduction, returning
from palimp_protocol.limits import IMPORT_COMMITS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef

PROGRESS_COMMITS: Final = 20
"""Commits between two progress lines."""

SHOWN_MAX: Final = 500


class Alert(NamedTuple):
    """A commit's hunk with a warning."""

    commit: str
    path: str
    removed_in: str
    removed_from: str
    identical: int
    share: float
    first: str


class Replay:
    """A replay's removed hunks, and the lines of the tree."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._project = ensure_project(store, Caller(ProjectRef("/replay", "replay")), 0)
        self._live: Counter[int] = Counter()
        self.added = 0
        self.warned = 0
        self.noted = 0
        self.alerts: list[Alert] = []

    def step(self, commit: Commit, *, is_checked: bool) -> None:
        """Check *commit*'s added hunks, then learn its removed ones."""
        for hunk in commit.hunks if is_checked else ():
            if any(is_significant(line) for line in hunk.added):
                self.added += 1
                self._check(commit, hunk)
        removed = [hunk for hunk in without_moves(commit.hunks) if takes_out(hunk)]
        if removed:
            self._store.connection.execute("BEGIN")
            change = Change(reason_of(commit.message), commit.at, "git", commit.sha)
            insert_change(self._store, self._project, change, removed)
            self._store.connection.execute("COMMIT")
        for hunk in commit.hunks:
            self._live.subtract(_hashes(hunk.removed))
            self._live.update(_hashes(hunk.added))

    def _check(self, commit: Commit, hunk: Hunk) -> None:
        lines = code_lines(hunk.added)
        dead = [line for line in lines if self._live[feature("L", key_of(line))] <= 0]
        names = {name for line in lines for name in definitions(line) if self._live[feature("D", name)] > 0}
        if not any(is_significant(line) for line in dead):
            return
        found = returning(self._store, self._project, hunk.path, dead, names)
        if found and found[0].level == "warn":
            self.warned += 1
            if len(self.alerts) < SHOWN_MAX:
                self.alerts.append(_alert(commit, hunk, found[0]))
        elif found:
            self.noted += 1


def _alert(commit: Commit, hunk: Hunk, found: Reintroduction) -> Alert:
    telling = next((line for line in found.same_lines if is_significant(line)), "")
    return Alert(
        commit.sha[:12],
        hunk.path,
        found.hunk.commit[:12],
        found.hunk.path,
        found.evidence.identical,
        round(found.evidence.of_old, 2),
        telling.strip()[:100],
    )


def _hashes(lines: Iterable[str]) -> Iterator[int]:
    for line in lines:
        if key := key_of(line):
            yield feature("L", key)
            yield from (feature("D", name) for name in definitions(line))


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay the repository in *arguments*; print JSON lines."""
    parser = argparse.ArgumentParser(prog="palimp_daemon.features.removed_code.history_replay")
    parser.add_argument("repository", type=Path)
    parser.add_argument("--last", type=int, default=0, help="check only the last N commits; 0: all")
    options = parser.parse_args(arguments)
    done, total, problem = 0, 0, ""
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(open_store(Path(folder) / "replay.db", "auto"))
        try:
            head = head_of(options.repository)
            total = count_commits(options.repository, [head], IMPORT_COMMITS_MAX) if head else 0
            if head:
                done, problem = _replay_commits(replay, options.repository, head, total, options.last)
        except GitError as error:
            problem = str(error)
    _say(
        {
            "commits": done,
            "total": total,
            "problem": problem,
            "added_hunks": replay.added,
            "warned": replay.warned,
            "noted": replay.noted,
            "alerts": [alert._asdict() for alert in replay.alerts],
        }
    )
    return 0


def _replay_commits(replay: Replay, repository: Path, head: str, total: int, last: int) -> tuple[int, str]:
    """Check the *last* of *total* commits (0: all); return (number replayed, git's problem).

    Raises:
        GitError: git cannot be run.
    """
    done = 0
    with History(repository, [head], IMPORT_COMMITS_MAX, oldest_first=True) as history:
        for done, commit in enumerate(history, 1):
            replay.step(commit, is_checked=not last or done > total - last)
            if done % PROGRESS_COMMITS == 0:
                _say({"commits": done, "total": total})
    return done, history.problem


def _say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
