"""A plain MCP client on pipes: bare JSON-RPC, so that only the server is measured."""

import json
import os
import selectors
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ANSWER_S = 60.0
"""Seconds after which a server is given up."""

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class CallFailedError(Exception):
    """A server answered with an error, or did not answer."""


class Session:
    """One session with a server of its own."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._unread = b""
        self._number = 0

    def initialize(self) -> float:
        """Do the handshake; return the seconds from exec to the server's answer."""
        self.request("initialize", INITIALIZE)
        took_s = time.perf_counter() - self._started
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return took_s

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a request.

        Raises:
            CallFailedError: the server answered with an error, or not at all.
        """
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        ends_at = time.monotonic() + ANSWER_S
        while True:
            line = self._line(ends_at)
            try:
                message = json.loads(line)
            except ValueError:
                continue  # some programs write other things to their stdout
            if isinstance(message, dict) and message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise CallFailedError(str(message["error"]))
                return message["result"]

    def call(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool's answer.

        Raises:
            CallFailedError: the answer is an error.
        """
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError") or '"success": false' in text[:80]:
            raise CallFailedError(text[:200])
        return text

    @staticmethod
    def post(address: str, body: Mapping[str, Any]) -> str:
        """Return what a server on this machine answers to *body*.

        Raises:
            CallFailedError: the answer is an error.
        """
        request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError) as error:
            raise CallFailedError(str(error)) from None

    def close(self) -> None:
        """End the session as clients do: end of input, then a signal."""
        try:
            self._in.close()
            self._process.wait(5)
        except (subprocess.TimeoutExpired, OSError):
            self._process.kill()
            self._process.wait()
        self._out.close()
        self._selector.close()

    def _write(self, message: Mapping[str, Any]) -> None:
        try:
            self._in.write(json.dumps(message).encode() + b"\n")
            self._in.flush()
        except OSError as error:
            raise CallFailedError(f"the server is gone ({error})") from None

    def _line(self, ends_at: float) -> bytes:
        while b"\n" not in self._unread:
            left = ends_at - time.monotonic()
            if left <= 0 or not self._selector.select(left):
                raise CallFailedError(f"no answer within {ANSWER_S:.0f} s")
            read = os.read(self._out.fileno(), 65_536)
            if not read:
                raise CallFailedError("the server is gone")
            self._unread += read
        line, self._unread = self._unread.split(b"\n", 1)
        return line
