#!/usr/bin/env bash
# 30 November 2026, flexsearch 0.8.212 (from npm), Node 20.
#
# One would guess: document.search(word, { tag: { kind: "x" } }) gives, field by field, the hits that have the tag, as it
# gives all hits without one; a field without any is left out.
# Seen: one field that has the word, but in no document of that tag, empties the whole answer, whatever the other
# fields found. So a document found by its text is lost as soon as some other document, of another tag, has the word in
# its title. A field that does not have the word at all does no harm, nor does a search in the one field alone, and
# with `suggest: true`, which is for words that are not found, all is there.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" "flexsearch@0.8.212"
cat > "$folder/seen.mjs" <<'NODE'
import assert from "node:assert";
import { Document } from "flexsearch";

const note = { id: 1, title: "warning", text: "harbour", kind: "x" };

function found(others, options = {}, fields = ["title", "text"]) {
  const index = new Document({ document: { id: "id", index: fields, tag: ["kind"] } });
  for (const document of [note, ...others]) index.add(document);
  const answer = index.search("harbour", { tag: { kind: "x" }, ...options });
  const titles = others.map(({ title, kind }) => `${title} (${kind})`).join(", ");
  console.log(`beside [${titles}], ${JSON.stringify(options)}: ${JSON.stringify(answer)}`);
  return answer;
}

const inText = { field: "text", result: [1] };
const foreign = { id: 2, title: "harbour", text: "", kind: "y" };
const tagged = { id: 3, title: "harbour", text: "", kind: "x" };

assert.deepStrictEqual(found([]), [inText], "tags have changed");
assert.deepStrictEqual(found([{ ...foreign, title: "storm" }]), [inText], "tags have changed");
assert.deepStrictEqual(found([foreign, tagged]), [{ field: "title", result: [3] }, inText], "tags have changed");
assert.deepStrictEqual(found([foreign], { index: "text" }), [inText], "the search in one field has changed");
assert.deepStrictEqual(found([foreign], { suggest: true }), [inText], "suggest has changed");
assert.deepStrictEqual(found([foreign]), [], "this has changed");
assert.deepStrictEqual(found([foreign], {}, ["text", "title"]), [], "this has changed");
assert.deepStrictEqual(found([foreign], { merge: true }), [], "this has changed");
NODE
node "$folder/seen.mjs"
