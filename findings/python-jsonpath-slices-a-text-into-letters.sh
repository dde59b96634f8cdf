#!/usr/bin/env bash
# 30 November 2026, python-jsonpath 2.2.2 and jsonpath-rfc9535 1.0.1 (from PyPI), Python 3.11.
#
# One would guess: a slice such as "[:1]" selects from arrays alone, as RFC 9535 has it and as "[0]" and "[*]" do; and
# where a match has a path and a pointer, these lead to its value.
# Seen: with strict=True as well, a slice takes the letters of a text for items, so that "$..[:1]", the first of every
# array, brings the first letter of all texts, too. The path of such a match finds nothing, and its pointer raises an
# error. "[?@[:1]]" takes arrays only, as the other package does everywhere.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "python-jsonpath==2.2.2" "jsonpath-rfc9535==1.0.1"
"$folder/venv/bin/python" - <<'PYTHON'
import jsonpath
import jsonpath_rfc9535

STRICT = jsonpath.JSONPathEnvironment(strict=True)
VALUE = {"name": "Ada", "tags": ["x", "yz"]}


def found(query):
    strict, standard = STRICT.findall(query, VALUE), jsonpath_rfc9535.find(query, VALUE).values()
    print(f"{query}: python-jsonpath {strict}, jsonpath-rfc9535 {standard}")
    return strict, standard


for query in ("$..[0]", "$.name[*]", "$.tags[:1]", "$[?@[:1]]"):
    strict, standard = found(query)
    assert strict == standard, "the others have changed"
assert found("$.name[1:]") == (["d", "a"], []), "this has changed"
assert found("$..[:1]") == (["A", "x", "x", "y"], ["x"]), "this has changed"
assert jsonpath.findall("$.name[1:]", VALUE) == ["d", "a"], "this has changed"

(match,) = STRICT.finditer("$.name[:1]", VALUE)
assert STRICT.findall(match.path, VALUE) == [], "this has changed"
try:
    match.pointer().resolve(VALUE)
except jsonpath.JSONPointerTypeError as error:
    print(f"{match.obj!r} is said to be at {match.path}, which finds nothing; its pointer {match.pointer()}: {error}")
else:
    raise AssertionError("this has changed")
PYTHON
