"""Clients with servers and hooks in one settings file like Claude Code's: Gemini CLI and Qwen Code.

Hooks never fail nor print: Gemini CLI takes a missing command for a denial, and shows stderr.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from palimp_clients.install.client_files import Change, text_of
from palimp_clients.install.hook_groups import IsOurs, group_of, with_groups, without_groups
from palimp_clients.install.json_edit import value_at
from palimp_clients.install.json_servers import SERVER, edit_json_file, with_server, without_server
from palimp_clients.install.json_structure import BOM, JsonTextError
from palimp_clients.install.npm_package import Version, version_on_path

FILE: Final = "settings.json"
HOOK_NAME: Final = "palimp"
"""Our hooks' name in the client's lists, for switching them off."""

HOOK_MS: Final = 5_000
"""The client's timeout in milliseconds; hooks end far sooner. Qwen Code reads so large a number as milliseconds, too;
its older versions any number.
"""

SILENTLY: Final = "2>/dev/null || true"


@dataclass(frozen=True)
class HookedSettings:
    """Such a client; *events*: palimp's, with matchers."""

    name: str
    folder: Callable[[Mapping[str, str]], Path]
    program: str
    package: str
    """On npm."""
    hooks_since: Version
    """First version that runs hooks by default."""
    events: Mapping[str, str]
    why_off: Callable[[Mapping[str, Any]], str]
    """Returns the setting that switches hooks off; empty: they are on."""

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        change = edit_json_file(self._path(env), partial(self._with, programs), self._without)
        return ([change] if change.before != change.after else []), []

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        path = self._path(env)
        return [Change(path, text_of(path), None, self._without)]

    def is_installed(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client knows our server."""
        try:
            return value_at(text_of(self._path(env)) or b"{}", SERVER) is not None
        except JsonTextError:
            return False

    def is_there(self, env: Mapping[str, str]) -> bool:
        """Tell whether the client was used here, or can be."""
        is_on_path = shutil.which(self.program, path=env.get("PATH", os.defpath)) is not None
        return self.folder(env).is_dir() or is_on_path

    def settle(self, env: Mapping[str, str], programs: Path) -> list[str]:
        """Return why the client does not run our hooks."""
        why, _ = self.disuse_reason(env, programs)
        return [why] if why else []

    def disuse_reason(self, env: Mapping[str, str], programs: Path) -> tuple[str, bool]:
        """Return why hooks are not run, and whether that is certain."""
        del programs
        version = version_on_path(self.program, self.package, env)
        if version is not None and version < self.hooks_since:
            return f"It is version {version}, which runs no hooks by itself: {self.hooks_since} does.", True
        try:
            found: Any = value_at(text_of(self._path(env)) or b"{}", ())
        except JsonTextError:
            return "", False
        setting = self.why_off(cast("dict[str, Any]", found)) if isinstance(found, dict) else ""
        return (f"palimp's hooks are switched off in its settings, by {setting}.", True) if setting else ("", False)

    def _path(self, env: Mapping[str, str]) -> Path:
        return self.folder(env) / FILE

    def _with(self, programs: Path, text: bytes) -> bytes:
        entry: dict[str, Any] = {"command": str(programs / "palimp-shim"), "args": []}
        return with_groups(with_server(entry, text), self._groups(programs), self._is_ours)

    def _without(self, text: bytes) -> bytes:
        return without_groups(without_server(text), self._is_ours) if text.removeprefix(BOM).strip() else text

    def _groups(self, programs: Path) -> dict[str, dict[str, Any]]:
        program = shlex.quote(str(programs / "palimp"))
        groups: dict[str, dict[str, Any]] = {}
        for event, matcher in self.events.items():
            command = f"{program} hook {event} --client {self.name} {SILENTLY}"
            hook = {"type": "command", "name": HOOK_NAME, "command": command, "timeout": HOOK_MS}
            groups[event] = {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}
        return groups

    @property
    def _is_ours(self) -> IsOurs:
        return group_of(re.compile(rf"palimp['\"]? hook \w+ --client {self.name}\b"))
