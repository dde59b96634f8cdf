"""What is remembered of the page for the next daemon: for half an hour, and for its user alone."""

from pathlib import Path

import pytest

from palimp_daemon.settings.kept_page import KeptPage
from palimp_protocol.env.page_address import UNUSED_S
from palimp_protocol.env.used_page import KnownBrowser, UsedPage

AT = 1_763_726_400_000
USED = UsedPage(
    port=4711,
    used_at=AT,
    browsers=[KnownBrowser(cookie_hash="ab" * 32, form_token="of the form", zone="Europe/Berlin")],  # noqa: S106
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "page.json"


@pytest.fixture
def kept(path: Path) -> KeptPage:
    found = KeptPage(path)
    found.keep(USED)
    return found


def test_it_is_known_for_as_long_as_the_page_would_be_open(kept: KeptPage, path: Path):
    assert path.stat().st_mode & 0o777 == 0o600
    assert kept.read(AT + int(UNUSED_S * 1000) - 1) == USED


@pytest.mark.parametrize("passed_s", [UNUSED_S, 10 * UNUSED_S, -1])
def test_after_half_an_hour_or_with_a_clock_set_back_nothing_is_left(kept: KeptPage, path: Path, passed_s: float):
    assert kept.read(AT + int(passed_s * 1000)) is None
    assert not path.exists()


def test_what_others_may_read_or_write_is_not_believed(kept: KeptPage, path: Path):
    path.chmod(0o640)
    assert kept.read(AT) is None


def test_a_link_is_not_followed(kept: KeptPage, path: Path):
    path.rename(other := path.with_name("other"))
    path.symlink_to(other)
    assert kept.read(AT) is None
    assert other.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"port": 99999, "used_at": 0, "browsers": []}', b"\xff" * 99])
def test_what_cannot_be_read_is_forgotten(path: Path, content: bytes):
    path.write_bytes(content)
    path.chmod(0o600)
    assert KeptPage(path).read(1) is None
    assert not path.exists()


def test_where_nothing_can_be_written_the_page_goes_on(tmp_path: Path):
    gone = KeptPage(tmp_path / "nothing" / "page.json")
    gone.keep(USED)
    gone.forget()
    assert gone.read(AT) is None
