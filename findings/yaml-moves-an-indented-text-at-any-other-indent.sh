#!/usr/bin/env bash
# 30 November 2026, yaml 2.9.1 (from npm), Node 20.
#
# One would guess: parse(stringify(value, { indent: 4 })) gives the value back, as it does at the indent of 2.
# Seen: where a text of several lines begins with a space and is the value of a key, its block is indented by as many
# spaces as were asked for, and the header says "|2" all the same. What is above two is read as part of the text: all
# its lines move to the right, further each time the file is read and written again. At an indent of 1 the output is
# refused. In a list all is well.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" "yaml@2.9.1"
cat > "$folder/seen.mjs" <<'NODE'
import assert from "node:assert";
import { parse, stringify } from "yaml";

const text = "  deep\nflat\n";
const again = (value, indent) => parse(stringify(value, { indent }));

for (const indent of [2, 4, 8]) {
  const written = stringify({ text }, { indent });
  console.log(`indent ${indent}: ${JSON.stringify(written)} is read as ${JSON.stringify(parse(written))}`);
}
assert.deepStrictEqual(again({ text }, 2), { text }, "the usual indent has changed");
assert.deepStrictEqual(again([text], 4), [text], "lists have changed");

const once = again({ text }, 4);
const twice = again(once, 4);
assert.strictEqual(once.text, "    deep\n  flat\n", "this has changed");
assert.strictEqual(twice.text, "      deep\n    flat\n", "this has changed");
assert.throws(() => again({ text }, 1), /same column/, "this has changed");
NODE
node "$folder/seen.mjs"
