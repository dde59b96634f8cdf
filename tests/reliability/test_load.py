"""More at once than a developer's machine ever sees; the ids are those of the catalogue in docs/reliability.md."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from claude_hooks import PALIMP, Agent
from running_daemon import wait_until

STORM = 500
AT_ONCE = 16

WITHIN_S = 10
"""What a loaded machine may take to start and end a process; the hook's own deadline is a fraction of a second."""


def test_l5_a_storm_of_hooks_leaves_no_process_and_loses_no_record(daemon, env, project):
    """Each of many processes records its own edit; receipt or file, every one arrives."""
    for number in range(STORM):
        (project / f"f{number}.py").write_text("keep_this(1)\n")

    def edit(number: int) -> bool:
        told = {
            "session_id": "s1",
            "cwd": str(project),
            "tool_name": "Edit",
            "tool_input": {
                "file_path": str(project / f"f{number}.py"),
                "old_string": f"gone_{number}(now)",
                "new_string": "",
            },
        }
        done = subprocess.run(
            [*PALIMP, "hook", "PostToolUse"],
            env=env,
            input=json.dumps(told).encode(),
            capture_output=True,
            timeout=WITHIN_S,
            check=False,
        )
        return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert all(pool.map(edit, range(STORM)))
    spool = Path(env["PALIMP_HOME"]) / "spool"
    wait_until(lambda: not spool.exists() or not list(spool.iterdir()), 60)
    Agent(env, project).end()
    wait_until(lambda: _removals(env, project) >= STORM, 60, lambda: str(_removals(env, project)))
    assert _removals(env, project) == STORM


def _removals(env: dict[str, str], project: Path) -> int:
    command = [*PALIMP, "changes", "log", "--json"]
    said = subprocess.run(command, env=env, cwd=project, capture_output=True, check=False).stdout
    return json.loads(said).get("total", 0)
