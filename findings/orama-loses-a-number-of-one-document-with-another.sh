#!/usr/bin/env bash
# 30 November 2026, @orama/orama 3.1.18 (from npm), Node 20.
#
# One would guess: remove(db, id) and update(db, id, document) touch no other document.
# Seen: where the removed document has a number twice in a field of type "number[]", as [2, 2], and just one other document
# has that number, no filter on the number finds the other one any more: each of the two takes something out of the
# index, and the second takes what is left, whatever document it is of. With two others, with the number once, or in a
# "string[]", "enum[]" or "boolean[]" all is well, and the lost document is still found without the filter.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" "@orama/orama@3.1.18"
cat > "$folder/seen.mjs" <<'NODE'
import assert from "node:assert";
import { create, insert, remove, search, update } from "@orama/orama";

const taken = (db) => remove(db, "a");

function found(type, lists, where, change) {
  const db = create({ schema: { marks: type } });
  lists.forEach((marks, place) => insert(db, { id: "abcd"[place], marks }));
  const ids = (filter) => search(db, { where: filter }).hits.map(({ id }) => id);
  const before = ids(where);
  change(db);
  const after = ids(where);
  console.log(`${type} ${JSON.stringify(lists)}, ${JSON.stringify(where)}: ${before}; without a: ${after.join() || "nothing"}`);
  assert.ok(before.includes("a") && before.includes("b") && ids({}).includes("b"), "filters have changed");
  return after;
}

const two = { marks: { eq: 2 } };
for (const [type, lists, where] of [
  ["number[]", [[2], [2], [9]], two],
  ["number[]", [[2, 3], [2], [9]], two],
  ["string[]", [["x", "x"], ["x"], ["y"]], { marks: "x" }],
  ["enum[]", [["x", "x"], ["x"], ["y"]], { marks: { containsAny: ["x"] } }],
  ["boolean[]", [[true, true], [true], [false]], { marks: true }],
]) {
  assert.deepStrictEqual(found(type, lists, where, taken), ["b"], "the others have changed");
}
assert.deepStrictEqual(found("number[]", [[2, 2], [2], [2]], two, taken), ["b", "c"], "the others have changed");

const lists = [[2, 2], [2], [9]];
const changed = (db) => update(db, "a", { id: "a", marks: [7] });
for (const [where, change] of [[two, taken], [two, changed], [{ marks: { between: [1, 3] } }, taken]]) {
  assert.deepStrictEqual(found("number[]", lists, where, change), [], "this has changed");
}
NODE
node "$folder/seen.mjs"
