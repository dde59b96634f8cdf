"""What must never be seen by anybody else; the ids are those of the catalogue in the page reliability."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from claude_hooks import PALIMP
from daemon_asking import ask
from data_folder import files_with

from palimp_protocol.env.paths import state_directory

WORD = "zanzibarquux"
SECRET = f"The launch word is {WORD}, said by nobody else."


def palimp(env, project, *arguments: str, code: int = 0) -> str:
    command = [*PALIMP, *arguments]
    done = subprocess.run(
        command, env=env, cwd=project, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["fts5", "fts4"])
@pytest.mark.parametrize("is_purged", [False, True], ids=["alive", "purged"])
def test_s8_what_is_erased_is_in_no_file(daemon, env, project, engine: str, is_purged: bool):
    """Neither database, index, log nor remembered reply; what was saved beside it stays and is found."""
    daemon.kill()
    daemon.env["PALIMP_SEARCH_ENGINE"] = engine
    daemon.start()
    for number in range(30):
        ask(env, project, "save_memory", text=f"A memory beside it, number {number}.")
    [memory] = json.loads(palimp(env, project, "add", SECRET, "--json"))["id"].split()
    ask(env, project, "save_memory", text="A memory after it.")
    if is_purged:
        palimp(env, project, "delete", memory)
    assert files_with(env, WORD)

    copy = Path(state_directory(env)) / "palimp.db.schema-5"
    copy.write_text(WORD)
    assert "needs a yes" in palimp(env, project, "delete", "--hard", memory, code=2)
    said = palimp(env, project, "delete", "--hard", "--yes", memory, "mnothing", code=1)
    assert f"Erased {memory}" in said
    assert "Backups and exports" in said
    assert f"{copy} has them, too" in said
    copy.unlink()
    assert files_with(env, WORD) == []
    assert ask(env, project, "recall", query="number 7").total > 0
    assert ask(env, project, "recall", limit=50).total == 31
    assert ask(env, project, "save_memory", text="Saved afterwards.").id
    assert ask(env, project, "recall", query="afterwards").total == 1
    assert daemon.stop() == 0
    assert files_with(env, WORD) == []


def test_s9_the_daemon_leaves_no_core_and_cannot_be_looked_into(daemon):
    """Not by a crash, and not by another process of the same user."""
    [core] = [line for line in Path(f"/proc/{daemon.pid}/limits").read_text().splitlines() if "core file" in line]
    assert core.split()[4:6] == ["0", "0"]
    code = (
        "import ctypes; from palimp_daemon.runtime.process_limits import forbid_core_dumps; forbid_core_dumps();"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"  # PR_GET_DUMPABLE
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "0\n"
