"""Codex' trust in our hooks: granted through its app server, read, and removed.

Codex silently skips untrusted hooks. Only this installation's very commands are trusted, by Codex' hashes.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from palimp_clients.codex.app_server import SAID_MAX, AppServer, AppServerError, app_server

PROGRAM: Final = "codex"
BY_HAND: Final = "In Codex, /hooks shows them and lets you trust them."
TRUSTED: Final = frozenset({"trusted", "managed"})


class Hook(NamedTuple):
    """A hook of ours as Codex sees it."""

    key: str
    event: str
    hash: str
    is_trusted: bool
    is_enabled: bool


class Trust(NamedTuple):
    """Codex' view of our hooks; *problem*: why *skipped* is unknown."""

    skipped: tuple[str, ...]
    problem: str = ""


def read(env: Mapping[str, str], file: Path, commands: Mapping[str, str]) -> Trust:
    """Return the trust in our hooks; *commands* are by event."""
    return _ask_trust(env, file, commands, lambda _, hooks: hooks)


def grant(env: Mapping[str, str], file: Path, commands: Mapping[str, str]) -> Trust:
    """Have Codex trust our hooks; return the trust then."""

    def trust_hooks(server: AppServer, hooks: list[Hook]) -> list[Hook]:
        wanted = {hook.key: {"trusted_hash": hook.hash} for hook in hooks if not hook.is_trusted}
        if not wanted:
            return hooks
        edit = {"keyPath": "hooks.state", "value": wanted, "mergeStrategy": "upsert"}
        server.ask("config/batchWrite", {"edits": [edit]})
        return _hooks(server, file, commands)

    return _ask_trust(env, file, commands, trust_hooks)


def _ask_trust(
    env: Mapping[str, str],
    file: Path,
    commands: Mapping[str, str],
    work: Callable[[AppServer, list[Hook]], list[Hook]],
) -> Trust:
    program = shutil.which(PROGRAM, path=env.get("PATH", os.defpath))
    if program is None:
        return Trust((), "the program codex is not on the PATH")
    try:
        with app_server(program, env, file.parent) as server:
            hooks = work(server, _hooks(server, file, commands))
    except AppServerError as error:
        return Trust((), str(error))
    run = {hook.event for hook in hooks if hook.is_trusted and hook.is_enabled}
    return Trust(tuple(event for event in commands if event not in run))


def _hooks(server: AppServer, file: Path, commands: Mapping[str, str]) -> list[Hook]:
    """Codex lists none if it cannot read the file."""
    answer = _objects(server.ask("hooks/list", {"cwds": [str(file.parent)]}).get("data"))
    entries = [each for part in answer for each in _objects(part.get("hooks"))]
    found: list[Hook] = []
    for entry in entries:
        event = _event_named(entry.get("eventName"), commands)
        key, current = entry.get("key"), entry.get("currentHash")
        is_users = entry.get("source") == "user" and _is_same(entry.get("sourcePath"), file)
        if not event or not is_users or entry.get("command") != commands[event]:
            continue
        if isinstance(key, str) and isinstance(current, str):
            is_trusted = entry.get("trustStatus") in TRUSTED
            found.append(Hook(key, event, current, is_trusted, entry.get("enabled") is not False))
    warnings = [each for part in answer for each in _items(part.get("warnings")) if isinstance(each, str)]
    if not found and (about := [each for each in warnings if str(file) in each]):
        raise AppServerError(about[0][:SAID_MAX])
    return found


def _event_named(name: Any, commands: Mapping[str, str]) -> str:
    text = name if isinstance(name, str) else ""
    event = text[:1].upper() + text[1:]
    return event if event in commands else ""


def _is_same(path: Any, file: Path) -> bool:
    return isinstance(path, str) and os.path.realpath(path) == os.path.realpath(file)


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", item) for item in _items(value) if isinstance(item, dict)]


def moves(known: Mapping[str, Any], file: Path, places: Mapping[str, list[bool]]) -> dict[str, str]:
    """Return new keys of *known* once our groups are gone, empty for ours; *places* tell ours, by event."""
    found: dict[str, str] = {}
    for key in known:
        path, _, place = key.partition(f"{file.name}:")
        label, _, numbers = place.partition(":")
        group, _, handler = numbers.partition(":")
        are_ours = next((ours for event, ours in places.items() if _label(event) == label), list[bool]())
        if not group.isdecimal() or int(group) >= len(are_ours) or not _is_same(path + file.name, file):
            continue
        left = int(group) - sum(are_ours[: int(group)])
        if are_ours[int(group)]:
            found[key] = ""
        elif left != int(group):
            found[key] = f"{path}{file.name}:{label}:{left}:{handler}"
    return found


def _label(event: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")
