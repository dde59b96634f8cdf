"""Versions of clients' programs, by their npm packages."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from palimp_protocol.env.plain_files import read_bounded

PARENTS_MAX: Final = 4
"""Folders above the program that are searched for its package."""

PACKAGE_BYTES_MAX: Final = 256 * 1024
"""Bytes of a `package.json`; they have some thousands."""

ASKING_S: Final = 5.0
"""Seconds for a program's answer: some start slowly, or all on a busy machine."""

_NUMBERS: Final = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,9})(?:[-+ ].*)?", re.DOTALL | re.ASCII)


class Version(NamedTuple):
    """The three numbers of a version."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        """Return it as the program writes it."""
        return f"{self.major}.{self.minor}.{self.patch}"


def parse_version(text: str) -> Version | None:
    """Return the version at *text*'s beginning, or None."""
    match = _NUMBERS.fullmatch(text)
    return Version(*(int(number) for number in match.groups())) if match else None


def version_on_path(program: str, package: str, env: Mapping[str, str]) -> Version | None:
    """Return *package*'s version by its *program* on the PATH, or None."""
    path = shutil.which(program, path=env.get("PATH", os.defpath))
    return version_around(Path(path), package) if path else None


def version_around(program: Path, package: str) -> Version | None:
    """Return *package*'s version around the file *program*, or None."""
    above = islice(Path(os.path.realpath(program)).parents, PARENTS_MAX)
    return next((version for folder in above if (version := _version_in(folder / "package.json", package))), None)


def version_told(program: Path, env: Mapping[str, str], name: str = "") -> Version | None:
    """Return the version that *program* prints after *name*."""
    try:
        done = subprocess.run(
            [str(program), "--version"],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASKING_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    said = done.stdout.decode(errors="replace").strip()
    return parse_version(said.removeprefix(name).strip()) if done.returncode == 0 else None


def _version_in(path: Path, package: str) -> Version | None:
    try:
        found: Any = json.loads(read_bounded(path, PACKAGE_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return None
    said = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return parse_version(str(said.get("version"))) if said.get("name") == package else None
