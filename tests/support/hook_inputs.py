"""Recorded and documented inputs of hooks, and the event that each of them is: `tests/unit/clients/*/hooks`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

FOLDERS: Final = Path(__file__).parents[1] / "unit/clients"

JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
"""What may stand where something else is expected."""


def inputs_of(client: str) -> list[Path]:
    """Return the files with what *client* says; each is named after its event, with a variant behind a dash."""
    found = FOLDERS.joinpath(client.replace("-", "_"), "hooks").glob("*.json")
    return sorted(path for path in found if not path.name.endswith(".expected.json"))


def client_name(path: Path) -> str:
    """Return the client that wrote the file at *path*."""
    return path.parents[1].name.replace("_", "-")


def event_name(path: Path) -> str:
    """Return the event that the file at *path* is named after."""
    return path.stem.partition("-")[0]


def read(path: Path) -> Any:
    """Return what is in the file at *path*."""
    return json.loads(path.read_text(encoding="utf-8"))


def expected(path: Path) -> Any:
    """Return as what event the file at *path* is to be understood."""
    return read(path.with_suffix(".expected.json"))


def cut(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what can still be read of the file at *path*, cut at every byte and closed by a careless program."""
    data = path.read_bytes()
    for end in range(len(data)):
        text = data[:end].decode(errors="replace")
        for closing in ("", "}", '"}', '"}}', "]}", "}]}}"):
            try:
                found = json.loads(text + closing)
            except ValueError:
                continue
            if isinstance(found, dict):
                yield found


def spoiled(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *told* with each value of it, at every depth, replaced by one of another type."""
    for wrong in (None, 7, True, "\ud800", "", [], [told], {"x": 1}):
        for key, value in told.items():
            yield {**told, key: wrong}
            if isinstance(value, dict):
                yield from ({**told, key: inner} for inner in spoiled_once(value, wrong))


def spoiled_once(told: dict[str, Any], wrong: Any) -> Iterator[dict[str, Any]]:
    """Yield *told* with each value of it replaced by *wrong*, and each value of objects in its lists."""
    for key, value in told.items():
        yield {**told, key: wrong}
        if isinstance(value, list):
            yield {**told, key: [wrong, *value]}
            yield {**told, key: [{**each, inner: wrong} for each in value if isinstance(each, dict) for inner in each]}
