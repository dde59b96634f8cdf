"""Hooks of pytest for the copy of the tests that `tools/mutants.py` changes code beside; they lie at its top."""

import json
from pathlib import Path

import pytest
from mutmut.state import state


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the cheapest tests first: the first that fails ends a change's run."""
    stats = Path("mutmut-stats.json")
    seconds = json.loads(stats.read_text(encoding="utf-8"))["duration_by_test"] if stats.exists() else {}
    items.sort(key=lambda item: seconds.get(item.nodeid, 0.0))


def pytest_collection_finish() -> None:
    """Note the functions that ran while modules were imported, which mutmut would take for the first test's."""
    if ran := state()._stats:  # noqa: SLF001  nothing public tells it
        Path("imported.json").write_text(json.dumps(sorted(ran)), encoding="utf-8")
        ran.clear()
