"""The labelled fragments: what the rules must reach, above all on the half that they were not written against."""

import importlib.util
import json
from pathlib import Path

import pytest

from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import Message

BENCHMARKS = Path(__file__).parents[5] / "benchmarks"


@pytest.fixture
def scored(monkeypatch):
    """The scorer of `benchmarks/capture.py`."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("capture_benchmark", BENCHMARKS / "capture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module._scored


@pytest.mark.parametrize(("half", "least"), [("seen", 0.85), ("unseen", 0.9), ("later", 0.7)])
def test_precision_and_recall(scored, half, least):
    *_, precision, recall = scored(half, shows_misses=False)
    assert float(precision) >= 0.9
    assert float(recall) >= least


@pytest.mark.parametrize("half", ["seen", "aside"])
def test_requests_to_remember_decisions_and_preferences_in_other_languages(half):
    kept = noise = right = worth = 0
    for line in (BENCHMARKS / "capture" / "other_languages.jsonl").read_text(encoding="utf-8").splitlines():
        fragment = json.loads(line)
        if fragment["half"] != half:
            continue
        found = extracts_of([Message(each["role"], each["text"]) for each in fragment["messages"]])
        kinds = {each["kind"] for each in fragment["keep"]}
        worth += bool(kinds)
        kept += bool(kinds and found)
        right += any(each.kind in kinds for each in found)
        noise += bool(found and not kinds)
    assert kept >= 0.75 * worth
    assert right >= 0.85 * kept
    assert noise <= 1
