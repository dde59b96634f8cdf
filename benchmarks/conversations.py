"""Promise: reading what clients wrote before palimp was there costs little more than reading it, and disturbs nobody.

    python benchmarks/conversations.py FOLDER [--memories 10000]

FOLDER is what `make_transcripts.py` made (CLAUDE_CONFIG_DIR). Prints what reading, taking apart and redacting the
sessions takes alone, and what a daemon takes to read and index them, beside each other in one run; how much memory the
daemon takes more by it; and recall's p50 and p95 among memories before and meanwhile. Aims: three times as long as
reading alone, 300 MB more, p95 three times.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from measuring import percentile, print_table, running_daemon
from read_transcripts import turns_of_session
from scale import fill
from synthetic import Session, Words

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcripts.clients import CLIENTS
from palimp_protocol.env.paths import socket_path

CLIENT = "claude-code"
QUESTIONS = 200
LOOK_S = 0.05


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memories", type=int, default=10_000)
    options = parser.parse_args()
    os.environ["CLAUDE_CONFIG_DIR"] = str(options.folder)
    files = list(CLIENTS[CLIENT].session_files(Path.home(), {"CLAUDE_CONFIG_DIR": str(options.folder)}))
    megabytes = sum(file.size for file in files) / 1e6
    began = time.perf_counter()
    turns = sum(turns_of_session(CLIENTS[CLIENT], file, Redactor())[0] for file in files)
    alone_s = time.perf_counter() - began
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, options.memories, words)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            before = [_asked(session, words) for _ in range(QUESTIONS)]
            pid = session.call("health")["pid"]
            resident = _resident_mb(pid)
            began, during = time.perf_counter(), list[float]()
            status = session.call("conversations", read=True)
            while status["is_reading"]:
                during.append(_asked(session, words))
                time.sleep(LOOK_S)
                status = session.call("conversations")
            indexed_s = time.perf_counter() - began
            more = _resident_mb(pid, "VmHWM") - resident
    print_table(
        f"{len(files):,} sessions of {megabytes:,.0f} MB, {turns:,} turns; {status['size'] / 1e6:,.0f} MB of database",
        ["", "alone or before", "in the daemon, or meanwhile", "times", "aim"],
        [
            ("seconds", f"{alone_s:.1f}", f"{indexed_s:.1f}", f"{indexed_s / alone_s:.2f}", "3"),
            ("resident", f"{resident:.0f} MB", f"{more:.0f} MB more", "", "300 MB"),
            *(
                (
                    f"recall p{part * 100:.0f}",
                    f"{percentile(before, part) * 1000:.2f} ms",
                    f"{percentile(during, part) * 1000:.2f} ms",
                    f"{percentile(during, part) / percentile(before, part):.2f}",
                    "3" if part > 0.5 else "",
                )
                for part in (0.5, 0.95)
            ),
        ],
        [f"{status['turns']:,} turns of {status['sessions']:,} sessions are kept"],
    )


def _asked(session: Session, words: Words) -> float:
    query = words.query()
    began = time.perf_counter()
    session.call("recall", query=query)
    return time.perf_counter() - began


def _resident_mb(pid: int, field: str = "VmRSS") -> float:
    """Return what the daemon *pid* has in memory, or had at most (VmHWM)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith(field)).split()[1]) / 1024


if __name__ == "__main__":
    main()
