"""Admit or refuse requests of browsers, and give the headers of every answer.

Any program here can reach the port, and any web page can make a browser do so. A request must pass all checks:

* the user at the other end is ours (`runtime.peer_user`, checked at the connection);
* Host is the address and the port (DNS rebinding);
* Sec-Fetch-Site, which no script can set, is `same-origin`, or `none` for a typed address; other ports of 127.0.0.1
  are `same-site`, and get cookies, too;
* no frame, embedded object or prefetch asks;
* the cookie was given out for a token of `palimp page`;
* a change has an Origin with the port, and the form's token.

Programs of the same user can forge this, but can also ask the daemon directly.
"""

import hmac
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.http_serving import HOST

WAY_IN: Final = "/in/"
"""Beginning of the path that spends a token."""

CHANGES: Final = "POST"

METHODS: Final = ("GET", "HEAD", CHANGES)

FRAMES: Final = frozenset({"iframe", "frame", "object", "embed", "fencedframe", "serviceworker", "worker"})
"""Values of Sec-Fetch-Dest that would embed the page, or act for it later."""

FORM_TYPE: Final = "application/x-www-form-urlencoded"

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer` browsers send the Origin `null` with forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Knock(NamedTuple):
    """The checked parts of a request; all values of each header."""

    method: str
    path: str
    hosts: Sequence[str]
    origins: Sequence[str]
    sites: Sequence[str]
    """Sec-Fetch-Site."""
    destinations: Sequence[str]
    """Sec-Fetch-Dest."""
    purposes: Sequence[str]
    """Sec-Purpose: the answer may never be looked at."""
    content_types: Sequence[str] = ()
    form_token: str = ""


class Refusal(NamedTuple):
    """A status, and a sentence on what to do."""

    status: int
    text: str


CLOSED: Final = Refusal(401, "You are not let in, or the page was closed meanwhile. Run `palimp page` again.")
NO_TOKEN: Final = Refusal(
    401, "This address was used already, or is older than a minute. Run `palimp page` for a new one."
)


OTHER_SESSION: Final = Refusal(403, "This form is not of this session. Open the page anew, and send it from there.")

LATE: Final = (CLOSED, OTHER_SESSION)
"""Refusals for an ended session or another's form; else the request is right."""


def refusal(knock: Knock, port: int, form_token: str | None) -> Refusal | None:
    """Return why *knock* at *port* is refused, or None.

    *form_token* is that of the cookie's session, if any; spending a token needs none.
    """
    origin = f"http://{HOST}:{port}"
    is_entering = knock.path.startswith(WAY_IN)
    checks = (
        (
            [each.lower() for each in knock.hosts] == [f"{HOST}:{port}"],
            Refusal(421, f"This server is called {origin} and nothing else."),
        ),
        (
            knock.method == "GET" if is_entering else knock.method in METHODS,
            Refusal(405, "There are GET, HEAD and POST; an address that opens the page is asked for with GET."),
        ),
        (
            not (FRAMES.intersection(knock.destinations) or knock.purposes),
            Refusal(403, "The page is shown in a window of its own, and not ahead of time."),
        ),
        (list(knock.origins) in ([], [origin]), Refusal(403, "Requests of other pages are not answered.")),
        (
            list(knock.sites) in _sites(knock, is_entering=is_entering),
            Refusal(403, f"Links of other pages do not lead here. Type {origin}, or run `palimp page`."),
        ),
        (is_entering or form_token is not None, CLOSED),
    )
    no = next((each for is_right, each in checks if not is_right), None)
    if no or is_entering or form_token is None or knock.method != CHANGES:
        return no
    return _form_refusal(knock, form_token)


def _sites(knock: Knock, *, is_entering: bool) -> list[list[str]]:
    if is_entering:
        return [["none"]]
    return [["same-origin"]] if knock.method == CHANGES else [["same-origin"], ["none"]]


def _form_refusal(knock: Knock, form_token: str) -> Refusal | None:
    if len(knock.origins) != 1:
        return Refusal(403, "A change has to say which page it comes from (Origin).")
    kinds = [each.partition(";")[0].strip().lower() for each in knock.content_types]
    if kinds != [FORM_TYPE]:
        return Refusal(415, "A change is sent as a form.")
    if not hmac.compare_digest(knock.form_token.encode("utf-8", "replace"), form_token.encode()):
        return OTHER_SESSION
    return None
