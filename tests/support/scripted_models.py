"""A model on loopback that follows a script, in every wire format that agents' command lines speak.

Theory
------
It answers the Responses API (Codex), chat completions (Copilot, Qwen, OpenCode), Gemini's generateContent and
Anthropic's Messages, each streamed or whole. A request is a *turn* of the session when it offers tools: it takes the
next step of the script, whatever was said before. Requests for a title, a summary or a count of tokens offer none, and
are told "ok". The body of every request is kept, to see what the model was shown.
"""

import gzip
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

DEFAULT_STEP: Final = {"text": "ok"}
MODEL: Final = "scripted"
"""The only model of the list, for clients that ask for one."""

SEARCHING: Final = "tool_search"
"""Codex' own tool that finds tools of MCP servers: it has a kind of item of its own."""

CLAUDE_KEY: Final = "sk-dummy-not-real"
"""What Claude Code is given for a key: nobody looks at it."""

Body = dict[str, Any]
Wire = Callable[["Answer"], tuple[str, str]]
"""From what is to be said to (media type, body)."""


@dataclass(frozen=True)
class Answer:
    """The step that a request is answered with."""

    request: Body
    step: dict[str, Any]
    number: int
    is_streamed: bool

    @property
    def call_id(self) -> str:
        """The id of the tool call."""
        return f"call_{self.number}"

    @property
    def arguments(self) -> str:
        """The input of the tool call as text; a free-form tool takes it as it is."""
        given = self.step["input"]
        return given if isinstance(given, str) else json.dumps(given)


class Script:
    """The steps still to be played, and the requests that came.

    A step is `{"text": what the model says}` or `{"tool": name, "input": arguments}`; with Responses, a tool of an MCP
    server has its `"namespace"` beside its name.
    """

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.requests: list[Body] = []
        """All of them, side requests too."""
        self.turns: list[Body] = []
        """Those that were answered with a step, or came when none was left."""
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def play(self, *steps: dict[str, Any]) -> None:
        """Begin a new script; what was asked until now is forgotten."""
        with self._lock:
            self.steps[:] = steps
            self.requests.clear()
            self.turns.clear()

    def answer(self, body: Body, *, is_streamed: bool) -> Answer:
        """Return the answer to the request *body*."""
        with self._lock:
            self.requests.append(body)
            if tools_of(body):
                self.turns.append(body)
            return Answer(body, self.step_for(body), next(self._numbers), is_streamed)

    def step_for(self, body: Body) -> dict[str, Any]:
        """Return what is played in answer to the request *body*: the next step if it is a turn."""
        return self.steps.pop(0) if tools_of(body) and self.steps else DEFAULT_STEP


def tools_of(body: Body) -> list[str]:
    """Return the names of the tools that a request offers, in any of the formats."""
    return [name for tool in body.get("tools") or [] if isinstance(tool, dict) for name in _names_in(tool)]


def _names_in(tool: Body) -> list[str]:
    if "functionDeclarations" in tool:  # Gemini
        return [one["name"] for one in tool["functionDeclarations"]]
    if tool.get("type") == "namespace":  # Responses: the tools of an MCP server
        return [f"{tool['name']}{one['name']}" for one in tool.get("tools", [])]
    if isinstance(tool.get("function"), dict):  # chat completions
        return [tool["function"]["name"]]
    return [tool.get("name") or tool.get("type", "")]


