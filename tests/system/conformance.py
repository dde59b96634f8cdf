"""The public conformance suite against palimp over HTTP: every scenario that applies passes, and the list is complete.

Run by real_client.sh. A scenario that is neither expected to pass nor listed with a reason in
docs/reference/conformance.md
fails the run, and so does one that is listed there and passes.
"""

import re
import subprocess
import sys
from pathlib import Path

from running_daemon import RunningDaemon, palimp_environment, temporary_home
from token_proxy import token_proxy

from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.introspection import Http, HttpStatus
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"
VERSIONS = ("2025-11-25", "2026-07-28")
RUN_S = 300


def main() -> int:
    """Run the suite for each version; print one line for each, and what was not as expected."""
    excused = set(re.findall(r"^\| `([\w-]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    wrong = 0
    with temporary_home() as home:
        env = palimp_environment(home)
        daemon = RunningDaemon(env)
        daemon.start()
        (project := home / "project").mkdir()
        client = Client(env)
        caller = Caller(ProjectRef(str(project), "project"))
        client.call(OPERATIONS["save_memory"], SaveMemory(text="Something to be found."), caller)
        status: HttpStatus = client.call(OPERATIONS["http"], Http(action="enable", port=0), Caller())
        with token_proxy(int(status.url.split(":")[2].split("/")[0]), status.token) as port:
            url = f"http://127.0.0.1:{port}/mcp?project={project}"
            for version in VERSIONS:
                wrong += _run(url, version, excused)
            wrong += _inspect(url)
        daemon.stop()
    return 1 if wrong else 0


def _inspect(url: str) -> int:
    """Return how many of the MCP Inspector's checks over HTTP failed."""
    command = ["mcp-inspector", "--cli", url, "--transport", "http"]
    calls = (
        ["--method", "tools/list", "--strict"],
        ["--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=found"],
    )
    failed = 0
    for call in calls:
        done = subprocess.run([*command, *call], capture_output=True, text=True, timeout=RUN_S, check=False)
        if done.returncode or ("tools/call" in call and "Something to be **found**" not in done.stdout):
            print(f"  UNEXPECTED  inspector {' '.join(call)}: {done.stdout[-300:]}{done.stderr[-300:]}")
            failed += 1
    print(f"MCP Inspector over HTTP: {len(calls) - failed} of {len(calls)} pass")
    return failed


def _run(url: str, version: str, excused: set[str]) -> int:
    """Return how many scenarios of *version* did not go as expected."""
    command = ["conformance", "server", "--url", url, "--spec-version", version, "--suite", "all"]
    done = subprocess.run([*command, "--timeout", "10000"], capture_output=True, text=True, timeout=RUN_S, check=False)
    results = dict(re.findall(r"^(?:✓|✗) ([\w-]+): (\d+ passed, \d+ failed)", done.stdout, re.MULTILINE))
    passed = {name for name, counts in results.items() if counts.endswith(" 0 failed")}
    surprises = [f"{name}: {results[name]}" for name in sorted(results.keys() - passed - excused)]
    surprises += [f"{name} is excused and passes" for name in sorted(passed & excused)]
    if not results:
        surprises.append(f"nothing ran: {done.stdout[-500:]}{done.stderr[-500:]}")
    print(f"conformance {version}: {len(passed)} scenarios pass, {len(results) - len(passed)} do not apply")
    for line in surprises:
        print(f"  UNEXPECTED  {line}")
    return len(surprises)


if __name__ == "__main__":
    sys.exit(main())
