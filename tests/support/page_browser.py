"""Asks the page as a browser does: the headers that a browser sets by itself, the cookie, and the forms as they are."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from daemon_asking import ask

FORM = re.compile(r'(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


class Answer(NamedTuple):
    """A page as it came."""

    status: int
    headers: dict[str, str]
    text: str

    def form(self, action_end: str) -> tuple[str, dict[str, str]]:
        """Return where the form goes whose address ends so, and its hidden fields."""
        found = [(where, inner) for where, inner in FORM.findall(self.text) if where.endswith(action_end)]
        assert found, f"no form leads to {action_end}:\n{self.text}"
        where, inner = found[0]
        return html.unescape(where), {name: html.unescape(value) for name, value in HIDDEN.findall(inner)}


class PageBrowser:
    """A browser that was let in by `palimp page` in *folder*."""

    def __init__(self, env: dict[str, str], folder: Path, **arguments: object) -> None:
        self.address = ask(env, folder, "page", **arguments)
        self.port = urlsplit(self.address.page).port
        assert self.port is not None
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = ""
        self.way_in = urlsplit(self.address.url).path
        answer = self.get(self.way_in)
        assert answer.status == 303, answer
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.first = answer.headers["location"]

    def get(self, path: str, **headers: str) -> Answer:
        """Open *path* as one that was typed."""
        return self.send("GET", path, None, {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document", **headers})

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Answer:
        """Send a form of the page's own."""
        own = {
            "Sec-Fetch-Site": "same-origin",
            "Sec-Fetch-Dest": "document",
            "Origin": f"http://{self.host}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return self.send("POST", path, urlencode(fields), {**own, **headers})

    def send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        """Send just that, with the cookie."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        with_cookie = {"Cookie": self.cookie, **headers} if self.cookie else headers
        try:
            connection.request(method, path, body, {"Host": self.host, **with_cookie})
            reply = connection.getresponse()
            return Answer(
                reply.status,
                {name.lower(): value for name, value in reply.getheaders()},
                reply.read().decode("utf-8", "replace"),
            )
        finally:
            connection.close()

    @contextmanager
    def stream(self, path: str) -> Iterator[Iterator[str]]:
        """Open a stream of events; give its lines, as they come, but empty ones."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        own = {"Host": self.host, "Cookie": self.cookie, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty"}
        try:
            connection.request("GET", path, headers=own)
            reply = connection.getresponse()
            assert reply.status == 200, reply.read()
            yield (line.decode().strip() for line in reply if line.strip())
        finally:
            connection.close()

    def follow(self, answer: Answer) -> Answer:
        """Open the page that a form's answer leads to."""
        assert answer.status == 303, answer.text
        return self.get(answer.headers["location"])
