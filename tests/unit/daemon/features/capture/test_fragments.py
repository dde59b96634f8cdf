"""The labelled fragments: what the rules must reach, above all on the half that they were not written against."""

import importlib.util
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[5] / "benchmarks"


@pytest.fixture
def scored(monkeypatch):
    """The scorer of `benchmarks/capture.py`."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("capture_benchmark", BENCHMARKS / "capture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module._scored


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_precision_and_recall(scored, half):
    *_, precision, recall = scored(half, shows_misses=False)
    assert float(precision) >= 0.9
    assert float(recall) >= 0.6
