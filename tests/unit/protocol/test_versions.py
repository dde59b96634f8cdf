"""Which version is newer."""

import pytest

from palimp_protocol.versions import is_newer


@pytest.mark.parametrize(
    ("one", "other", "newer"),
    [
        ("0.2.0", "0.1.0", True),
        ("0.1.0", "0.2.0", False),
        ("0.10", "0.9.9", True),
        ("1.0", "1.0.0", False),
        ("1.0.0.dev3", "1.0.0", False),
        ("1.0.1rc1", "1.0.0", True),
        ("1.0", "", False),
        ("new", "1.0", False),
    ],
)
def test_versions_are_compared_by_their_numbers(one: str, other: str, newer: bool):
    assert is_newer(one, other) is newer
