#!/usr/bin/env bash
# 30 November 2026, jsonschema-rs 0.61.2 (from PyPI), Python 3.11.
#
# One would guess, from its README, which calls this part experimental as to its API alone: schemas that accept the same
# values are canonicalized to equal ones, so `==` says whether an edit changed anything.
# Seen: a schema and its own negation together accept everything, and compare equal to `true` for a length, a required
# key or a type of a key, but not for an integer, a pattern, a constant or the items of an array; the two parts then
# stay side by side. The library itself knows better: covers() says yes in both directions, and subtract() leaves
# nothing in either. None of these is kept RAW, which is the form the README names for a schema that it can not model.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jsonschema-rs==0.61.2"
"$folder/venv/bin/python" - <<'PYTHON'
from jsonschema_rs import canonicalize
from jsonschema_rs.canonical import CanonicalKind, Containment, Satisfiability

EVERYTHING = canonicalize(True)


def same_values(one, other):
    assert CanonicalKind.RAW not in (one.kind, other.kind)
    covered = one.covers(other) == other.covers(one) == Containment.YES
    left = {one.subtract(other).satisfiability(), other.subtract(one).satisfiability()}
    return covered and left == {Satisfiability.NO}


def is_everything(schema):
    part = canonicalize(schema)
    both = part.union(part.negate())
    assert same_values(both, EVERYTHING), "covers() or subtract() has changed"
    print(f"{schema} and its negation accept what true accepts; equal to it: {both == EVERYTHING}")
    return both == EVERYTHING


assert is_everything({"type": "string", "maxLength": 3})
assert is_everything({"type": "object", "required": ["name"]})
assert is_everything({"properties": {"name": {"type": "string"}}})
for part in (
    {"type": "integer"},
    {"type": "string", "pattern": "^a"},
    {"const": "ab"},
    {"type": "array", "items": {"type": "string"}},
):
    assert not is_everything(part), "this has changed"

pair = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}
plain, again = canonicalize(pair), canonicalize({"anyOf": [pair, {**pair, "maxItems": 1}]})
print(f"{plain.to_json_schema()} is written {again.to_json_schema()} where its short arrays are named once more")
assert same_values(plain, again) and plain != again, "this has changed"
PYTHON
