"""`palimp import` reads what the real programs wrote: the reference memory server, and claude-mem's own store.

Run by real_client.sh, which installs them. Prints one line for each.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from running_daemon import end_daemon, palimp_environment, temporary_home

NODE = Path(os.environ["NODE"]).resolve()
PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]

CLAUDE_MEM = """
const {SessionStore} = require(process.argv[2]);
const store = new SessionStore(process.argv[3]);
const session = store.createSDKSession("content-1", "project", "Fix the race");
store.ensureMemorySessionIdRegistered(session, "memory-1");
store.storeObservation("memory-1", "project", {type: "decision", title: "Use a lock", subtitle: "In the fixture",
  facts: ["The lock was missing"], narrative: "The test was flaky.", concepts: ["testing"], files_read: [],
  files_modified: ["a.py"]}, 1);
store.storeSummary("memory-1", "project", {request: "Fix the race", investigated: "The fixture", learned: "It races",
  completed: "A lock", next_steps: "None", notes: null}, 1);
store.close();
"""


def main() -> int:
    """Make the files, import each twice, and say what came of it."""
    with temporary_home() as home:
        env = palimp_environment(home)
        (project := home / "project").mkdir()
        graph = _reference_server(home)
        _check("server-memory", _imported(env, project, graph), ["Billing", "writes to Ledger", "Owned by Ada"])
        database = _claude_mem(home)
        _check("claude-mem", _imported(env, project, database), ["Use a lock", "The lock was missing", "Fix the race"])
        end_daemon(env)
    return 0


def _imported(env: dict[str, str], project: Path, path: Path) -> tuple[str, str, str]:
    """Return what the first and the second import said, and all memories."""
    run = [
        subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=True).stdout
        for arguments in (("import", str(path)), ("import", str(path)), ("list", "--detail", "full", "--json"))
    ]
    return run[0], run[1], run[2]


def _check(name: str, said: tuple[str, str, str], wanted: list[str]) -> None:
    first, second, memories = said
    missing = [text for text in wanted if text not in memories]
    if missing or not second.startswith("0 memories imported"):
        raise SystemExit(f"import from {name}: missing {missing}; then {second}")
    print(f"import from the real {name}: {first.strip()} Again: {second.strip()}")


def _reference_server(home: Path) -> Path:
    """Return the file that the reference server wrote."""
    path = home / "memory.jsonl"
    script = NODE / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    entities = [{"name": "Billing", "entityType": "service", "observations": ["Runs on Go.", "Owned by Ada."]}]
    relations = [{"from": "Billing", "to": "Ledger", "relationType": "writes to"}]
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls = [("create_entities", {"entities": entities}), ("create_relations", {"relations": relations})]
    messages = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info}]
    messages += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    messages += [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls, 1)
    ]
    server = subprocess.Popen(
        ["node", str(script)],
        env={**os.environ, "MEMORY_FILE_PATH": str(path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    for message in messages:
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        if "id" in message:
            assert "result" in json.loads(server.stdout.readline())
    server.terminate()
    server.communicate()
    return path


def _claude_mem(home: Path) -> Path:
    """Return the database that claude-mem's own store wrote."""
    path, script = home / "claude-mem.db", home / "make.cjs"
    script.write_text(CLAUDE_MEM)
    store = NODE / "package" / "plugin" / "sqlite" / "SessionStore.js"
    env = {**os.environ, "HOME": str(home)}
    subprocess.run(["bun", str(script), str(store), str(path)], env=env, check=True, capture_output=True, timeout=60)
    return path


if __name__ == "__main__":
    sys.exit(main())
