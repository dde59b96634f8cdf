"""Projects that a person switched off: agents get nothing there, and nothing is stored.

The file, a line of JSON per project, works without the database; an unreadable line loses only itself.
"""

import json
from pathlib import Path
from typing import Final

from palimp_daemon.runtime.files import replace_file
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import PROJECTS_OFF_MAX, SWITCHES_BYTES_MAX
from palimp_protocol.messages.caller import Caller

OFF: Final = (
    "palimp is off for this project: a person switched it off. Nothing is stored, nothing is looked up and removed code"
    " is not watched here; do not call it again in this session. `palimp on`, in a terminal, switches it on."
)
"""Text for agents."""

Signature = tuple[int, int, int]


class Switches:
    """The projects that are off."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._signature: Signature | None = None
        self._roots: frozenset[str] = frozenset()
        self.problem = ""
        """Why the file cannot be read; its former content holds."""

    def is_off(self, caller: Caller) -> bool:
        """Tell whether *caller*'s project is off."""
        return caller.project is not None and caller.project.root in self.roots()

    def roots(self) -> frozenset[str]:
        """Return the roots of projects that are off."""
        try:
            at = self._path.stat()
        except FileNotFoundError:
            self._signature, self._roots, self.problem = None, frozenset(), ""
            return self._roots
        except OSError as error:
            self.problem = f"{self._path} cannot be read: {error.strerror}."
            return self._roots
        signature = (at.st_ino, at.st_size, at.st_mtime_ns)
        if signature != self._signature:
            try:
                with open_plain(self._path) as stream:
                    self._roots = _roots_in(stream.read(SWITCHES_BYTES_MAX))
                self._signature, self.problem = signature, ""
            except OSError as error:
                self.problem = f"{self._path} cannot be read: {error.strerror or error}."
        return self._roots

    def switch(self, root: str, *, on: bool) -> bool:
        """Switch the project at *root*; return whether that changed anything.

        Raises:
            PalimpError: the file cannot be written, or too many are off.
        """
        before = self.roots()
        after = before - {root} if on else before | {root}
        if after == before:
            return False
        data = "".join(f"{json.dumps(each)}\n" for each in sorted(after)).encode()
        if len(after) > PROJECTS_OFF_MAX or len(data) > SWITCHES_BYTES_MAX:
            text = f"{len(before):,} projects are off; more cannot be."
            raise PalimpError(ErrorCode.TOO_LARGE, text, "Switch those on that are gone: `palimp projects` shows them.")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(self._path, data, 0o600)
        except OSError as error:
            text = f"{self._path} cannot be written: {error.strerror}."
            raise PalimpError(ErrorCode.REFUSED, text, "Nothing was switched.") from None
        return True


def _roots_in(data: bytes) -> frozenset[str]:
    found: set[str] = set()
    for line in data.splitlines():
        try:
            root = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(root, str):
            found.add(root)
    return frozenset(found)
