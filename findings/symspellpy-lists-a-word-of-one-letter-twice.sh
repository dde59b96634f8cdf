#!/usr/bin/env bash
# 30 November 2026, symspellpy 6.10.1 with editdistpy (from PyPI), Python 3.11.
#
# One would guess: lookup(word, Verbosity.ALL) lists each word of the dictionary that is near enough once, with its
# distance.
# Seen: a dictionary word of one letter that is part of a looked-up word of two (of as many letters as edits are allowed)
# is listed twice, as 1 away and again as 2 away, with its count both times: it is found by deleting the other letter and,
# since nothing notes that it was found, again by deleting both. Letters that are not in the word, longer words and
# Verbosity.CLOSEST are listed right.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "symspellpy[editdistpy]==6.10.1"
"$folder/venv/bin/python" - <<'PYTHON'
from symspellpy import SymSpell, Verbosity
from symspellpy.editdistance import DistanceAlgorithm, EditDistance

COUNTS = {"a": 5, "i": 4, "as": 3, "is": 2}
spelling = SymSpell(max_dictionary_edit_distance=2)
for entry, count in COUNTS.items():
    spelling.create_dictionary_entry(entry, count)
measured = EditDistance(DistanceAlgorithm.DAMERAU_OSA)


def found(word, verbosity=Verbosity.ALL):
    suggestions = [(item.term, item.distance) for item in spelling.lookup(word, verbosity)]
    near = sorted((entry, measured.compare(word, entry, 2)) for entry in COUNTS)
    right = [(entry, distance) for entry, distance in near if 0 <= distance <= 2]
    print(f"{word}, {verbosity.name}: listed {suggestions}, within 2 are {right}")
    return sorted(suggestions), right


for word in ("s", "us", "sis", "asis"):
    listed, right = found(word)
    assert listed == right, "the others have changed"
assert found("at", Verbosity.CLOSEST)[0] == [("a", 1), ("as", 1)], "the closest have changed"
for word, twice in (("at", ("a", 2)), ("it", ("i", 2)), ("as", ("a", 2))):
    listed, right = found(word)
    assert listed == sorted([*right, twice]), "this has changed"
PYTHON
