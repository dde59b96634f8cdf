"""A model on loopback that follows a script, so that the real Claude Code runs without a network.

It speaks the part of the Messages API that the client needs: each request that offers tools gets the
next step of the script, a tool call or a text, as a stream of server-sent events; any other request is
told "ok". Every request body is kept, to see what the model was shown.
"""

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Script:
    """The steps still to be played, and the requests that came."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def step_for(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what is played in answer to *request*: the next step, if it offers tools."""
        return self.steps.pop(0) if request.get("tools") and self.steps else {"text": "ok"}

    def message_for(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the whole message that answers *request*."""
        with self._lock:
            self.requests.append(request)
            step = self.step_for(request)
            number = next(self._numbers)
        block = (
            {"type": "tool_use", "id": f"toolu_{number}", "name": step["tool"], "input": step["input"]}
            if "tool" in step
            else {"type": "text", "text": step["text"]}
        )
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "scripted"),
            "content": [block],
            "stop_reason": "tool_use" if "tool" in step else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


@contextmanager
def serve(script: Script) -> Iterator[str]:
    """Serve *script* on a free port of loopback and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._reply(b"", "application/json")

        do_GET = do_HEAD  # noqa: N815

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "count_tokens" in self.path:
                self._reply(b'{"input_tokens":1}', "application/json")
                return
            message = script.message_for(body)
            if body.get("stream"):
                self._reply("".join(_events(message)).encode(), "text/event-stream")
            else:
                self._reply(json.dumps(message).encode(), "application/json")

        def _reply(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _events(message: dict[str, Any]) -> Iterator[str]:
    """Yield *message* as the API streams it: opened empty, filled by one delta, closed."""
    (block,) = message["content"]
    if block["type"] == "text":
        empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = block | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    opened = message | {"content": [], "stop_reason": None}
    yield _event("message_start", message=opened)
    yield _event("content_block_start", index=0, content_block=empty)
    yield _event("content_block_delta", index=0, delta=delta)
    yield _event("content_block_stop", index=0)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": 1})
    yield _event("message_stop")


def _event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
