#!/usr/bin/env bash
# 30 November 2026, python-liquid 2.3.6 (from PyPI), Python 3.11, and liquidjs 10.30.1 (from npm), Node 20.
#
# One would guess: {{ text | truncate: 11 }} gives a text of eleven letters as it is, and one that is longer as eleven
# letters, the dots among them. The docs of Liquid add the dots where the number is less than the length of the text.
# Seen: a text of just so many letters loses its last three for the dots. Where the number is less than the dots are
# long, letters are counted from the end of the text instead: "truncate: 2" leaves all but one, and with the dots the
# answer is longer than the text was. liquidjs is right with the first and gives the dots alone for the second.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "python-liquid==2.3.6"
npm install --silent --no-audit --no-fund --prefix "$folder" "liquidjs@10.30.1"
cat > "$folder/asked.json" <<'JSON'
["truncate: 12", "truncate: 10", "truncate: 3", "truncate: 11, ''", "truncate: 11", "truncate: 11, '>'", "truncate: 2"]
JSON
cat > "$folder/asked.mjs" <<'NODE'
import { readFileSync } from "node:fs";
import { Liquid } from "liquidjs";

const asked = JSON.parse(readFileSync(new URL("asked.json", import.meta.url), "utf8"));
const liquid = new Liquid();
const written = asked.map((filter) => liquid.parseAndRenderSync(`{{ text | ${filter} }}`, { text: "Old harbour" }));
console.log(JSON.stringify(written));
NODE
node "$folder/asked.mjs" > "$folder/answers.json"
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import json
import pathlib
import sys

from liquid import Environment

TEXT = "Old harbour"
folder = pathlib.Path(sys.argv[1])
asked = json.loads((folder / "asked.json").read_text())
theirs = json.loads((folder / "answers.json").read_text())
ours = [Environment().from_string("{{ text | " + filtered + " }}").render(text=TEXT) for filtered in asked]
for filtered, right, seen in zip(asked, theirs, ours):
    print(f"{TEXT!r} | {filtered}: liquidjs {right!r}, python-liquid {seen!r}")
assert theirs == [TEXT, "Old har...", "...", TEXT, TEXT, TEXT, "..."], "liquidjs has changed"
assert ours[:4] == theirs[:4], "the others have changed"
assert ours[4:] == ["Old harb...", "Old harbou>", "Old harbou..."], "this has changed"
assert len(ours[-1]) > len(TEXT), "this has changed"
PYTHON
