"""Which version is newer."""

import subprocess
import sys

import pytest

from palimp_protocol import __version__
from palimp_protocol.versions import PACKAGES, is_newer, release_of, running_version


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
        ("1.0+20261128101500", "1.0+20261128101459", True),
        ("1.0+20261128101500", "1.0.0+20261128101500", False),
        ("1.0+20261128101500", "1.0", True),
        ("1.0", "1.0+20261128101500", False),
        ("1.0+20261128101500", "1.1", False),
        ("1.0.dev1+20261128101500", "1.0.dev2+20261128101400", True),
        ("1.0+g0a1b2c3", "1.0", False),
    ],
)
def test_versions_are_compared_by_their_numbers(one: str, other: str, newer: bool):
    assert is_newer(one, other) is newer


def test_a_process_says_its_release_and_its_build():
    assert release_of(running_version()) == __version__
    assert is_newer(running_version(), __version__)


def test_the_build_is_that_of_all_packages_a_daemon_imports():
    """Else a daemon goes on with the old code of one that was updated."""
    script = "import palimp_daemon.server.app, sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {name for name in done.stdout.split() if name.startswith("palimp_")} == set(PACKAGES)
