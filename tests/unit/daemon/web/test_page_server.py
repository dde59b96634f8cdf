"""The page is served while it is used, and its port is closed half an hour after the last look."""

import socket
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio

from palimp_daemon.settings import page_access
from palimp_daemon.settings.kept_page import KeptPage
from palimp_daemon.settings.page_access import PageAccess
from palimp_daemon.web.page_server import keep_serving_page
from palimp_protocol.env.page_address import UNUSED_S
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.introspection import Page


class Log(list[str]):
    """What happened."""

    def __call__(self, event: str, **_: object) -> None:
        self.append(event)


class Settings:
    """No port is set, and none can be kept."""

    def current(self, _: object) -> "Settings":
        return self

    def number(self, _: str) -> int:
        return 0

    async def answer(self, *_: object) -> None:
        """Keep nothing."""


@pytest.mark.parametrize(("passed_s", "is_open"), [(UNUSED_S - 60, True), (UNUSED_S + 60, False)])
async def test_it_closes_half_an_hour_after_it_was_asked_for_or_used_last(
    nursery, autojump_clock, monkeypatch, tmp_path: Path, passed_s: float, *, is_open: bool
):
    monkeypatch.setattr(page_access, "are_users_known", lambda: True)
    settings: Any = Settings()
    access, log = PageAccess(settings, settings, KeptPage(tmp_path / "page.json")), Log()
    anything: Any = SimpleNamespace()
    nursery.start_soon(keep_serving_page, access, anything, trio.Event, log)
    port = urlsplit((await access.answer(Page(), Caller())).page).port
    assert port

    await trio.sleep(passed_s)

    assert bool(access.url) == is_open
    assert ("page_closed" in log) != is_open
    with socket.socket() as probe:
        refused = True
        with suppress(ConnectionRefusedError):
            probe.connect(("127.0.0.1", port))
            refused = False
    assert refused != is_open
    nursery.cancel_scope.cancel()
