#!/usr/bin/env bash
# 30 November 2026, jsonata-python 0.7.1 (from PyPI), Python 3.11, and jsonata 2.2.2 (from npm), Node 20.
#
# One would guess: 5.5 % 2 is 1.5, as it is in jsonata, the language of which the package is a port that has all of its
# features; the other four operators take fractions and give them.
# Seen: what is left is cut down to a whole number: 1 is left of 5.5, and -1 of -5.5. So nothing is ever left where one
# divides by 1, and a filter for whole numbers, "[$ % 1 = 0]", lets all numbers through. Whole numbers are right, those
# below zero as well, and so is the same remainder written with $floor.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jsonata-python==0.7.1"
npm install --silent --no-audit --no-fund --prefix "$folder" "jsonata@2.2.2"
cat > "$folder/asked.json" <<'JSON'
["5.5 * 2", "5.5 / 2", "7 % 4", "-7 % 4", "5.5 - 2 * $floor(5.5 / 2)",
 "5.5 % 2", "-5.5 % 2", "10.75 % 1", "[0.5, 1, 1.5, 2][$ % 1 = 0]"]
JSON
cat > "$folder/asked.mjs" <<'NODE'
import { readFileSync } from "node:fs";
import jsonata from "jsonata";

const asked = JSON.parse(readFileSync(new URL("asked.json", import.meta.url), "utf8"));
console.log(JSON.stringify(await Promise.all(asked.map((expression) => jsonata(expression).evaluate(null)))));
NODE
node "$folder/asked.mjs" > "$folder/answers.json"
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import json
import pathlib
import sys

from jsonata import Jsonata

folder = pathlib.Path(sys.argv[1])
asked = json.loads((folder / "asked.json").read_text())
theirs = json.loads((folder / "answers.json").read_text())
ours = [Jsonata(expression).evaluate(None) for expression in asked]
for expression, right, seen in zip(asked, theirs, ours):
    print(f"{expression}: jsonata {right}, jsonata-python {seen}")
assert theirs == [11, 2.75, 3, -3, 1.5, 1.5, -1.5, 0.75, [1, 2]], "jsonata has changed"
assert ours[:5] == theirs[:5], "the others have changed"
assert ours[5:] == [1, -1, 0, [0.5, 1, 1.5, 2]], "this has changed"
PYTHON
