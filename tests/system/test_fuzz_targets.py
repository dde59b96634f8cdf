"""Every fuzz target can be made and takes inputs, without the program that looks for them."""

import runpy
from pathlib import Path

import pytest

TARGETS = runpy.run_path(str(Path(__file__).parents[1] / "fuzz/fuzz.py"))["TARGETS"]


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_any_bytes(name: str):
    run = TARGETS[name]()
    for data in (b"", b"{}", b'{"session_id": "s"}', "größe \u2028 🐨 مرحبا".encode(), bytes(range(256))):
        run(data)