class _Server(ThreadingHTTPServer):
    """The server of one script."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._reply("application/json", "")

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": MODEL}], "models": []}
        self._reply("application/json", json.dumps(models if "models" in self.path else {}))

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        wire = next((wire for ending, wire in WIRES.items() if path.endswith(ending)), None)
        if wire is None:  # Messages ask for count_tokens, Gemini for countTokens
            self._reply("application/json", json.dumps({"input_tokens": 1, "totalTokens": 1}))
            return
        is_streamed = bool(body.get("stream")) or "stream" in path
        self._reply(*wire(self.server.script.answer(body, is_streamed=is_streamed)))

    def _body(self) -> Body:
        data = self._sent()
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        try:
            body = json.loads(data)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _sent(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        data = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _reply(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serve(script: Script) -> Iterator[str]:
    """Serve *script* on a free port of loopback and yield its address, without a path."""
    server = _Server(script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def claude_environment(address: str) -> dict[str, str]:
    """Return variables under which Claude Code talks to the model at *address*, and to nobody else."""
    return {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": CLAUDE_KEY,
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


# --- Responses ---------------------------------------------------------------------------------


def _responses(answer: Answer) -> tuple[str, str]:
    item = _responses_item(answer)
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    response = {
        "id": f"resp_{answer.number}",
        "object": "response",
        "created_at": 1,
        "model": answer.request.get("model", MODEL),
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    if not answer.is_streamed:
        return "application/json", json.dumps(response)
    place: Body = {"output_index": 0}
    events: list[Body] = [
        {"type": "response.created", "response": response | {"status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "item": _opened(item), **place},
    ]
    if item["type"] == "message":
        text = answer.step["text"]
        part = {"item_id": item["id"], "content_index": 0, **place}
        empty = item["content"][0] | {"text": ""}
        events += [
            {"type": "response.content_part.added", "part": empty, **part},
            {"type": "response.output_text.delta", "delta": text, **part},
            {"type": "response.output_text.done", "text": text, **part},
            {"type": "response.content_part.done", "part": item["content"][0], **part},
        ]
    elif item["type"] == "function_call":
        part = {"item_id": item["id"], **place}
        events += [
            {"type": "response.function_call_arguments.delta", "delta": answer.arguments, **part},
            {"type": "response.function_call_arguments.done", "arguments": answer.arguments, **part},
        ]
    events += [
        {"type": "response.output_item.done", "item": item, **place},
        {"type": "response.completed", "response": response},
    ]
    numbered = [event | {"sequence_number": number} for number, event in enumerate(events)]
    return _named_events(numbered)


def _responses_item(answer: Answer) -> Body:
    """Return the item of the output: a message, or the call of a tool as the request declared it."""
    number, step = answer.number, answer.step
    if "tool" not in step:
        content = [{"type": "output_text", "text": step["text"], "annotations": []}]
        return {
            "type": "message",
            "id": f"msg_{number}",
            "status": "completed",
            "role": "assistant",
            "content": content,
        }
    name = step["tool"]
    for tool in answer.request["tools"]:
        if tool.get("type") == "custom" and tool["name"] == name:
            call = {"id": f"ctc_{number}", "call_id": answer.call_id, "name": name, "input": answer.arguments}
            return {"type": "custom_tool_call", "status": "completed", **call}
    if name == SEARCHING:
        call = {"id": f"tsc_{number}", "call_id": answer.call_id, "execution": "client", "arguments": step["input"]}
        return {"type": f"{SEARCHING}_call", "status": "completed", **call}
    call = {"id": f"fc_{number}", "call_id": answer.call_id, "name": name, "arguments": answer.arguments}
    if "namespace" in step:
        call["namespace"] = step["namespace"]
    return {"type": "function_call", "status": "completed", **call}


def _opened(item: Body) -> Body:
    """Return *item* as it is announced, before its content."""
    empty: Body = {"content": [], "input": "", "arguments": ""}
    return {key: empty.get(key, value) for key, value in item.items()} | {"status": "in_progress"}


# --- chat completions --------------------------------------------------------------------------


def _chat(answer: Answer) -> tuple[str, str]:
    step = answer.step
    message: Body = {"role": "assistant", "content": step.get("text")}
    if "tool" in step:
        called = {"name": step["tool"], "arguments": answer.arguments}
        message["tool_calls"] = [{"index": 0, "id": answer.call_id, "type": "function", "function": called}]
    ending = "tool_calls" if "tool" in step else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": f"chatcmpl_{answer.number}", "created": 1, "model": answer.request.get("model", MODEL)}
    if not answer.is_streamed:
        choice = {"index": 0, "message": message, "finish_reason": ending}
        return "application/json", json.dumps(
            {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        )
    head["object"] = "chat.completion.chunk"
    begun = {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    ended = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": ending}], "usage": usage}
    return "text/event-stream", "".join(
        f"data: {text}\n\n" for text in (json.dumps(begun), json.dumps(ended), "[DONE]")
    )


# --- Gemini ------------------------------------------------------------------------------------


def _gemini(answer: Answer) -> tuple[str, str]:
    step = answer.step
    part: Body = {"text": step["text"]} if "text" in step else {"functionCall": _gemini_call(answer)}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    body = json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL})
    return ("text/event-stream", f"data: {body}\n\n") if answer.is_streamed else ("application/json", body)


def _gemini_call(answer: Answer) -> Body:
    return {"id": answer.call_id, "name": answer.step["tool"], "args": answer.step["input"]}


# --- Messages ----------------------------------------------------------------------------------


def _messages(answer: Answer) -> tuple[str, str]:
    step = answer.step
    block: Body = {"type": "text", "text": step["text"]} if "text" in step else _messages_call(answer)
    message: Body = {
        "id": f"msg_{answer.number}",
        "type": "message",
        "role": "assistant",
        "model": answer.request.get("model", MODEL),
        "content": [block],
        "stop_reason": "tool_use" if "tool" in step else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if not answer.is_streamed:
        return "application/json", json.dumps(message)
    if "text" in step:
        empty, delta = block | {"text": ""}, {"type": "text_delta", "text": step["text"]}
    else:
        empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": answer.arguments}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return _named_events(
        [
            {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
    )


def _messages_call(answer: Answer) -> Body:
    return {
        "type": "tool_use",
        "id": f"toolu_{answer.number}",
        "name": answer.step["tool"],
        "input": answer.step["input"],
    }


def _named_events(events: list[Body]) -> tuple[str, str]:
    """Return *events* as a stream in which each is announced by its type."""
    return "text/event-stream", "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


WIRES: Final[dict[str, Wire]] = {
    "/responses": _responses,
    "/chat/completions": _chat,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
    "/messages": _messages,
}
"""The format that is spoken at a path, by how the path ends."""
