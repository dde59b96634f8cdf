"""Promise: hooks cost little, and a session's context is there in time, however much is known.

    python benchmarks/hooks.py [--memories 100000] [--files 50000]
    python benchmarks/hooks.py --client claude     an edit's hook in the real Claude Code: a call beside a command

Three tables. The first sets a whole hook process, from exec to exit, beside a bare Python and a bare Node.js, all in
turn in one run; memory is the largest resident size of the process. The second runs the hooks of a session's start and
of a prompt in a repository of many files, beside a daemon that knows many memories of it. The third sets a session's
recalls beside a storm of hook processes beside those of a quiet hour.
Aims: a hook at most 60 ms and 18 MB; the context at most 100 ms at p95, with git.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measuring import percentile, print_table, progress, running_daemon
from scale import fill
from synthetic import CALLER, Session, Words

from palimp_daemon.store.opening import open_store
from palimp_protocol.env.paths import socket_path

ROUNDS = 40
STORM, AT_ONCE, RECALLS = 500, 16, 300
REST_LOOKS = 6
"""Tenths of a second in which a daemon that rests uses no time: what it does later begins within 0.3 s."""
HOOK = str(Path(sys.executable).with_name("palimp"))
LAUNCHER = """
import os, sys, time
null = os.open(os.devnull, os.O_WRONLY)
started = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
usage = os.wait4(pid, 0)[2]
print(time.perf_counter() - started, usage.ru_maxrss, file=sys.stderr)
"""
"""Starts a process from a small one: the kernel counts the size of who starts a process as the process's own."""

NODE = Path(__file__).parents[1] / ".cache" / "node" / "node_modules" / ".bin" / "node"
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--client", choices=["claude"])
    arguments = parser.parse_args()
    if arguments.client:
        import client_hooks  # noqa: PLC0415  it needs more than the benchmarks

        client_hooks.compare()
        return
    _starts()
    _contexts(arguments.memories, arguments.files)
    _storm()


def _starts() -> None:
    node = shutil.which("node") or (str(NODE) if NODE.exists() else None)
    commands: dict[str, Sequence[str]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        **({"node -e 0": [node, "-e", "0"]} if node else {}),
        "palimp hook PreToolUse": [HOOK, "hook", "PreToolUse"],
        "palimp hook UserPromptSubmit": [HOOK, "hook", "UserPromptSubmit"],
        "palimp hook PostToolUse": [HOOK, "hook", "PostToolUse"],
    }
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with running_daemon() as env, tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        for number in progress(range(ROUNDS + 2), "processes in turn"):
            for name, command in commands.items():
                took[name].append(_process(command, env, folder, number))
    bare = percentile([seconds for seconds, _ in took["python -c pass"][2:]], 0.5)
    rows = [_start_row(name, pairs[2:], bare) for name, pairs in took.items()]
    print_table(
        "A whole process, from exec to exit (hooks beside a warm daemon)",
        ["process", "p50", "p95", "of bare Python", "memory"],
        rows,
        ["aims: 60 ms, 18 MB", *([] if node else ["no node was found; `make client` installs one"])],
    )


def _start_row(name: str, pairs: Sequence[tuple[float, float]], bare: float) -> tuple[str, ...]:
    seconds, sizes = [each for each, _ in pairs], [size for _, size in pairs]
    middle = percentile(seconds, 0.5)
    times = (f"{middle * 1000:.0f} ms", f"{percentile(seconds, 0.95) * 1000:.0f} ms", f"{middle / bare:.1f}")
    return (name, *times, f"{percentile(sizes, 0.5):.1f} MB")


def _process(command: Sequence[str], env: Mapping[str, str], folder: str, number: int) -> tuple[float, float]:
    """Run *command* as the client runs a hook; return its seconds and its largest resident size in MB."""
    given = {
        "file_path": f"{folder}/a{number}.py",
        "old_string": f"gone_{number}(now)",
        "new_string": f"new_{number}()",
    }
    told = {
        "session_id": "bench", "cwd": folder, "tool_name": "Edit", "tool_input": given,
        "prompt": "How is the ledger exported?", "transcript_path": "",
    }  # fmt: skip
    with tempfile.TemporaryFile() as stdin:
        stdin.write(json.dumps(told).encode())
        stdin.seek(0)
        launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, shutil.which(command[0]) or command[0], *command[1:]]
        done = subprocess.run(launch, env=dict(env), stdin=stdin, check=True, capture_output=True)
    seconds, kilobytes = done.stderr.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


