"""The operation `http`, and the token of HTTP clients.

The token is 256 random bits in a file that only its owner can read.
"""

import hmac
import os
import secrets
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.runtime.files import replace_file
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.config_operation import ConfigOperation
from palimp_daemon.settings.resolver import Settings
from palimp_protocol.env import paths
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.introspection import Http, HttpStatus
from palimp_protocol.messages.setting_messages import Configure

TOKEN_BYTES: Final = 32

LOOK_S: Final = 5.0
"""Seconds between two unprompted looks at the settings."""

SETTLE_S: Final = 20.0
"""Seconds that `enable` and `disable` wait for the server: importing the SDK takes one, more under load."""


class HttpAccess:
    """Wanted and actual state of HTTP, and its token."""

    def __init__(self, settings: Settings, config_operation: ConfigOperation) -> None:
        self._settings = settings
        self._config_operation = config_operation
        self.token_file = Path(paths.token_path(settings.env))
        self.url = ""
        """The server's address; empty: not running."""
        self.problem = ""
        self.changed = trio.Event()
        """Set, and replaced, when the server must look at the settings."""
        self.settled = trio.Event()
        """Set, and replaced, when the server reached its state or failed."""

    @property
    def wanted_port(self) -> int | None:
        """The wanted port; None: none."""
        values = self._settings.current(None)
        return values.number("http.port") if values.flag("http.enabled") else None

    async def wait_for_change(self, seconds: float = LOOK_S) -> None:
        """Wait for a change, or *seconds*: the file may have been edited."""
        with trio.move_on_after(seconds):
            await self.changed.wait()

    def settle(self, url: str, problem: str = "") -> None:
        """Set the server's address, or the problem."""
        self.url, self.problem = url, problem
        self.settled.set()
        self.settled = trio.Event()

    async def answer(self, request: Http) -> HttpStatus:
        """Apply *request* and return the new state.

        Raises:
            PalimpError: the settings or the token cannot be written.
        """
        token = ""
        if request.action in ("enable", "new_token"):
            is_new = request.action == "new_token" or not self.token_file.exists()
            token = await in_thread(partial(_make_token, self.token_file)) if is_new else ""
        if request.action == "enable" and request.port is not None:
            await self._set("http.port", str(request.port))
        if request.action in ("enable", "disable"):
            await self._set("http.enabled", "true" if request.action == "enable" else "false")
            await self._wait()
        return HttpStatus(
            is_enabled=self.wanted_port is not None,
            url=self.url,
            problem=self.problem,
            token_file=str(self.token_file),
            token=token,
        )

    async def _set(self, key: str, value: str) -> None:
        await self._config_operation.answer(Configure(key=key, value=value), Caller())

    async def _wait(self) -> None:
        settled = self.settled
        self.changed.set()
        self.changed = trio.Event()
        with trio.move_on_after(SETTLE_S):
            await settled.wait()

    def is_token(self, given: str) -> bool:
        """Tell whether *given* is the token; False if others can read it."""
        try:
            with open_plain(self.token_file) as stream:
                if os.fstat(stream.fileno()).st_mode & 0o077:
                    return False  # others could read it
                token = stream.read(1_000).decode("ascii").strip()
        except (OSError, ValueError):
            return False
        return bool(token) and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _make_token(path: Path) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    try:
        replace_file(path, token.encode() + b"\n", 0o600)
    except OSError as error:
        raise PalimpError(ErrorCode.STORE_UNAVAILABLE, f"{path} cannot be written: {error.strerror}.") from error
    return token
