"""A client of MCP over HTTP without the SDK's care: one request of the stateless era for each call."""

import itertools
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from running_daemon import START_S, wait_until

from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.introspection import Http, HttpStatus
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"


class HttpClient:
    """Asks the server at *url* with *token* in the project of *folder*."""

    def __init__(self, url: str, token: str, folder: Path | None = None) -> None:
        self.url = url
        self.headers = {"Authorization": f"Bearer {token}"}
        if folder:
            self.headers["X-Palimp-Project"] = str(folder)
        self._ids = itertools.count(1)

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request."""
        info = {"name": "test", "version": "1"}
        meta = {f"{PREFIX}protocolVersion": VERSION, f"{PREFIX}clientCapabilities": {}, f"{PREFIX}clientInfo": info}
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": {**params, "_meta": meta}}
        headers = {"Mcp-Method": method, "MCP-Protocol-Version": VERSION}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        status, text = self.send(json.dumps(message).encode(), **headers)
        assert status == 200, text
        return json.loads(text)["result"]

    def ask(self, tool: str, **arguments: Any) -> str:
        """Call a tool and return the text of its answer."""
        return self.request("tools/call", name=tool, arguments=arguments)["content"][0]["text"]

    def send(self, body: bytes, **headers: str) -> tuple[int, str]:
        """Post *body* and return status and text of the answer, whatever they are."""
        given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **self.headers}
        request = urllib.request.Request(self.url, data=body, headers=given | headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()


def serve_http(env: dict[str, str]) -> HttpStatus:
    """Have the daemon serve HTTP on a port that is free.

    Beside busy cores its imports take longer than an answer waits for them.
    """

    def answered(request: Http) -> HttpStatus:
        return Client(env).call(OPERATIONS["http"], request, Caller())

    enabled = answered(Http(action="enable", port=0))
    wait_until(lambda: answered(Http()).url, START_S)
    return replace(answered(Http()), token=enabled.token)
