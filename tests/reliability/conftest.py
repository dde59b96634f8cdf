"""Tests of the catalogue run three at a time on two cores; those that are marked `alone` measure, and have them all."""

import fcntl
from collections.abc import Iterator

import pytest


@pytest.fixture
def is_forked() -> bool:
    """Whether a daemon may be forked: here each is a process of its own from its first instruction on."""
    return False


@pytest.fixture(autouse=True)
def cores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Share the cores with other tests, or wait until these are over and let none begin."""
    of_all_workers = tmp_path_factory.getbasetemp().parent / "cores"
    with of_all_workers.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX if _is_alone(request.node) else fcntl.LOCK_SH)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have those run last that wait for the cores, since each takes a worker from the others, and the longest first.

    The longest is the one that measures and shares the cores all the same.
    """

    def turn(item: pytest.Item) -> int:
        measures, is_alone = item.get_closest_marker("alone") is not None, _is_alone(item)
        return is_alone - (measures and not is_alone)

    items.sort(key=turn)


def _is_alone(item: pytest.Item) -> bool:
    """Return whether *item* is marked `alone`, in the lane that runs: `alone(IS_SOAK)` is in one of them."""
    marker = item.get_closest_marker("alone")
    return marker is not None and all(marker.args)
