"""A repository's remote address, in one spelling."""

import re
from pathlib import Path
from typing import Final

from palimp_daemon.git.git_repository import answer_of

_URL: Final = re.compile(r"[a-z+]+://(?:[^/@]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)", re.IGNORECASE)
_SCP: Final = re.compile(r"(?:[^/@:]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.+)")


def remote_of(tree: Path) -> str:
    """Return `host/path` of `origin`; empty without one, or for a local path.

    Raises:
        GitError: git cannot be asked.
    """
    return normalized_remote(answer_of(tree, "config", "--get", "remote.origin.url"))


def normalized_remote(url: str) -> str:
    """Return `host/path` of *url*, without user, port and `.git`; empty for a local path."""
    match = _URL.fullmatch(url) or _SCP.fullmatch(url)
    if match is None or url.startswith("file:"):
        return ""
    path = match["path"].strip("/").removesuffix(".git").strip("/")
    return f"{match['host'].lower()}/{path}"
