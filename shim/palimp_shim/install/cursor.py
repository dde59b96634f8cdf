"""Cursor, from its documentation of 2026 (it was not run): its hooks in `~/.cursor/hooks.json`, beside its servers.

A hook that ends with 2 denies what it was asked about, so the command never fails, not even when palimp was removed.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from palimp_protocol.env.paths import home_directory
from palimp_shim.install.claude_code import edited
from palimp_shim.install.files import Change, text_of
from palimp_shim.install.json_edit import items_at, value_at, with_item, with_member, without_item, without_member
from palimp_shim.install.json_structure import BOM
from palimp_shim.install.own_file import Servers

NAME: Final = "cursor"

HOOKS: Final[Mapping[str, str]] = {
    "sessionStart": "",
    "beforeSubmitPrompt": "",
    "preToolUse": "Shell|Read|Write|Delete",
    "postToolUse": "Shell|Delete",
    "postToolUseFailure": "Shell",
    "afterFileEdit": "",
    "stop": "",
    "preCompact": "",
    "sessionEnd": "",
}
"""The events that palimp hears of, and of which tools; an edit that was made is `afterFileEdit`."""

HOOK_S: Final = 5
"""Seconds after which the client gives a hook up; it gives itself up after a fraction of one."""

VERSION: Final = 1
"""Of the file's form; a file must say it."""

_OURS: Final = re.compile(r"palimp['\"]? hook \w+ --client cursor\b")


@dataclass(frozen=True)
class Cursor:
    """The client's files, before and after; *servers* is the one that names its servers."""

    servers: Servers

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return what an installation would change, and what is to be said.

        Raises:
            PalimpError: a file cannot be read, or is not what it should be; nothing was changed.
        """
        changes, said = self.servers.changes(env, programs)
        hooks = edited(_hooks_file(env), partial(with_hooks, programs), without_hooks)
        return [*changes, *([hooks] if hooks.before != hooks.after else [])], said

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the files that an installation may have changed, as they are now."""
        path = _hooks_file(env)
        return [*self.servers.present(env), Change(path, text_of(path), None, without_hooks)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client knows our server."""
        return self.servers.is_installed(env)

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client was ever used here."""
        return self.servers.is_there(env)


def with_hooks(programs: Path, text: bytes) -> bytes:
    """Return the text of `hooks.json` with our hooks, each once, and with this *programs* folder.

    Raises:
        JsonTextError: *text* is no JSON, or something on the way is of another type.
    """
    if value_at(text, ("version",)) is None:
        text = with_member(text, ("version",), VERSION)
    program = shlex.quote(str(programs / "palimp"))
    for event, matcher in HOOKS.items():
        hook: dict[str, Any] = {
            "command": f"{program} hook {event} --client {NAME} 2>/dev/null || :",
            "timeout": HOOK_S,
        }
        if matcher:
            hook["matcher"] = matcher
        if hook not in items_at(text, ("hooks", event)):
            text = with_item(_without_hook(text, event), ("hooks", event), hook)
    return text


def without_hooks(text: bytes) -> bytes:
    """Return the text of `hooks.json` without our hooks, and without the lists that were only theirs.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    before = text
    for event in HOOKS if text.removeprefix(BOM).strip() else ():
        without = _without_hook(text, event)
        if without != text and not value_at(without, ("hooks", event)):
            without = without_member(without, ("hooks", event))
        text = without
    return without_member(text, ("hooks",)) if text != before and not value_at(text, ("hooks",)) else text


def _without_hook(text: bytes, event: str) -> bytes:
    hooks = items_at(text, ("hooks", event))
    for index in reversed(range(len(hooks))):
        command = cast("dict[str, Any]", hooks[index]).get("command") if isinstance(hooks[index], dict) else None
        if isinstance(command, str) and _OURS.search(command):
            text = without_item(text, ("hooks", event), index)
    return text


def _hooks_file(env: Mapping[str, str]) -> Path:
    return Path(home_directory(env)) / ".cursor" / "hooks.json"
