"""Promise: a client's large file costs little. `palimp install` and `uninstall` beside `json.loads` of the same file.

    python benchmarks/large_client_file.py [MEGABYTES]

A `.claude.json` as Claude Code writes it, with the histories of many projects (65 MB were reported), in three forms:
plain; with half a surrogate pair, as JavaScript leaves of a cut emoji; with a comment. Each command is a process of its
own, and so is the one that only parses the file; time and peak memory are those of the whole process. Aims: a few times
the time of parsing, less than four times the file in memory, and the file afterwards as it was before.
"""

import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import print_table

PARSE = "import json, sys; json.loads(open(sys.argv[1], 'rb').read())"
FORMS = ("plain", "half a pair", "a comment")
WORDS = ["fix", "the", "parser", "that", "drops", "é", "when", "a", "line", "ends;", "then", "say", "what", "failed"]


def main() -> None:
    """Print one table for each form."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 65
    if len(sys.argv) > 3:
        Path(sys.argv[2]).write_bytes(_file(megabytes * 1_000_000, sys.argv[3]))
        return
    parse_s = 0.0
    for form in FORMS:
        with tempfile.TemporaryDirectory() as home:
            path = Path(home, ".claude.json")
            # In a process of its own: what this one ever had in memory would count as its children's.
            subprocess.run([sys.executable, __file__, str(megabytes), str(path), form], check=True)
            before, size = _sum(path), path.stat().st_size
            palimp = [sys.executable, "-m", "palimp_shim.__main__"]
            commands = {
                "json.loads": [sys.executable, "-c", PARSE, str(path)],
                "install --dry-run": [*palimp, "install", "--dry-run"],
                "install": [*palimp, "install"],
                "uninstall": [*palimp, "uninstall"],
            }
            if form == "a comment":
                del commands["json.loads"]  # it takes no comments; the time for the form before is near enough
            measured = {name: _measured(command, home) for name, command in commands.items()}
            parse_s = measured["json.loads"][0] if "json.loads" in measured else parse_s
            rows = [
                (name, f"{took_s:.2f} s", f"{took_s / parse_s:.1f}", f"{peak / size:.1f}")
                for name, (took_s, peak) in measured.items()
            ]
            is_same = _sum(path) == before
        said = "the file is as it was" if is_same else "THE FILE IS NOT AS IT WAS"
        print_table(
            f"a .claude.json of {size / 1e6:.0f} MB, {form}",
            ["", "time", "of json.loads", "peak memory, of the file"],
            rows,
            [said],
        )


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file(size: int, form: str) -> bytes:
    chance = random.Random(1)
    projects: dict[str, object] = {}
    written = 0
    while written < size:
        history = [
            {"display": " ".join(chance.choices(WORDS, k=chance.randint(4, 40))), "pastedContents": {}}
            for _ in range(50)
        ]
        project = {"allowedTools": [], "history": history, "mcpServers": {}, "lastCost": 1.5}
        projects[f"/home/me/project-{len(projects)}"] = project
        written += len(json.dumps(project, indent=2, ensure_ascii=False).encode()) + 100
    text = json.dumps({"numStartups": 7, "projects": projects}, indent=2, ensure_ascii=False).encode()
    if form == "half a pair":
        return text.replace(b'"numStartups"', rb'"cut": "\ud83d", "numStartups"', 1)
    return text.replace(b"{", b"{ // mine", 1) if form == "a comment" else text


def _measured(command: list[str], home: str) -> tuple[float, int]:
    """Return the seconds and the peak of the bytes in memory of *command*."""
    env = {"HOME": home, "PALIMP_HOME": f"{home}/state", "PATH": "/usr/bin:/bin"}
    began = time.monotonic()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = _waited(process)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    return time.monotonic() - began, usage.ru_maxrss * 1024


def _waited(process: "subprocess.Popen[bytes]") -> tuple[int, int, resource.struct_rusage]:
    found = os.wait4(process.pid, 0)
    process.returncode = 0
    return found


if __name__ == "__main__":
    main()
