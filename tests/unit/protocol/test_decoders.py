"""Decoders are made by one thread at a time, and nowhere else."""

import ast
import threading
from pathlib import Path

import msgspec

from palimp_protocol import decoders
from palimp_protocol.decoders import decoder_of

ROOT = Path(__file__).parents[3]
ROOMS = ("protocol", "clients", "daemon", "shim")
WITHOUT_CLASS = {"dict[str, Any] | None"}
"""Types that have no class to be described."""


def test_a_decoder_is_made_once():
    assert decoder_of(dict[str, int]) is decoder_of(dict[str, int])
    assert decoder_of(dict[str, int]).decode(b'{"a": 1}') == {"a": 1}


def test_two_threads_never_make_one_at_the_same_moment(monkeypatch):
    making, most = [], []
    is_begun, may_end = threading.Event(), threading.Event()

    def make(kind: type) -> str:
        making.append(kind)
        most.append(len(making))
        is_begun.set()
        may_end.wait(60)
        making.remove(kind)
        return kind.__name__

    monkeypatch.setattr(decoders, "_new_decoder", make)
    first = threading.Thread(target=decoder_of, args=(int,))
    first.start()
    is_begun.wait(60)
    second = threading.Thread(target=decoder_of, args=(str,))
    second.start()
    may_end.set()
    first.join()
    second.join()
    assert most == [1, 1]


def test_nothing_else_makes_decoders_of_classes():
    """`json.decode(…, type=X)` and `Decoder(X)` describe X in the thread that comes first."""
    found: list[str] = []
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        text = path.read_text()
        if path.name == "decoders.py" or not ("Decoder" in text or ".decode(" in text):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            is_decode = node.func.attr == "decode" and any(each.arg == "type" for each in node.keywords)
            is_made = ast.unparse(node.func).startswith("msgspec.") and node.func.attr == "Decoder" and node.args
            if is_decode or (is_made and ast.unparse(node.args[0]) not in WITHOUT_CLASS):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def test_a_class_is_decoded():
    class Point(msgspec.Struct):
        x: int

    assert decoder_of(Point).decode(b'{"x": 1}') == Point(1)
