"""Our groups of hooks in a JSON file of the shape that Claude Code gave to others: `{"hooks": {EVENT: [GROUP, …]}}`.

A group is `{"matcher": …, "hooks": [{"type": "command", "command": …}, …]}`; it is ours if all its commands are.
"""

from collections.abc import Mapping
from re import Pattern
from typing import Any, Final, cast

from palimp_shim.install.json_edit import items_at, value_at, with_item, with_item_at, without_item, without_member

HOOKS: Final = "hooks"


def with_groups(text: bytes, groups: Mapping[str, Mapping[str, Any]], ours: Pattern[str]) -> bytes:
    """Return *text* with *groups*, one for each event: in the place of one that is ours, else at the end of the list.

    Places matter: Codex trusts a hook in its place.

    Raises:
        JsonTextError: *text* is no JSON, or has something else in that place.
    """
    for event, group in groups.items():
        way = (HOOKS, event)
        known = [index for index, each in enumerate(items_at(text, way)) if _is_ours(each, ours)]
        for index in reversed(known[1:]):
            text = without_item(text, way, index)
        if not known:
            text = with_item(text, way, dict(group))
        elif items_at(text, way)[known[0]] != group:
            text = with_item_at(text, way, known[0], dict(group))
    return text


def without_groups(text: bytes, ours: Pattern[str]) -> bytes:
    """Return *text* without our groups, and without the lists that held nothing else.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    before = text
    for event in places(text, ours):
        text = _without_group(text, event, ours)
        if not value_at(text, (HOOKS, event)):
            text = without_member(text, (HOOKS, event))
    return without_member(text, (HOOKS,)) if text != before and not value_at(text, (HOOKS,)) else text


def places(text: bytes, ours: Pattern[str]) -> dict[str, list[bool]]:
    """Return for each event with a group of ours, of each of its groups in turn, whether it is ours.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    known = value_at(text, (HOOKS,))
    events = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
    found: dict[str, list[bool]] = {}
    for event in events:
        are_ours = [_is_ours(group, ours) for group in items_at(text, (HOOKS, event))]
        if any(are_ours):
            found[event] = are_ours
    return found


def _without_group(text: bytes, event: str, ours: Pattern[str]) -> bytes:
    groups = items_at(text, (HOOKS, event))
    for index in reversed(range(len(groups))):
        if _is_ours(groups[index], ours):
            text = without_item(text, (HOOKS, event), index)
    return text


def _is_ours(group: Any, ours: Pattern[str]) -> bool:
    match group:
        case {"hooks": [_, *_] as hooks}:
            return all(_has_command(hook, ours) for hook in cast("list[Any]", hooks))
        case _:
            return False


def _has_command(hook: Any, ours: Pattern[str]) -> bool:
    command = cast("dict[str, Any]", hook).get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and ours.search(command) is not None
