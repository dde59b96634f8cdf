"""Tests of the catalogue run three at a time on two cores; those that are marked `alone` measure, and have them all."""

import fcntl
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def cores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Share the cores with other tests, or wait until these are over and let none begin."""
    of_all_workers = tmp_path_factory.getbasetemp().parent / "cores"
    with of_all_workers.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX if _is_alone(request.node) else fcntl.LOCK_SH)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have those that measure run last: who waits for the cores takes a worker from the others."""
    items.sort(key=_is_alone)


def _is_alone(item: pytest.Item) -> bool:
    """Return whether *item* is marked `alone`, in the lane that runs: `alone(IS_SOAK)` is in one of them."""
    marker = item.get_closest_marker("alone")
    return marker is not None and all(marker.args)
