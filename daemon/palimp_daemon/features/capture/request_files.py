"""The files of pending captures, and the last ones' outcomes."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from palimp_daemon.runtime.files import replace_file, sync_folder
from palimp_daemon.text.messages import Message
from palimp_protocol.decoders import decoder_of
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.limits import CAPTURE_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.session_messages import CaptureRun

FILE_BYTES_MAX: Final = 16 * CAPTURE_CHARACTERS_MAX
"""Bytes of one file: JSON has up to six per character, and some per message."""

OUTCOMES_MAX: Final = 20
"""Finished captures with results kept, the newest."""

SUFFIX: Final = ".json"


class CaptureRequest(Struct, frozen=True):
    """A requested capture; once over, without its messages."""

    id: str
    """The request's, in hex; names the file."""
    caller: Caller
    run: CaptureRun
    path: str = ""
    """The file named, or the session's transcript; empty for a text."""
    messages: list[Message] | None = None
    """Without secrets; None: still in the session's transcript."""
    too_long: int = 0
    """Lines of the transcript skipped for their length."""


class RequestFiles:
    """A folder with a file per requested capture."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, request: CaptureRequest) -> None:
        """Write *request* over its former state.

        Raises:
            OSError: it cannot be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(self._path(request), msgspec.json.encode(request), 0o600)

    def remove(self, requests: Sequence[CaptureRequest]) -> None:
        """Remove the files of *requests*."""
        for request in requests:
            with suppress(OSError):  # it is said once more what came of it
                self._path(request).unlink(missing_ok=True)
        if requests:
            with suppress(OSError):
                sync_folder(self._folder)

    def read(self) -> list[CaptureRequest]:
        """Return the folder's requests, oldest first; other files are skipped."""
        found: list[CaptureRequest] = []
        with suppress(OSError):
            for path in self._folder.glob(f"*{SUFFIX}"):
                with suppress(OSError, msgspec.MsgspecError):
                    data = read_bounded(path, FILE_BYTES_MAX, follows_links=False)
                    request = decoder_of(CaptureRequest).decode(data)
                    found += [request] if self._path(request) == path else []
        return sorted(found, key=lambda each: each.run.at)

    def _path(self, request: CaptureRequest) -> Path:
        return self._folder / f"{request.id}{SUFFIX}"
