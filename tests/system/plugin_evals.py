"""The plugin's own evaluation (`claude plugin eval`), by the real Claude Code and a model that says what it is shown.

    plugin_evals.py           run by tests/system/real_client.sh, which puts claude on the PATH

The model is no model: it does what its prompt asks in the plainest way, and otherwise what the context says that it was
shown. So a case that passes with the plugin and fails without it shows that the memory reached the model, and that the
graders tell the two apart. What a real model makes of it is for who runs the evaluation with one.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from running_daemon import palimp_environment, temporary_home
from scripted_models import Script, claude_environment, serve

from palimp_clients.claude_code import plugin

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / plugin.FOLDER
RUN_S = 600
TOOLS = ("Edit", "Write", "mcp__plugin_palimp_palimp__*")

UNKNOWN = "In whatever unit you like; nothing says which."
HELPER = '''

def with_another_try(call, tries=3, wait_s=0.5):
    """Run *call*, once more after each failure, *tries* times at most."""
    for number in range(tries):
        try:
            return call()
        except ConnectionError:
            if number == tries - 1:
                raise
            time.sleep(wait_s * (number + 1))
'''
CLIENT = '''"""Calls to the server."""

import time


def fetch(session, address):
    """Return the body at *address*."""
    return session.get(address).body
'''
TESTS = """from ledger import total


def {}_adds():
    assert total([1, 2]) == 3


def {}_of_nothing_is_zero():
    assert total([]) == 0
"""


class Reader(Script):
    """A model that plays what follows from what it is shown."""

    def step_for(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the step that follows from the texts of *request*."""
        if not request.get("tools"):
            return {"text": "ok"}
        shown = json.dumps([request.get("system"), request["messages"]], ensure_ascii=False)
        is_first = not any(block for message in request["messages"] for block in _results(message))
        folder = _folder(shown)
        if "refund()" in shown:
            known = re.search(r"keep money in integer cents", shown) and "because floats lost" in shown
            return {"text": "In integer cents, because floats lost a cent." if known else UNKNOWN}
        if "test_ledger.py" in shown:
            name = "test_that_it" if "names begin with test_that_" in shown else "test_total"
            wanted = {"file_path": f"{folder}/test_ledger.py", "content": TESTS.format(name, name)}
            return {"tool": "Write", "input": wanted} if is_first else {"text": "Both are written."}
        if is_first:
            return {"tool": "Write", "input": {"file_path": f"{folder}/client_retry.py", "content": CLIENT + HELPER}}
        why = re.search(r"hides outages", shown)
        said = "One like it was removed before, since it hides outages." if why else "It tries three times."
        return {"text": f"There is a function for it. {said}"}


def _results(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [block for block in content if block.get("type") == "tool_result"] if isinstance(content, list) else []


def _folder(shown: str) -> str:
    found = re.search(r"Primary working directory: (\S+?)\\n", shown)
    assert found, "the client does not say where it works"
    return found[1]


def main() -> None:
    """Run every case once with the plugin and once without."""
    version = subprocess.run(["claude", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with temporary_home() as home, serve(Reader()) as address:
        report = _evaluated(home, address)
    scores = {
        case["name"]: (case["aggregates"]["score"], case["aggregates"]["scoreWithout"]) for case in report["cases"]
    }
    for name, (with_it, without) in sorted(scores.items()):
        print(f"{version}, plugin eval, {name}: {with_it:g} with the plugin, {without:g} without")
    written = {folder.parent.name for folder in PLUGIN.glob("evals/*/case.yaml")}
    if scores.keys() != written or any(score != (1, 0) for score in scores.values()):
        sys.exit(f"the evaluation does not tell the plugin from its absence: {json.dumps(report, indent=1)}")


def _evaluated(home: Path, address: str) -> dict[str, Any]:
    env = palimp_environment(home) | claude_environment(address)
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    command = [
        "claude",
        "plugin",
        "eval",
        str(PLUGIN),
        "--trust-plugin",
        "--no-publish",
        "--scaffold",
        "--mocks",
        "off",
    ]
    command += ["--runs", "1", "--json", str(home / "result.json"), "--output-dir", str(home / "out")]
    done = subprocess.run(
        [*command, "--allow-tools", *TOOLS],
        env=env,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    if not (home / "result.json").exists():
        sys.exit(f"claude plugin eval: {done.stdout}{done.stderr}")
    return json.loads((home / "result.json").read_text())


if __name__ == "__main__":
    main()
