"""The operation `page`: state and tokens of the page.

A token is 256 random bits in an address, valid once for TOKEN_S.
"""

import hmac
import secrets
import socket
from typing import Final, NamedTuple

import trio

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.peer_user import are_users_known
from palimp_daemon.settings.config_operation import ConfigOperation
from palimp_daemon.settings.kept_page import KeptPage
from palimp_daemon.settings.resolver import Settings
from palimp_protocol.env.used_page import KnownBrowser, UsedPage
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.introspection import Page, PageAddress
from palimp_protocol.messages.setting_messages import Configure

TOKEN_BYTES: Final = 32

TOKEN_S: Final = 60
"""Seconds that a token is valid: a cold browser starts in ten."""

TOKENS_MAX: Final = 16
"""Unused tokens in memory; the oldest gives way."""

# fmt: off
BLOCKED_PORTS: Final = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
    540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
    6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
})
# fmt: on
"""Other protocols' ports, which browsers refuse (fetch standard: "bad ports")."""

SETTLE_S: Final = 20.0
"""Seconds that a command waits for the page: importing it takes 0.5, more under load."""


class Arrival(NamedTuple):
    """A token's place, and its owner's time zone."""

    project: ProjectRef | None
    memory: str
    """Id of the memory to show; empty: the project's first page."""
    zone: str


def _require_free(port: int, url: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            text = f"Port {port} cannot be used: {error.strerror}."
            raise PalimpError(ErrorCode.REFUSED, text, f"The page stays at {url}") from None


class PageAccess:
    """Wanted and actual state of the page, and its tokens."""

    def __init__(self, settings: Settings, config_operation: ConfigOperation, kept: KeptPage) -> None:
        self.kept = kept
        self._known: UsedPage | None = None
        self._settings = settings
        self._config_operation = config_operation
        self._lock = trio.Lock()
        self._tokens: BoundedDict[str, tuple[float, Arrival]] = BoundedDict(TOKENS_MAX)
        self.wanted_port: int | None = None
        """Port for the page, 0 for any; None: not wanted."""
        self.asked_at = 0.0
        """Time of the last request for an address, by trio's clock."""
        self.url = ""
        """The page's address; empty: not served."""
        self.changed = trio.Event()
        """Set, and replaced, when *wanted_port* must be looked at."""
        self._settled = trio.Event()
        self._problem = ""

    def resume(self, now_ms: int) -> None:
        """Want the page again if used until lately."""
        self._known = self.kept.read(now_ms)
        if self._known:
            self.wanted_port = self._known.port
            self.asked_at = trio.current_time() - self._known.unused_s(now_ms)

    def known_at(self, port: int) -> list[KnownBrowser]:
        """Return, once, the browsers that the previous daemon admitted at *port*."""
        known, self._known = self._known, None
        return known.browsers if known and known.port == port else []

    async def wait_until_wanted(self) -> int:
        """Wait until the page is wanted; return its port."""
        while self.wanted_port is None:
            await self.changed.wait()
        return self.wanted_port

    def settle(self, url: str, problem: str = "") -> None:
        """Set the page's address; after a *problem* it is no longer wanted."""
        self.url, self._problem = url, problem
        if not url:
            self.wanted_port = None
            self._tokens.clear()
        self._settled.set()
        self._settled = trio.Event()

    def spend(self, token: str, now: float) -> Arrival | None:
        """Consume *token* and return its place; None: invalid."""
        given = token.encode("utf-8", "replace")
        for each in [*self._tokens]:
            if hmac.compare_digest(each.encode(), given):
                ends_at, arrival = self._tokens.pop(each)
                return arrival if now < ends_at else None
        return None

    async def answer(self, request: Page, caller: Caller) -> PageAddress:
        """Have the page served, and return an address that opens it once.

        Raises:
            PalimpError: it cannot be served, or an agent's session asks.
        """
        if caller.session is not None:
            hint = "Run `palimp page` in a terminal of your own: what is done on the page counts as a person's."
            raise PalimpError(ErrorCode.REFUSED, "An agent's session gets no address of the page.", hint)
        self.asked_at = trio.current_time()
        async with self._lock:
            notes = await self._serve(request.port)
            token = secrets.token_urlsafe(TOKEN_BYTES)
            self._tokens[token] = (trio.current_time() + TOKEN_S, Arrival(caller.project, request.id, caller.zone))
            return PageAddress(url=f"{self.url}in/{token}", page=self.url, seconds=TOKEN_S, notes=notes)

    async def _serve(self, port: int | None) -> list[str]:
        if not are_users_known():
            raise PalimpError(
                ErrorCode.REFUSED,
                "The page cannot be served here: this system does not tell which user a connection is of.",
                "It needs Linux. Commands show the same: `palimp list`, `palimp show`, `palimp undo --list`.",
            )
        kept = self._settings.current(None).number("page.port")
        wanted = port or (self.wanted_port if self.wanted_port is not None else kept)
        if wanted in BLOCKED_PORTS:
            hint = "Take another: `palimp page --port 8430`, or `palimp config set page.port 8430`."
            raise PalimpError(ErrorCode.BAD_REQUEST, f"Browsers open no page at port {wanted}.", hint)
        if self.url and (wanted == self.wanted_port or self.url.endswith(f":{wanted}/")):
            return []
        if self.url and wanted:
            _require_free(wanted, self.url)
        settled, self.wanted_port = self._settled, wanted
        self.changed.set()
        self.changed = trio.Event()
        with trio.move_on_after(SETTLE_S):
            await settled.wait()
        if not self.url:
            if self._problem:
                raise PalimpError(ErrorCode.REFUSED, self._problem)
            raise PalimpError(ErrorCode.BUSY, f"The page was not ready within {SETTLE_S:.0f} s.", "Try again.")
        return await self._keep_port() if not wanted else []

    async def _keep_port(self) -> list[str]:
        """Keep the port, so that old addresses stay valid."""
        port = self.url.rstrip("/").rpartition(":")[2]
        try:
            await self._config_operation.answer(Configure(key="page.port", value=port), Caller())
        except PalimpError as error:
            return [f"Port {port} is not kept for the next time: {error.text}"]
        return []
