#!/usr/bin/env bash
# 30 November 2026, mingo 7.2.7 and sift 17.1.4 (from npm), Node 20.
#
# One would guess: { $elemMatch: { name: "x" } } asks for a list with a document in it that has the name "x", as it does
# in MongoDB, the language of which mingo runs; a list of texts has no names, and "items.name" finds none there.
# Seen: where an item is a text or a number, what is asked of the key is asked of the item itself, whatever the key is
# called: name and title are both "x" in ["x"], and a quantity above 3 is found in [5]. With $not around it such lists
# are left out instead. Lists of documents are right, and sift, which reads the same queries, is right with both.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" "mingo@7.2.7" "sift@17.1.4"
cat > "$folder/seen.mjs" <<'NODE'
import assert from "node:assert";
import { Query } from "mingo";
import sift from "sift";

function found(query, items) {
  const answers = [new Query(query).test({ items }), sift(query)({ items })];
  console.log(`${JSON.stringify(query)} and ${JSON.stringify(items)}: mingo ${answers[0]}, sift ${answers[1]}`);
  return answers;
}

const item = (criteria) => ({ items: { $elemMatch: criteria } });

assert.deepStrictEqual(found(item({ name: "x" }), [{ name: "x" }]), [true, true], "documents have changed");
assert.deepStrictEqual(found(item({ name: "x" }), [{ title: "x" }]), [false, false], "documents have changed");
assert.deepStrictEqual(found({ "items.name": "x" }, ["x"]), [false, false], "paths have changed");

for (const [criteria, items] of [
  [{ name: "x" }, ["x"]],
  [{ name: "x", title: "x" }, ["x"]],
  [{ "author.name": "x" }, ["x"]],
  [{ quantity: { $gt: 3 } }, [5]],
  [{ name: { $in: ["x", "y"] } }, ["x"]],
]) {
  assert.deepStrictEqual(found(item(criteria), items), [true, false], "this has changed");
}
const without = { items: { $not: { $elemMatch: { name: "x" } } } };
assert.deepStrictEqual(found(without, ["x"]), [false, true], "this has changed");
NODE
node "$folder/seen.mjs"