def _contexts(memories: int, files: int) -> None:
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        root, database = Path(folder, "repository"), Path(folder, "palimp.db")
        words = Words(1)
        make_repository(root, files, words)
        fill(database, memories, words)
        store = open_store(database, "auto")
        assert CALLER.project
        store.connection.execute("UPDATE projects SET root = ? WHERE root = ?", (str(root), CALLER.project.root))
        kinds = "CASE WHEN seq % 100 = 0 THEN 'decision' WHEN seq % 400 = 1 THEN 'summary' ELSE kind END"
        store.connection.execute(f"UPDATE memories SET kind = {kinds}")
        store.connection.close()
        rows: list[tuple[str, ...]] = []
        with running_daemon(database) as env:
            health = subprocess.run([HOOK, "health", "--json"], env=env, check=True, capture_output=True).stdout
            pid: int = json.loads(health)["pid"]
            for event in ("SessionStart", "UserPromptSubmit"):
                prompts = [words.question() for _ in range(ROUNDS + 3)]
                runs: list[tuple[float, int]] = []
                for number in progress(range(ROUNDS + 3), event):
                    let_rest(pid)
                    runs.append(_hook(event, env, root, number, prompts[number]))
                took, sizes = [each for each, _ in runs[3:]], [size for _, size in runs[3:]]
                answered = sum(size > 0 for size in sizes)
                rows.append(
                    (
                        event,
                        f"{percentile(took, 0.5) * 1000:.0f} ms",
                        f"{percentile(took, 0.95) * 1000:.0f} ms",
                        f"{answered} of {len(sizes)}",
                        f"{percentile([float(size) for size in sizes], 0.5):,.0f}",
                    )
                )
    print_table(
        f"What a session is given, with {memories:,} memories and {files:,} files",
        ["hook", "p50", "p95", "said something", "characters"],
        rows,
        ["a whole hook, from exec to exit, with a warm daemon and git; the aim is 100 ms at p95"],
    )


def make_repository(root: Path, files: int, words: Words) -> None:
    """Make a repository with a few commits of *files* files."""
    subprocess.run(["git", "init", "--quiet", root], check=True)
    for number in progress(range(files), "files"):
        file = root / f"part{number % 200}" / f"file{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"value_{number} = {number}\n")
    for number in range(12):
        (root / "part0" / f"recent{number}.py").write_text(f"{words.one_identifier()}\n")
        subprocess.run([*GIT, "-C", root, "add", "--all"], check=True)
        subprocess.run([*GIT, "-C", root, "commit", "--quiet", "-m", words.query(5)], check=True)
    (root / "part1" / "changed.py").write_text("changed = True\n")


def _hook(event: str, env: Mapping[str, str], root: Path, number: int, prompt: str) -> tuple[float, int]:
    """Run a hook of a session of its own (of one session for prompts); return its seconds and what it said."""
    session = f"bench{number}" if event == "SessionStart" else "bench0"
    told = {"session_id": session, "cwd": str(root), "source": "startup", "prompt": prompt}
    started = time.perf_counter()
    done = subprocess.run(
        [HOOK, "hook", event], input=json.dumps(told).encode(), env=dict(env), check=True, capture_output=True
    )
    return time.perf_counter() - started, len(done.stdout)


def _storm() -> None:
    """Recall while nothing happens, then while STORM hook processes run, AT_ONCE at a time."""
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder, "palimp.db")
        fill(database, 1_000, words)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            quiet = [_recall_s(session, words.query()) for _ in range(RECALLS)]
            storm = threading.Thread(target=_run_storm, args=(env, folder))
            storm.start()
            stormy: list[float] = []
            while storm.is_alive():
                stormy.append(_recall_s(session, words.query()))
    rows = [
        (name, str(len(took)), *(f"{percentile(took, share) * 1000:.1f} ms" for share in (0.5, 0.95, 0.99)))
        for name, took in (("nothing", quiet), (f"{STORM} hooks, {AT_ONCE} at once", stormy))
    ]
    print_table(
        "Recalls of a session beside a storm of hooks",
        ["beside", "recalls", "p50", "p95", "p99"],
        rows,
        ["all on the same cores: most of it is processes waiting for their turn"],
    )


def _recall_s(session: Session, query: str) -> float:
    started = time.perf_counter()
    session.call("recall", query=query)
    return time.perf_counter() - started


def _run_storm(env: Mapping[str, str], folder: str) -> None:
    def edit(number: int) -> None:
        given = {"file_path": f"{folder}/f{number}.py", "old_string": f"gone_{number}(now)", "new_string": ""}
        told = json.dumps({"session_id": "storm", "cwd": folder, "tool_name": "Edit", "tool_input": given})
        command = [HOOK, "hook", "PostToolUse"]
        subprocess.run(command, input=told.encode(), env=dict(env), check=True, stdout=subprocess.DEVNULL)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(edit, range(STORM)))


def let_rest(pid: int) -> None:
    """Return when the daemon has done what the start of a session made it do: sessions start minutes apart."""
    before, looks = -1, 0
    while looks < REST_LOOKS:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used = sum(map(int, fields[11:15]))  # its own and its children's, as they end
        looks = looks + 1 if used == before else 0
        before = used
        time.sleep(0.1)


if __name__ == "__main__":
    main()
