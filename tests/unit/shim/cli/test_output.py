"""What commands print."""

import pytest

from palimp_shim.cli.output import day, minute


@pytest.mark.parametrize("at", [10**17, 10**25, -(10**17)])
def test_a_time_that_no_calendar_has_is_said_to_be_none(at: int):
    assert day(at) == minute(at) == "undated"
