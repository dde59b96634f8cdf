"""The request about an event, as sent and as spooled."""

import json
from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.hooks.event import PATCH, HookEvent, mapping_of, parts_of, text_of
from palimp_protocol.env import clock, paths
from palimp_protocol.env.address import identity_for
from palimp_protocol.env.project import Project, project_from_directory, working_directory
from palimp_protocol.env.zone import zone_name
from palimp_protocol.hooks import EDITING_TOOLS, KEPT_EVENTS
from palimp_protocol.limits import HOOK_INPUT_BYTES_MAX, HOOK_TEXT_CHARACTERS_MAX, SESSION_CHARACTERS_MAX
from palimp_protocol.surrogates import mended_json

CUT_KEYS: Final = ("file_path", "notebook_path", "cell_id", "edit_mode")
"""Keys of a tool's input that are sent when the whole is too large."""

_KEPT_TOOLS: Final = {*EDITING_TOOLS, ""}


def body_of(event: HookEvent, client: str, via: str, env: Mapping[str, str]) -> bytes:
    """Return *event*'s request in *client*; *via* is its installation.

    Raises:
        OSError: the folder is unknown.
    """
    directory = event.folder or working_directory(env)
    project = project_from_directory(directory, paths.home_directory(env))
    call = call_of("hook", project, event.session, client, env)
    call["arguments"] = {"event": event.event, "input": {}, "sent_at": clock.now_ms()}
    if via:
        call["arguments"]["via"] = via
    return _fitting(call, event.input)


def call_of(
    operation: str, project: Project | None, session: str, client: str, env: Mapping[str, str]
) -> dict[str, Any]:
    """Return *operation*'s call, without arguments; *session* may be empty."""
    call: dict[str, Any] = {
        "operation": operation,
        "arguments": {},
        "caller": {
            "project": project and project._asdict(),
            "session": {"key": session[:SESSION_CHARACTERS_MAX], "client": client} if session else None,
            "zone": zone_name(env),
        },
    }
    if store := identity_for(env):
        call["store"] = store
    return call


def is_kept(event: HookEvent) -> bool:
    """Tell whether *event* is kept in a file if no daemon takes it."""
    return event.event in KEPT_EVENTS and text_of(event.input, "tool_name") in _KEPT_TOOLS


def _fitting(call: dict[str, Any], given: Mapping[str, Any]) -> bytes:
    """If too large, leave out the large texts."""
    body = b""
    for fitting in (lambda: given, lambda: _without(given, "tool_response"), lambda: _cut(given)):
        call["arguments"]["input"] = fitting()
        body = mended_json(json.dumps(call, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if len(body) <= HOOK_INPUT_BYTES_MAX:
            break
    return body


def _without(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != key}


def _cut(given: Mapping[str, Any]) -> dict[str, Any]:
    cut = {key: value[:HOOK_TEXT_CHARACTERS_MAX] for key, value in given.items() if isinstance(value, str)}
    if "tool_input" not in given:
        return cut
    tool_input = mapping_of(given, "tool_input")
    about: dict[str, Any] = _about(tool_input)
    if given.get("tool_name") == PATCH:
        parts = parts_of(tool_input)
        about = {"edits": [{**part, "tool_input": _about(mapping_of(part, "tool_input"))} for part in parts]}
    return {**cut, "tool_input": about, "is_cut": True}


def _about(tool_input: Mapping[str, Any]) -> dict[str, Any]:
    return {key: text_of(tool_input, key)[:HOOK_TEXT_CHARACTERS_MAX] for key in CUT_KEYS if key in tool_input}
