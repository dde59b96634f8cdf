"""Promise: reading what clients wrote before palimp was there costs little more than reading it, and disturbs nobody.

    python benchmarks/conversations.py FOLDER [--memories 10000]

FOLDER is what `make_transcripts.py` made (CLAUDE_CONFIG_DIR). Prints what reading, taking apart and redacting the
sessions takes alone, and what a daemon takes to read and index them, beside each other in one run; how much memory the
daemon takes more by it; and recall's p50 and p95 among memories before and meanwhile, once the examination of the
database after the start is over. Aims: three times as long as reading alone, 300 MB more, p95 three times.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from measuring import percentile, print_table, running_daemon
from read_transcripts import turns_of_session
from scale import fill
from synthetic import Session, Words

from palimp_clients.transcript_readers import CLIENTS
from palimp_daemon.text.redact import Redactor
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
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        measured = _measured(Path(folder) / "palimp.db", options.memories)
    status = measured.status
    print_table(
        f"{len(files):,} sessions of {megabytes:,.0f} MB, {turns:,} turns; {status['size'] / 1e6:,.0f} MB of database",
        ["", "alone or before", "in the daemon, or meanwhile", "times", "aim"],
        [
            ("seconds", f"{alone_s:.1f}", f"{measured.seconds:.1f}", f"{measured.seconds / alone_s:.2f}", "3"),
            ("resident", f"{measured.resident_mb:.0f} MB", f"{measured.more_mb:.0f} MB more", "", "300 MB"),
            *(
                (
                    f"recall p{part * 100:.0f}",
                    f"{percentile(measured.before, part) * 1000:.2f} ms",
                    f"{percentile(measured.during, part) * 1000:.2f} ms",
                    f"{percentile(measured.during, part) / percentile(measured.before, part):.2f}",
                    "3" if part > 0.5 else "",
                )
                for part in (0.5, 0.95)
            ),
        ],
        [f"{status['turns']:,} turns of {status['sessions']:,} sessions are kept"],
    )


class Measured(NamedTuple):
    """What reading took, and what was seen meanwhile."""

    seconds: float
    before: list[float]
    """Seconds that recall took, question by question."""
    during: list[float]
    resident_mb: float
    more_mb: float
    status: dict[str, Any]
    """What the daemon says at the end of what is kept."""


def _measured(database: Path, memories: int) -> Measured:
    """Have a daemon with so many *memories* in *database* read all sessions, and ask it meanwhile."""
    words = Words(1)
    fill(database, memories, words)
    with running_daemon(database) as env:
        session = Session(Path(socket_path(env, user_id=os.getuid())))
        while not session.call("health")["examined_at"]:  # some seconds after each start, beside whatever is asked
            time.sleep(LOOK_S)
        before = [_asked(session, words) for _ in range(QUESTIONS)]
        pid = session.call("health")["pid"]
        resident = _resident_mb(pid)
        began, during = time.perf_counter(), list[float]()
        status = session.call("conversations", read=True)
        while status["is_reading"]:
            during.append(_asked(session, words))
            time.sleep(LOOK_S)
            status = session.call("conversations")
        seconds = time.perf_counter() - began
        return Measured(seconds, before, during, resident, _resident_mb(pid, "VmHWM") - resident, status)


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
