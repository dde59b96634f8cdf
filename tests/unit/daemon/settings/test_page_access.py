"""The way in to the page: a token is good once, for a minute, and the port is chosen once."""

from typing import Any

import pytest
import trio

from palimp_daemon.settings import page_access
from palimp_daemon.settings.kept_page import KeptPage
from palimp_daemon.settings.page_access import TOKEN_S, TOKENS_MAX, PageAccess
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.introspection import Page, PageAddress
from palimp_protocol.messages.setting_messages import Configure

CALLER = Caller(ProjectRef("/p", "p"), zone="Europe/Berlin")


class Settings:
    """The one setting that matters here, and what was set."""

    def __init__(self) -> None:
        self.port = 0
        self.is_broken = False

    def current(self, _: object) -> "Settings":
        return self

    def number(self, _: str) -> int:
        return self.port

    async def answer(self, request: Configure, _: Caller) -> None:
        if self.is_broken:
            raise PalimpError("store_unavailable", "It cannot be written.")
        self.port = int(request.value or "0")


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def access(settings: Any, nursery, monkeypatch, tmp_path) -> PageAccess:
    """Access to a page that is served at once wherever it is wanted, at 4711 where any port is."""
    monkeypatch.setattr(page_access, "are_users_known", lambda: True)
    made = PageAccess(settings, settings, KeptPage(tmp_path / "page.json"))

    async def serve() -> None:
        while True:
            port = await made.wait_until_wanted()
            made.settle(f"http://127.0.0.1:{port or 4711}/")
            await made.changed.wait()

    nursery.start_soon(serve)
    return made


def token_of(address: PageAddress) -> str:
    return address.url.rpartition("/")[2]


async def test_a_token_is_good_once(access: PageAccess):
    token = token_of(await access.answer(Page(id="m1"), CALLER))

    assert access.spend(token + "x", trio.current_time()) is None
    assert access.spend(token[:-1], trio.current_time()) is None
    assert access.spend(token, trio.current_time()) == (CALLER.project, "m1", "Europe/Berlin")
    assert access.spend(token, trio.current_time()) is None


async def test_a_token_is_good_for_a_minute(access: PageAccess):
    token = token_of(await access.answer(Page(), CALLER))

    assert access.spend(token, trio.current_time() + TOKEN_S) is None


async def test_tokens_that_nobody_uses_give_way(access: PageAccess):
    first, *_, last = [token_of(await access.answer(Page(), CALLER)) for _ in range(TOKENS_MAX + 1)]

    assert access.spend(first, trio.current_time()) is None
    assert access.spend(last, trio.current_time())


async def test_no_token_outlives_the_page(access: PageAccess):
    token = token_of(await access.answer(Page(), CALLER))
    access.settle("")

    assert access.spend(token, trio.current_time()) is None
    assert access.wanted_port is None


async def test_the_port_is_chosen_once_and_kept(access: PageAccess, settings: Settings):
    """A port that is named is for this time only."""
    await access.answer(Page(), CALLER)
    assert settings.port == 4711

    assert (await access.answer(Page(port=5000), CALLER)).page == "http://127.0.0.1:5000/"
    assert settings.port == 4711
    assert (await access.answer(Page(), CALLER)).page == "http://127.0.0.1:5000/"  # it is served there, after all


async def test_settings_that_cannot_be_written_are_said(access: PageAccess, settings: Settings):
    settings.is_broken = True

    [note] = (await access.answer(Page(), CALLER)).notes

    assert "4711 is not kept" in note


async def test_where_users_are_not_known_there_is_no_page(access: PageAccess, monkeypatch):
    monkeypatch.setattr(page_access, "are_users_known", lambda: False)

    with pytest.raises(PalimpError, match="which user"):
        await access.answer(Page(), CALLER)


@pytest.mark.parametrize("port", [22, 6000, 10080])
async def test_a_port_that_browsers_open_nothing_at_is_refused(access: PageAccess, settings: Settings, port: int):
    """Whether it is asked for or set; a page that is served stays."""
    with pytest.raises(PalimpError, match=f"Browsers open no page at port {port}") as refused:
        await access.answer(Page(port=port), CALLER)
    assert "palimp page --port 8430" in refused.value.hint
    assert not access.url
    settings.port = port
    with pytest.raises(PalimpError, match="Browsers open no page"):
        await access.answer(Page(), CALLER)
    served = await access.answer(Page(port=8430), CALLER)
    assert served.page == "http://127.0.0.1:8430/"
