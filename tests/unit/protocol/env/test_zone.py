"""The name of a process's time zone."""

import re
from pathlib import Path

import pytest

from palimp_protocol.env.zone import zone_name


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Asia/Kolkata", "Asia/Kolkata"),
        (":America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("/usr/share/zoneinfo/Europe/Zurich", "Europe/Zurich"),
        ("UTC", "UTC"),
    ],
)
def test_a_zone_is_called_as_the_database_calls_it(told: str, name: str):
    assert zone_name({"TZ": told}) == name


@pytest.mark.parametrize("told", ["", "IST-5:30", "Nowhere/At_All", "../../../etc/passwd", "Europe", "\0"])
def test_what_the_database_does_not_know_travels_as_an_offset(told: str):
    assert re.fullmatch(r"[+-]\d{4}", zone_name({"TZ": told}))


def test_without_tz_it_is_the_machines(tmp_path: Path):
    link = tmp_path / "localtime"
    link.symlink_to("/usr/share/zoneinfo/Europe/Zurich")
    assert zone_name({}, local=str(link)) == "Europe/Zurich"
    assert re.fullmatch(r"[+-]\d{4}", zone_name({}, local=str(tmp_path / "missing")))
