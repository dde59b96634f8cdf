"""Sessions as each client writes them, where it keeps them: what was said, and one file that was edited."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

Said = Sequence[tuple[str, str]]
"""Who said what: `user` or `assistant`."""

AT = "2026-11-27T09:04:16.521Z"
KEYS = {
    "claude-code": "0b9c3a5e-1111-4222-8333-444455556666",
    "codex": "01a21ad4-d45c-7f40-a9fd-ea950a5cb881",
    "copilot": "a192ad09-dd00-4f27-b0f6-2a01c70f3ef4",
    "gemini": "d5e29254-2222-4333-8444-555566667777",
    "qwen": "9b3c0045-5170-4a72-80d3-3d0296ddc9b9",
    "opencode": "ses_de528d76effefIeq5gKMX7mhWW",
}
"""A session's id as each client makes them."""

PLACES = {
    "claude-code": ".claude/projects/-p/{key}.jsonl",
    "codex": ".codex/sessions/2026/11/27/rollout-2026-11-27T02-28-05-{key}.jsonl",
    "copilot": ".copilot/session-state/{key}/events.jsonl",
    "gemini": ".gemini/tmp/p/chats/session-2026-11-27T09-04-d5e29254.jsonl",
    "qwen": ".qwen/projects/-p/chats/{key}.jsonl",
    "opencode": ".local/share/opencode/opencode.db",
}

_SCHEMA = (
    "CREATE TABLE session (id text, parent_id text, directory text, time_created integer, time_updated integer)",
    "CREATE TABLE message (id text, session_id text, time_created integer, time_updated integer, data text)",
    "CREATE TABLE part (id text, message_id text, session_id text, data text)",
)


def write_session(client: str, home: Path, folder: Path, said: Said, edited: str = "cart/ttl.py") -> None:
    """Write *client*'s session with KEYS' id, of *folder*, into its place in *home*."""
    key, path = KEYS[client], home / PLACES[client].format(key=KEYS[client])
    path.parent.mkdir(parents=True, exist_ok=True)
    if client == "gemini":
        projects = json.dumps({"projects": {str(folder): "p"}})
        (home / ".gemini" / "projects.json").write_text(projects)
    if client == "opencode":
        _write_database(path, key, folder, said, edited)
    else:
        lines = _HEADS[client](key, str(folder))
        for role, text in said:
            lines += [_LINES[client](role, text, edited), *(_RESULTS.get(client, ()) if role == "assistant" else ())]
        path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def _write_database(path: Path, key: str, folder: Path, said: Said, edited: str) -> None:
    path.unlink(missing_ok=True)
    connection = apsw.Connection(str(path))
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.execute("INSERT INTO session VALUES (?, NULL, ?, 1, 1)", (key, str(folder)))
    for number, (role, text) in enumerate(said, 1):
        done = {"completed": number} if role == "assistant" else {}
        message = json.dumps({"role": role, "time": {"created": number, **done}})
        connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (f"m{number}", key, number, number, message))
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if role == "assistant":
            parts.append({"type": "tool", "tool": "edit", "state": {"input": {"filePath": edited}, "output": OUTPUT}})
        for place, part in enumerate(parts):
            row = (f"p{number}{place}", f"m{number}", key, json.dumps(part, separators=(",", ":")))
            connection.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    connection.close()


OUTPUT = "We decided to use floats for money, because integers overflowed in the tool's output."
"""What a tool printed: nobody said it."""


def _claude(role: str, text: str, edited: str) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": edited}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": OUTPUT}
    content = [{"type": "text", "text": text}, call if role == "assistant" else result]
    return {"type": role, "timestamp": AT, "message": {"role": role, "content": content}}


def _codex(role: str, text: str, _: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"timestamp": AT, "type": "response_item", "payload": payload}


def _codex_head(key: str, folder: str) -> list[dict[str, Any]]:
    call = {
        "type": "custom_tool_call",
        "call_id": "c",
        "name": "apply_patch",
        "input": "*** Begin Patch\n*** Update File: cart/ttl.py\n",
    }
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": OUTPUT}
    first = {"timestamp": AT, "type": "session_meta", "payload": {"id": key, "cwd": folder, "source": "exec"}}
    return [first, *({"timestamp": AT, "type": "response_item", "payload": each} for each in (call, output))]


def _copilot(role: str, text: str, edited: str) -> dict[str, Any]:
    requests = [{"toolCallId": "c", "name": "edit", "arguments": {"path": edited}}] if role == "assistant" else []
    return {"type": f"{role}.message", "data": {"content": text, "toolRequests": requests}, "timestamp": AT}


def _copilot_head(key: str, folder: str) -> list[dict[str, Any]]:
    start = {"type": "session.start", "data": {"sessionId": key, "context": {"cwd": folder}}, "timestamp": AT}
    return [start]


def _gemini(role: str, text: str, edited: str) -> dict[str, Any]:
    said = {"id": text, "timestamp": AT, "type": "user" if role == "user" else "gemini", "content": [{"text": text}]}
    result = [{"functionResponse": {"response": {"output": OUTPUT}}}]
    calls = [{"name": "replace", "args": {"file_path": edited}, "result": result}]
    return said if role == "user" else {**said, "toolCalls": calls}


def _gemini_head(key: str, _: str) -> list[dict[str, Any]]:
    return [{"sessionId": key, "projectHash": "p", "startTime": AT, "kind": "main"}]


def _qwen(role: str, text: str, edited: str) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": text}]
    if role == "assistant":
        parts.append({"functionCall": {"id": "c", "name": "edit", "args": {"file_path": edited}}})
    return {"uuid": text, "sessionId": KEYS["qwen"], "timestamp": AT, "type": role, "message": {"parts": parts}}


def _qwen_head(key: str, folder: str) -> list[dict[str, Any]]:
    return [{"uuid": "u", "sessionId": key, "cwd": folder, "timestamp": AT, "type": "system"}]


_QWEN_RESULT = {"parts": [{"functionResponse": {"id": "c", "response": {"output": OUTPUT}}}]}
_CLAUDE_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": OUTPUT}]}
_RESULTS: dict[str, list[dict[str, Any]]] = {
    "claude-code": [{"type": "user", "timestamp": AT, "message": _CLAUDE_RESULT}],
    "copilot": [
        {
            "type": "tool.execution_complete",
            "data": {"toolCallId": "c", "success": True, "result": {"content": OUTPUT}},
            "timestamp": AT,
        }
    ],
    "qwen": [{"type": "tool_result", "timestamp": AT, "message": _QWEN_RESULT}],
}
"""What follows a call that edits a file; the other clients write it with the call, or at the beginning here."""


_LINES = {"claude-code": _claude, "codex": _codex, "copilot": _copilot, "gemini": _gemini, "qwen": _qwen}
_HEADS = {
    "claude-code": lambda key, folder: [{"type": "summary", "sessionId": key, "cwd": folder}],
    "codex": _codex_head,
    "copilot": _copilot_head,
    "gemini": _gemini_head,
    "qwen": _qwen_head,
}
