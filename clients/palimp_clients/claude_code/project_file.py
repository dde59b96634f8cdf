"""A project's shared `.mcp.json` names no folder: the relay is on the PATH or PALIMP_SHIM."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.client_files import Change, text_of
from palimp_clients.install.json_servers import edit_json_file, with_server, without_server

FILE: Final = ".mcp.json"
ENTRY: Final[Mapping[str, Any]] = {"type": "stdio", "command": "${PALIMP_SHIM:-palimp-shim}", "args": [], "env": {}}

_JOURNALED: Final = re.compile(r"claude-code@(/.*)", re.DOTALL)


@dataclass(frozen=True)
class ProjectFile:
    """The registration in the project at *folder*."""

    folder: Path

    @property
    def name(self) -> str:
        """Its name in the installations' journal."""
        return f"claude-code@{self.folder}"

    def changes(self, env: Mapping[str, str], programs: Path) -> tuple[list[Change], list[str]]:
        """Return the changes, and remarks."""
        del env, programs  # it depends on neither
        change = edit_json_file(self.folder / FILE, partial(with_server, ENTRY), without_server)
        if change.before == change.after:
            return [], []
        return [change], ["Hooks are a user's own: `palimp install` without --scope registers them."]

    def present(self, env: Mapping[str, str]) -> list[Change]:
        """Return the present files."""
        del env
        path = self.folder / FILE
        return [Change(path, text_of(path), None, without_server)]


def project_in_journal(name: str) -> ProjectFile | None:
    """Return the journal's project *name*, or None."""
    match = _JOURNALED.fullmatch(name)
    return ProjectFile(Path(match[1])) if match else None
