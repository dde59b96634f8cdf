"""Compare versions: a process adds the time of palimp's newest file, by PEP 440's local version."""

import os
import re
import time
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder

from palimp_protocol import __version__

PACKAGES = ("palimp_protocol", "palimp_clients", "palimp_daemon", "palimp_neighbours")
"""Packages that a daemon runs, without clients' own."""

_VERSION = re.compile(r"(\d+(?:\.\d+)*)[^+]*(?:\+(\d+)$)?")


def is_newer(one: str, other: str) -> bool:
    """Tell whether *one* is newer, by release, then build; no version is neither newer nor older."""
    mine, theirs = _numbers(one), _numbers(other)
    return mine is not None and theirs is not None and mine > theirs


@cache
def running_version() -> str:
    """Return this process's version, with build (UTC) if files are readable. Takes some 3 ms, once."""
    try:
        newest = max((at for package in PACKAGES for at in _changes_in(package)), default=0.0)
    except OSError:
        newest = 0.0
    return f"{__version__}+{time.strftime('%Y%m%d%H%M%S', time.gmtime(newest))}" if newest else __version__


def release_of(version: str) -> str:
    """Return *version* without its build."""
    return version.partition("+")[0]


def _changes_in(package: str) -> Iterator[float]:
    found = PathFinder.find_spec(package)
    for folder in (found and found.submodule_search_locations) or ():
        yield from _changes_below(folder)


def _changes_below(folder: str) -> Iterator[float]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".sql")):
                yield entry.stat().st_mtime
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _changes_below(entry.path)


def _numbers(version: str) -> tuple[list[int], int] | None:
    match = _VERSION.match(version)
    if match is None:
        return None
    numbers = [int(part) for part in match[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers, int(match[2] or 0)
