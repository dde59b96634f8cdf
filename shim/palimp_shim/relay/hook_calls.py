"""Hooks sent as tool calls, each answered in time with a result.

Claude Code shows an error, or a missing answer, to the user.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from palimp_clients.claude_code import dialect as claude
from palimp_clients.hooks.event import mapping_of, text_of
from palimp_protocol.hooks import HOOK_DEADLINES_S, HOOKS_OFF, TOOL, patience
from palimp_protocol.wire.frames import Frame
from palimp_shim.events.request import body_of, is_kept
from palimp_shim.events.spool import keep

VIA: Final = "mcp"
"""Way of such an event (`hook_messages`), with the relay: a plugin's differs from the user's."""


class HookCall(NamedTuple):
    """A tool call for a hook."""

    body: bytes
    """Body of the request; empty: nothing to report."""
    deadline_s: float = 0.0
    is_kept: bool = False
    """Whether it waits in a file when no daemon takes it."""


class HookCalls:
    """Turns calls into requests, and keeps untaken ones."""

    def __init__(self, env: Mapping[str, str], relay: str) -> None:
        self._env = env
        self._via = f"{VIA} {relay}"
        self._patience = patience(env)

    def read(self, message: Mapping[str, Any]) -> HookCall | None:
        """Return the hook in JSON-RPC *message*, or None."""
        params = mapping_of(message, "params")
        if message.get("method") != "tools/call" or params.get("name") != TOOL:
            return None
        event = claude.event_in_call(mapping_of(params, "arguments"))
        if event is None or self._env.get(HOOKS_OFF):
            return HookCall(b"")
        try:
            body = body_of(event, claude.DIALECT.client, self._via, self._env)
        except (OSError, ValueError):  # a folder that cannot be looked at
            return HookCall(b"")
        return HookCall(body, HOOK_DEADLINES_S[event.event] * self._patience, is_kept(event))

    def keep(self, frames: Iterable[Frame]) -> None:
        """Save untaken requests in files; without room they are lost."""
        for frame in frames:
            with contextlib.suppress(OSError):
                keep(self._env, frame.id, frame.body)


def result_line(json_id: str | int, body: bytes = b"") -> bytes:
    """Return a call's answer: reply *body*, or nothing."""
    output = text_of(json.loads(body), "output") if body else ""
    content = [{"type": "text", "text": output}] if output else []
    # In ASCII: an id may be half a character.
    return json.dumps({"jsonrpc": "2.0", "id": json_id, "result": {"content": content}}).encode()
