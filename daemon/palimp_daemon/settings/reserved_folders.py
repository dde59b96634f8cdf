"""Folders of a project that cannot hold its documents."""

import unicodedata
from pathlib import PurePath
from typing import Final

from palimp_protocol.text import without_control

OF_VERSION_CONTROL: Final = frozenset({".git", "git~1", ".hg", ".svn", ".jj", ".bzr", ".pijul", ".sl"})
"""Folders from which version control runs files."""


def is_reserved(path: PurePath) -> bool:
    """Tell whether *path*, within a project, is in a folder of version control, or is palimp's own."""
    # as the laxest file system compares names: without case, forms, invisible characters, and final dots
    parts = [unicodedata.normalize("NFKC", without_control(part)).casefold().rstrip(" .") for part in path.parts]
    is_palimps = parts[:1] == [".palimp"] and (len(parts) == 1 or parts[1] == "config.toml")
    return is_palimps or not OF_VERSION_CONTROL.isdisjoint(parts)
