"""Sessions of admitted browsers.

Only a cookie's hash is kept, so the file for the next daemon (`settings.kept_page`) admits nobody.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final, NamedTuple

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.env.used_page import KnownBrowser

SECRET_BYTES: Final = 32

SESSIONS_MAX: Final = 16
"""Browsers at once; a new one replaces the oldest."""

MESSAGES_MAX: Final = 32
"""Messages a browser may still ask for, e.g. after a reload."""

PROJECTS_MAX: Final = 64
"""Projects with a remembered time of the last look."""

COOKIES_MAX: Final = 16
"""Cookies of our name that are read: other ports may have set some."""


class Message(NamedTuple):
    """The outcome of a change, and the act that undoes it."""

    text: str
    act: str = ""
    is_error: bool = False


class BrowserSession:
    """An admitted browser."""

    def __init__(self, zone: str, form_token: str) -> None:
        self.zone = zone
        self.form_token = form_token
        self._messages: BoundedDict[str, Message] = BoundedDict(MESSAGES_MAX)
        self._looked: BoundedDict[str, int] = BoundedDict(PROJECTS_MAX)

    def looked_before(self, key: str, at: int) -> int:
        """Return when the project *key* was viewed before this session; *at* on the first call.

        So new entries stay marked.
        """
        return self._looked.setdefault(key, at)

    def keep(self, message: Message) -> str:
        """Keep *message* for the next page; return its name."""
        name = secrets.token_urlsafe(9)
        self._messages[name] = message
        return name

    def message(self, name: str) -> Message | None:
        """Return the message called *name*, or None."""
        return self._messages.get(name)


class BrowserSessions:
    """Sessions by the hash of their cookie; *known* are the previous daemon's."""

    def __init__(self, known: Iterable[KnownBrowser] = ()) -> None:
        self._sessions: BoundedDict[str, BrowserSession] = BoundedDict(SESSIONS_MAX)
        for each in known:
            self._sessions[each.cookie_hash] = BrowserSession(each.zone, each.form_token)

    def open(self, zone: str) -> tuple[str, BrowserSession]:
        """Admit a browser; return its cookie and its session."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        self._sessions[_hash_of(secret)] = session = BrowserSession(zone, secrets.token_urlsafe(SECRET_BYTES))
        return secret, session

    def as_known(self) -> list[KnownBrowser]:
        """Return them for the next daemon."""
        return [
            KnownBrowser(cookie_hash=cookie, form_token=each.form_token, zone=each.zone)
            for cookie, each in self._sessions.items()
        ]

    def of(self, cookies: Iterable[str]) -> BrowserSession | None:
        """Return the session of one of *cookies*, or None."""
        for given in [*cookies][:COOKIES_MAX]:
            hashed = _hash_of(given)
            for known, session in self._sessions.items():
                if hmac.compare_digest(hashed.encode(), known.encode("utf-8", "replace")):
                    return session
        return None


def _hash_of(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()


def cookie_values(headers: Iterable[str], name: str) -> list[str]:
    """Return all cookies called *name* in the Cookie *headers*."""
    pairs = (pair.strip().partition("=") for header in headers for pair in header.split(";"))
    return [value for key, _, value in pairs if key == name]
