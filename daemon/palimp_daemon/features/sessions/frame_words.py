"""The word in the marks of a project's frames, constant across restarts.

A client sends the model identical texts once. A repository cannot guess the word: its key is in a user's file.
"""

import hmac
import secrets
from pathlib import Path
from typing import Final

from palimp_daemon.render.frame import WORD_CHARACTERS
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.files import replace_file
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.messages.caller import Caller

KEY_BYTES: Final = 32

WORDS_MAX: Final = 256
"""Projects with words cached; users have tens."""


class FrameWords:
    """Gives each project's word by the key in *path*, made if missing."""

    def __init__(self, path: Path) -> None:
        self._key = _key_in(path)
        self._words: BoundedDict[str, str] = BoundedDict(WORDS_MAX)

    def of(self, caller: Caller) -> str:
        """Return the word of *caller*'s project."""
        project = caller.root
        if (word := self._words.get(project)) is None:
            digest = hmac.new(self._key, project.encode("utf-8", "surrogateescape"), "sha256")
            word = self._words[project] = digest.hexdigest()[:WORD_CHARACTERS]
        return word


def _key_in(path: Path) -> bytes:
    try:
        key = bytes.fromhex(read_bounded(path, 4 * KEY_BYTES, follows_links=False).decode("ascii").strip())
        if len(key) == KEY_BYTES:
            return key
    except (OSError, ValueError):
        pass  # there is none, or none that can be used
    key = secrets.token_bytes(KEY_BYTES)
    try:
        replace_file(path, f"{key.hex()}\n".encode(), 0o600)
    except OSError:
        return key  # on a full disk, or one that cannot be written: it lasts as long as this daemon
    return key
