"""A bare JSON-RPC client of a real `palimp-shim`; that of the SDK, which takes long to import, is in `sdk_sessions`."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar

SHIM = [sys.executable, "-m", "palimp_shim.relay.relay_loop"]
ANSWER_S = 70.0
"""Seconds in which an answer must come, however loaded the machine is."""


def text_of(result: Any) -> str:
    """Return the text of a tool's *result*, which has nothing but text."""
    assert result.structured_content is None
    return "\n".join(block.text for block in result.content)


class BareClient:
    """Speaks JSON-RPC lines with a shim, without the SDK's care: for what clients should not do."""

    opened: ClassVar[list["BareClient"]] = []
    """Those of the running test, so that none is left behind."""

    def __init__(self, env: dict[str, str], folder: Path | None = None) -> None:
        self.process = subprocess.Popen(
            SHIM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=folder or env["HOME"],
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.opened.append(self)

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def write(self, data: bytes) -> None:
        """Write raw bytes to the shim's stdin."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        """Send one JSON-RPC message."""
        self.write(json.dumps(message).encode() + b"\n")

    def request(self, request_id: Any, method: str, params: Any = None) -> None:
        """Send a request without waiting for its answer."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        self.send(message if params is None else message | {"params": params})

    def call(self, request_id: Any, tool: str, **arguments: Any) -> None:
        """Send a tool call without waiting for its answer."""
        self.request(request_id, "tools/call", {"name": tool, "arguments": arguments})

    def read(self) -> dict[str, Any]:
        """Return the next message; every line must be JSON-RPC."""
        self.line = line = self._lines.get(timeout=ANSWER_S)
        assert line, f"the shim left: {self.process.stderr.read().decode() if self.process.stderr else ''}"
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, request_id: Any) -> dict[str, Any]:
        """Return the answer to *request_id*, which must be the next that is no notification."""
        while "id" not in (message := self.read()):
            pass
        assert message["id"] == request_id
        return message

    def ask(self, request_id: Any, tool: str, **arguments: Any) -> str:
        """Call a tool and return the text of its answer."""
        self.call(request_id, tool, **arguments)
        answer = self.answer(request_id)
        assert "result" in answer, answer
        return answer["result"]["content"][0]["text"]

    def is_silent(self) -> bool:
        """Whether nothing has come that was not read."""
        return self._lines.empty()

    def unread(self) -> list[bytes]:
        """Return what has come and was not read, so that a test that fails shows it."""
        came: list[bytes] = []
        while not self._lines.empty():
            came.append(self._lines.get())
        return came

    def initialize(self, version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
        """Do the handshake and return the server's answer."""
        said = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "bare", "version": "1"},
        }
        self.request("init", "initialize", said)
        answer = self.answer("init")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert "result" in answer, answer
        return answer["result"]

    def close(self) -> int:
        """Close the shim's stdin and return its exit code."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(timeout=ANSWER_S)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        return code

    def kill(self) -> None:
        """Kill the shim."""
        self.process.kill()
        self.close()

    @classmethod
    def kill_opened(cls) -> None:
        """Kill those that the running test has opened."""
        while cls.opened:
            cls.opened.pop().kill()


class KilledParent:
    """A client whose pipes somebody else holds: when it is killed, its relay's stdin does not end."""

    SCRIPT = (
        "import subprocess, sys; "
        f"relay = subprocess.Popen({SHIM!r}, stdin=0, stdout=1); "
        "print(relay.pid, file=sys.stderr, flush=True); relay.wait()"
    )

    def __init__(self, env: dict[str, str]) -> None:
        self._pipe = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.SCRIPT],
            env=env,
            cwd=env["HOME"],
            stdin=self._pipe[0],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr
        self.relay = int(self._process.stderr.readline())
        assert parent_of(self.relay) == self._process.pid

    def kill(self) -> None:
        """Kill the client and leave its pipes open."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes."""
        assert self._process.stderr
        self._process.stderr.close()
        for end in self._pipe:
            os.close(end)


def parent_of(pid: int) -> int:
    """Return the parent of process *pid*."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[1])


def is_alive(pid: int) -> bool:
    """Whether process *pid* runs (a zombie does not)."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
