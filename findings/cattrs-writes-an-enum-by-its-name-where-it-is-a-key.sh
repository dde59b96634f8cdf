#!/usr/bin/env bash
# 30 November 2026, cattrs 26.2.1 with orjson 3.13.0 and tomlkit 0.15.2 (from PyPI), Python 3.11.
#
# One would guess: where a member of an Enum is the key of a mapping it is written by its value, as it is anywhere else,
# and what dumps() of a preconfigured converter wrote its loads() reads.
# Seen: the converters for orjson and tomlkit write "Colour.RED", the text of the member, and loads() refuses that: it
# knows "red" alone. Those for json, msgspec and PyYAML write "red", and cattrs 24.1.3 did with orjson. Since 25.1 such
# members are left to orjson, which writes values by itself but no keys, and the converter makes text of these. A member
# that is a str as well is written right, and the same enum in a list or as a value is, too.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python3 -m venv "$folder/before"
"$folder/venv/bin/pip" install --quiet "cattrs==26.2.1" "orjson==3.13.0" "tomlkit==0.15.2" "msgspec==0.23.0" "PyYAML==6.0.4"
"$folder/before/bin/pip" install --quiet "cattrs==24.1.3" "orjson==3.13.0"
"$folder/before/bin/python" - <<'PYTHON'
import enum

from cattrs.preconf import orjson

Colour = enum.Enum("Colour", {"RED": "red"})
written = orjson.make_converter().dumps({Colour.RED: 1}, unstructure_as=dict[Colour, int])
print(f"cattrs 24.1.3 with orjson: {written}")
assert written == b'{"red":1}'
PYTHON
"$folder/venv/bin/python" - <<'PYTHON'
import enum

from cattrs import BaseValidationError
from cattrs.preconf import json, msgspec, orjson, pyyaml, tomlkit


class Colour(enum.Enum):
    RED = "red"


class Shade(str, enum.Enum):
    DARK = "dark"


def again(library, value, of):
    converter = library.make_converter()
    written = converter.dumps({"key": value}, unstructure_as=dict[str, of])
    text = (written.decode() if isinstance(written, bytes) else written).strip()
    try:
        assert converter.loads(written, dict[str, of]) == {"key": value}
        read = True
    except BaseValidationError:
        read = False
    print(f"{library.__name__}: {value} is written as {text!r}, loads() reads it: {read}")
    return text, read


for library in (json, msgspec, pyyaml, orjson, tomlkit):
    for value, of in (
        ([Colour.RED], list[Colour]),
        ({"x": Colour.RED}, dict[str, Colour]),
        ({Shade.DARK: 1}, dict[Shade, int]),
    ):
        text, read = again(library, value, of)
        assert read and "Colour" not in text and "DARK" not in text, "the others have changed"
    text, read = again(library, {Colour.RED: 1}, dict[Colour, int])
    if library in (orjson, tomlkit):
        assert "Colour.RED" in text and not read, "this has changed"
    else:
        assert "red" in text and "RED" not in text and read, "the others have changed"
PYTHON
