"""The version of a client's program that npm has installed: it stands in the package that the program is in."""

import json
import os
import shutil
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

from palimp_shim.bounded_files import read_bounded

PARENTS_MAX: Final = 4
"""Folders above the program in which its package is looked for."""

PACKAGE_BYTES_MAX: Final = 256 * 1024
"""A `package.json`; they have some thousands of bytes."""

Version = tuple[int, ...]


def version_of(program: str, package: str, env: Mapping[str, str]) -> Version | None:
    """Return the version of the *package* whose *program* is on the PATH; None where that cannot be told."""
    path = shutil.which(program, path=env.get("PATH", os.defpath))
    if path is None:
        return None
    for folder in islice(Path(os.path.realpath(path)).parents, PARENTS_MAX):
        if version := _version_in(folder / "package.json", package):
            return version
    return None


def _version_in(path: Path, package: str) -> Version | None:
    try:
        found: Any = json.loads(read_bounded(path, PACKAGE_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return None
    said = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    numbers = str(said.get("version")).partition("-")[0].split(".")
    is_it = said.get("name") == package and all(number.isdecimal() and number.isascii() for number in numbers)
    return tuple(map(int, numbers)) if is_it else None
