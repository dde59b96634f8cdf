"""Read edits from an event: a tool's, or one per file of a patch."""

import hashlib
from collections.abc import Mapping
from typing import Any

from palimp_clients.hooks.event import PATCH, mapping_of, parts_of, text_of
from palimp_daemon.features.removed_code.edits import Edit
from palimp_protocol.hooks import EDITING_TOOLS
from palimp_protocol.messages.caller import Caller


def edits_told(given: Mapping[str, Any], caller: Caller, asked: str = "") -> list[Edit]:
    """Return the edits in a hook's input; *asked* is the session's last prompt."""
    if given.get("tool_name") != PATCH:
        edit = _edit(given, caller, asked)
        return [edit] if edit else []
    own = {key: given[key] for key in ("transcript_path", "is_cut") if key in given}
    found = [_edit({**own, **part}, caller, asked) for part in parts_of(mapping_of(given, "tool_input"))]
    return [edit for edit in found if edit]


def _edit(given: Mapping[str, Any], caller: Caller, asked: str) -> Edit | None:
    tool = given.get("tool_name")
    if not isinstance(tool, str) or tool not in EDITING_TOOLS or tool == PATCH:
        return None
    if not isinstance(given.get("tool_input"), dict):
        return None
    return Edit(
        tool=tool,
        input=mapping_of(given, "tool_input"),
        response=mapping_of(given, "tool_response"),
        transcript=text_of(given, "transcript_path"),
        caller=caller,
        is_cut=given.get("is_cut") is True,
        asked=asked,
    )


def id_of_part(request_id: bytes, number: int) -> bytes:
    """Return the request id of part *number*, the same on repetition."""
    if not number or not request_id:
        return request_id
    return hashlib.blake2b(request_id + number.to_bytes(4, "big"), digest_size=len(request_id)).digest()
