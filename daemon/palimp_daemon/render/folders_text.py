"""Hints at other projects, in a folder without memories."""

import shlex

from palimp_protocol.limits import PATH_CHARACTERS_MAX
from palimp_protocol.text import count_of, shown_name


def moved_text(root: str, memories: int, *, leads_here: bool) -> str:
    """Return the hint at memories of *root*, which was moved or leads here."""
    former, known = _path(root), count_of(memories, "memory")
    are = "is" if memories == 1 else "are"
    if leads_here:
        found = f"{former}, which leads to this folder now, has {known} that {are} not shown here."
    else:
        found = (
            f"This folder has no memories, but {former}, which is gone and had the same history or name, has {known}."
        )
    return f"{found} The user decides whether it was moved: `palimp adopt {former}` brings them here."


def nearby_text(root: str, memories: int) -> str:
    """Return the hint at the project *root*, around or in this folder."""
    other = _path(root)
    return (
        f"This folder is a project of its own without memories; {other} has {count_of(memories, 'memory')}."
        f" The user decides: `palimp projects link {other}` makes both one project."
    )


def _path(root: str) -> str:
    return shlex.quote(shown_name(root, PATH_CHARACTERS_MAX))
