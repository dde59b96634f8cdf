#!/usr/bin/env bash
# 30 November 2026, google-re2 1.1.20251105 (from PyPI), Python 3.11.
#
# One would guess: re2.finditer, findall, sub and split step on after an empty match, as those of `re` do, whose place
# the package takes.
# Seen: an empty match that the search had to walk to, as an end, the start of a later line or the border of a word, is
# found twice at the same place. So `sub("(?m)^", "> ", text)` writes "> " once before the first line and twice before
# all others. An empty match where the search began is found once.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "google-re2==1.1.20251105"
"$folder/venv/bin/python" - <<'PYTHON'
import re

import re2

for pattern, text in (("(?m)^", "one\ntwo\nthree"), ("$", "end"), (r"\b", "a word"), ("x*", "ab")):
    spans = [[match.span() for match in module.finditer(pattern, text)] for module in (re, re2)]
    print(f"{pattern} in {text!r}: re {spans[0]}, re2 {spans[1]}")

assert re.sub("(?m)^", "> ", "one\ntwo\nthree") == "> one\n> two\n> three"
assert re2.sub("(?m)^", "> ", "one\ntwo\nthree") == "> one\n> > two\n> > three", "this has changed"
assert re2.sub("x*", "-", "ab") == "-a-b-", "this has changed"
PYTHON
