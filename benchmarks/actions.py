"""Promise: before an agent acts it is told what memories say of that file or command; where nothing applies, nothing.

    python benchmarks/actions.py [--misses] [--foreign DATA_FOLDER] [--history GIT_BUNDLE] [--chats CHATS.json]

120 labelled actions of six invented projects (`benchmarks/actions/`), written before any rule; *seen* chose the rules,
*aside* decided nothing. Each is asked in a session of its own. *brought*: of the actions to which something applies,
how many are told one of the memories that apply (or what worked when the command failed before). *silent*: of those to
which nothing applies, how many are told nothing.

With DATA_FOLDER (projects as in benchmarks/truth), sessions in which nothing applies are replayed against each
project's memories: the labelled actions of all six projects; with GIT_BUNDLE, each of its newest commits as a session
that reads and edits the commit's files, tests and looks at them; with CHATS.json, each chat as one that reads and edits
the files that it names. Commands that any project may have rules about (commit, push, deploy, publish, migrate,
install) are left out there: they are nobody's. `--misses` shows what went wrong in *seen* and in the replays.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measuring import print_table
from retrieval import NOW_MS, number_of, read_lines

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.acting import as_told, known_before, note_told
from palimp_daemon.features.sessions.actions import action_of
from palimp_daemon.features.sessions.command_failures import failure_of, remedies
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.sessions.failed_commands import FailedCommand, keep_failure
from palimp_daemon.text.command_kinds import kinds_of
from palimp_daemon.text.named_subjects import subjects_of
from palimp_daemon.text.shell_commands import commands_in
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

HERE = Path(__file__).parent / "actions"
KINDS = {"fact": "note", "todo": "note"}
COMMITS = 300
LOOKING = ("git status --short", "git diff --stat", "python -m pytest tests -q", "grep -rn TODO . | head", "ls -la")


class Action(NamedTuple):
    """A tool call."""

    tool: str
    input: dict[str, Any]


class Labelled(NamedTuple):
    """An action, and the ids of what is to be told with it, and of what may be."""

    action: Action
    wanted: Sequence[str]
    may: Sequence[str]


class Project:
    """A project with its memories in a store of its own."""

    def __init__(self, folder: Path, root: str, store: Store) -> None:
        self.root, self.store = root, store
        self.names: dict[int, str] = {}
        context = RequestContext(store, self._caller("earlier"), NOW_MS, iter(range(1 << 20)).__next__)
        shown: dict[str, str] = {}
        lines = read_lines(folder / "memories.jsonl")
        for line in lines:
            older = [shown[each["id"]] for each in lines if each.get("replaced_by") == line["id"]]
            kind: Any = KINDS.get(line["kind"], line["kind"])
            saved = save_memory(context, SaveMemory(text=line["text"], kind=kind, replaces=older))
            shown[line["id"]] = saved.id
            self.names[number_of(store, saved.id)] = line["id"]
        self.failures: dict[int, str] = {}
        if (folder / "failures.jsonl").exists():
            self._fail(read_lines(folder / "failures.jsonl"))

    def _caller(self, session: str) -> Caller:
        return Caller(ProjectRef(self.root, "project"), SessionRef(session, "benchmark"))

    def _fail(self, lines: Sequence[dict[str, Any]]) -> None:
        """Let an earlier session run what failed, and what worked then."""
        project = ensure_project(self.store, self._caller("earlier"), NOW_MS)
        session = ensure_session(self.store, self._caller("earlier"), project, NOW_MS)
        for line in lines:
            failure = failure_of(line["failed"], line["error"], str)
            for learned in remedies([failure] if failure else [], line["worked"]):
                keep_failure(
                    self.store,
                    project,
                    FailedCommand(0, learned.name, learned.failed, learned.error, learned.worked, NOW_MS, session),
                )
                self.failures[self.store.connection.last_insert_rowid()] = line["id"]

    def told(self, action: Action, session: str) -> list[str]:
        """Return what *session* is told before *action*."""
        found = action_of(action.tool, action.input, [self.root])
        if found is None:
            return []
        caller = self._caller(session)
        known = known_before(caller, found, NOW_MS, None, (), self.store)
        told = as_told(known)
        if told is None:
            return []
        note_told(caller, told, NOW_MS, self.store)
        failed = [self.failures.get(told.failure, "?")] if told.failure else []
        return [*failed, *(self.names[seq] for seq, _ in told.memories)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--foreign", type=Path)
    parser.add_argument("--history", type=Path)
    parser.add_argument("--chats", type=Path)
    options = parser.parse_args()
    rows = [_scored(half, shows_misses=options.misses and half == "seen") for half in ("seen", "aside")]
    print_table(
        "What is told before actions", ["half", "apply", "brought", "none", "silent", "told", "foreign"], rows, []
    )
    if options.foreign:
        streams = {"the labelled actions of all projects": list(labelled_streams())}
        if options.history:
            streams["commits of another project"] = list(_of_commits(options.history))
        if options.chats:
            streams["chats about another project"] = list(chat_streams(options.chats))
        found = [_replayed(name, each, options.foreign, shows=options.misses) for name, each in streams.items()]
        print_table("Where nothing applies", ["sessions", "projects", "actions", "silent"], found, [])


def _store(folder: str) -> Store:
    return open_store(Path(folder) / "palimp.db", "auto")


def _scored(half: str, *, shows_misses: bool) -> tuple[str, ...]:
    counts = dict.fromkeys(("apply", "brought", "none", "silent", "told", "foreign"), 0)
    for folder in sorted((HERE / half).iterdir()):
        labelled = [_labelled(line) for line in read_lines(folder / "actions.jsonl")]
        root = read_lines(folder / "actions.jsonl")[0]["root"]
        with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
            project = Project(folder, root, _store(temporary))
            for number, each in enumerate(labelled):
                told = project.told(each.action, f"s{number}")
                foreign = [name for name in told if name not in (*each.wanted, *each.may)]
                is_right = bool({*told} & {*each.wanted}) if each.wanted else not foreign
                counts["apply" if each.wanted else "none"] += 1
                counts["brought" if each.wanted else "silent"] += is_right
                counts["told"] += len(told)
                counts["foreign"] += len(foreign)
                if shows_misses and not is_right:
                    print(f"{each.action} wants {[*each.wanted]}, is told {told}")
            project.store.connection.close()
    return (half, *map(str, counts.values()))


def _labelled(line: dict[str, Any]) -> Labelled:
    return Labelled(Action(line["tool_name"], line["tool_input"]), line["wanted"], line.get("may", []))


def _replayed(name: str, sessions: Sequence[list[Action]], data: Path, *, shows: bool) -> tuple[str, ...]:
    """Replay *sessions* against the memories of each project of *data*."""
    actions = silent = projects = 0
    for folder in sorted(each.parent for each in data.glob("*/memories.jsonl")):
        projects += 1
        with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
            project = Project(folder, "/work/foreign", _store(temporary))
            for number, session in enumerate(sessions):
                for action in session:
                    told = project.told(action, f"s{number}")
                    actions += 1
                    silent += not told
                    if shows and told:
                        print(f"{folder.name}: {action} is told {told}")
            project.store.connection.close()
    return (
        f"{len(sessions)}: {name}",
        f"{projects}",
        f"{actions}",
        f"{silent} ({100 * silent / max(1, actions):.2f} %)",
    )


def _is_nobodys(action: Action) -> bool:
    """Tell whether *action* is one that any project may have rules about."""
    return action.tool == "Bash" and any(kinds_of(each) for each in commands_in(action.input["command"]))


def labelled_streams() -> Iterator[list[Action]]:
    """Yield the labelled actions of each project as a session, without those that any project has rules about."""
    for path in sorted(HERE.glob("*/*/actions.jsonl")):
        lines = read_lines(path)
        root = lines[0]["root"]
        moved = [json.loads(json.dumps(line).replace(root, "/work/foreign")) for line in lines]
        yield [action for line in moved if not _is_nobodys(action := _labelled(line).action)]


def _touching(files: Sequence[str]) -> list[Action]:
    found: list[Action] = []
    for file in files:
        path = f"/work/foreign/{file}"
        found += [
            Action("Read", {"file_path": path}),
            Action("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}),
        ]
    return [*found, *(Action("Bash", {"command": line}) for line in LOOKING)]


def _of_commits(bundle: Path) -> Iterator[list[Action]]:
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        subprocess.run(["git", "clone", "-q", "--bare", str(bundle), temporary], check=True, capture_output=True)
        log = ["git", "-C", temporary, "log", f"-{COMMITS}", "--no-merges", "--name-only", "--format=%x00"]
        said = subprocess.run(log, check=True, capture_output=True, text=True).stdout
    for commit in said.split("\0"):
        if files := commit.split():
            yield _touching(files[:8])


def chat_streams(path: Path) -> Iterator[list[Action]]:
    """Yield each chat of the file *path* as a session that reads and edits the files that it names."""
    for chat in json.loads(path.read_text()):
        text = "\n".join(turn["text"] for turn in chat["turns"])
        named = list(dict.fromkeys(each for turn in text.split("\n") for each in subjects_of(turn).paths))
        yield _touching([each.strip("/") for each in named[:8] if "*" not in each])


if __name__ == "__main__":
    main()
