"""Our entries in a JSON file of hooks like Claude Code's, `{"hooks": {EVENT: [ENTRY, …]}}`.

An entry is mostly a group, `{"matcher": …, "hooks": […]}`, ours if all its commands are.
"""

from collections.abc import Callable, Mapping
from re import Pattern
from typing import Any, Final, cast

from palimp_clients.install.json_edit import items_at, value_at, with_item, with_item_at, without_item, without_member

HOOKS: Final = "hooks"

IsOurs = Callable[[Any], bool]
"""Tells whether an entry, of any form, is ours."""


def group_of(ours: Pattern[str]) -> IsOurs:
    """Return a test whether *ours* matches all commands of a group."""

    def is_ours(entry: Any) -> bool:
        hooks = hooks_in(entry)
        return bool(hooks) and all(has_command(hook, ours) for hook in hooks)

    return is_ours


def hooks_in(entry: Any) -> list[Any]:
    """Return a group's hooks; none if *entry* is no group."""
    match entry:
        case {"hooks": [*hooks]}:
            return hooks
        case _:
            return []


def has_command(hook: Any, ours: Pattern[str]) -> bool:
    """Tell whether *hook* runs a command that matches *ours*."""
    command = cast("dict[str, Any]", hook).get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and ours.search(command) is not None


def with_groups(text: bytes, groups: Mapping[str, Mapping[str, Any]], is_ours: IsOurs) -> bytes:
    """Return *text* with *groups* by event, in our old places, which Codex' trust names, else last.

    Raises:
        JsonTextError: *text* is no JSON, or has something else there.
    """
    for event, group in groups.items():
        way = (HOOKS, event)
        known = [index for index, each in enumerate(items_at(text, way)) if is_ours(each)]
        for index in reversed(known[1:]):
            text = without_item(text, way, index)
        if not known:
            text = with_item(text, way, dict(group))
        elif items_at(text, way)[known[0]] != group:
            text = with_item_at(text, way, known[0], dict(group))
    return text


def without_groups(text: bytes, is_ours: IsOurs) -> bytes:
    """Return *text* without our groups and their lists.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    before = text
    for event in places(text, is_ours):
        text = _without_group(text, event, is_ours)
        if not value_at(text, (HOOKS, event)):
            text = without_member(text, (HOOKS, event))
    return without_member(text, (HOOKS,)) if text != before and not value_at(text, (HOOKS,)) else text


def places(text: bytes, is_ours: IsOurs) -> dict[str, list[bool]]:
    """Return, for events with a group of ours, whether each group is ours.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    known = value_at(text, (HOOKS,))
    events = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
    found: dict[str, list[bool]] = {}
    for event in events:
        are_ours = [is_ours(group) for group in items_at(text, (HOOKS, event))]
        if any(are_ours):
            found[event] = are_ours
    return found


def _without_group(text: bytes, event: str, is_ours: IsOurs) -> bytes:
    groups = items_at(text, (HOOKS, event))
    for index in reversed(range(len(groups))):
        if is_ours(groups[index]):
            text = without_item(text, (HOOKS, event), index)
    return text
