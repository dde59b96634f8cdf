"""Promise: a project without notes of Claude Code's waits no longer because of them, and one with many hardly.

    python benchmarks/claude_memory.py [--memories 10000] [--notes 50]

Three daemons have the same memories, and the same home folder but for its notes: one has notes switched off, one has
none of the project, one has many. All are asked by turns over their sockets. Below stands what the first question
takes, which reads all notes, and one after a note was changed. The words are made up, which is the worst case: each
that no note has may be a misspelled one, where most English words are known to be none.
Aims: without notes 1.05 times at p50; with them 2.5 times.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec
from measuring import daemon_in, percentile, print_table, progress
from scale import fill
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path
from palimp_protocol.env.project_slugs import slug_of
from palimp_protocol.messages.caller import Caller, ProjectRef

CALLS, WARM = 400, 40
CHANGES = 30
NOTE_WORDS = 120
"""Words of a note: some 1 kB. Claude Code keeps one below 4 kB."""

KINDS: Final = ("switched off", "none there", "many")
AIMS: Final = {"none there": 1.05, "many": 2.5}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--notes", type=int, default=50)
    arguments = parser.parse_args()
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder, ExitStack() as stack:
        root = Path(folder) / "shop"
        root.mkdir()
        project = ProjectRef(str(root), root.name, str(root))
        fill(Path(folder) / "palimp.db", arguments.memories, words, project=project)
        sessions: dict[str, Session] = {}
        for kind in KINDS:
            home = Path(folder) / kind.replace(" ", "-")
            (home / "state").mkdir(parents=True)
            shutil.copy(Path(folder) / "palimp.db", home / "state")
            if kind == "many":
                _write_notes(home, root, arguments.notes, words)
            switch = "off" if kind == "switched off" else "on"
            env = stack.enter_context(
                daemon_in(home, PALIMP_RECALL_CLAUDE_MEMORY=switch, PALIMP_CONVERSATIONS_KEEP="off")
            )
            sessions[kind] = Session(Path(socket_path(env, user_id=os.getuid())), msgspec.to_builtins(Caller(project)))
        first = _timed(lambda: sessions["many"].call("recall", query=words.question()))
        times = _by_turns(sessions, words)
        changed = _after_changes(sessions["many"], Path(folder) / "many", root, words)
    rows = [
        [kind, f"p{share * 100:.0f}", f"{took * 1000:.2f} ms", f"{took / alone:.2f}", str(AIMS.get(kind, ""))]
        for share in (0.5, 0.95)
        for alone in [percentile(times[KINDS[0]], share)]
        for kind in KINDS
        for took in [percentile(times[kind], share)]
    ]
    print_table(
        f"recall among {arguments.memories:,} memories, beside {arguments.notes:,} notes of Claude Code's",
        ["notes", "", "recall", "times", "aim"],
        rows,
        [
            f"the first question, which reads all notes: {first * 1000:.0f} ms",
            f"a question after a note was changed, p50: {percentile(changed, 0.5) * 1000:.1f} ms",
        ],
    )


def _write_notes(home: Path, root: Path, count: int, words: Words) -> None:
    folder = home / ".claude" / "projects" / slug_of(str(root))
    (folder / "memory").mkdir(parents=True)
    (folder / "s1.jsonl").write_text(json.dumps({"type": "user", "cwd": str(root)}) + "\n")
    for number in range(count):
        _write_note(folder / "memory" / f"note-{number}.md", words)


def _write_note(file: Path, words: Words) -> None:
    front = f"name: {file.stem}\ndescription: {words.text(12)}\nmetadata:\n  node_type: memory\n  type: project\n"
    file.write_text(f"---\n{front}---\n\n{words.text(NOTE_WORDS)}\n")


def _by_turns(sessions: dict[str, Session], words: Words) -> dict[str, list[float]]:
    """Return the seconds that each of *sessions* took for the same questions, without the first ones."""
    makers = (words.common_words, words.query, words.rare_words, words.one_identifier, words.question)
    times: dict[str, list[float]] = {kind: [] for kind in sessions}
    for number in progress(range(CALLS + WARM), "recalls"):
        query = makers[number % len(makers)]()
        for kind in KINDS[:: 1 if number % 2 else -1]:
            times[kind].append(_timed(lambda kind=kind, query=query: sessions[kind].call("recall", query=query)))
    return {kind: each[WARM:] for kind, each in times.items()}


def _after_changes(session: Session, home: Path, root: Path, words: Words) -> list[float]:
    """Return the seconds of questions that find a note changed."""
    file = home / ".claude" / "projects" / slug_of(str(root)) / "memory" / "note-0.md"
    took: list[float] = []
    for _ in range(CHANGES):
        _write_note(file, words)
        took.append(_timed(lambda: session.call("recall", query=words.question())))
    return took


def _timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
