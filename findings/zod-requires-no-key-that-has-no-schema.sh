#!/usr/bin/env bash
# 30 November 2026, zod 4.6.7 and ajv 8.20.0 (from npm), Node 20.
#
# One would guess: z.fromJSONSchema(schema) accepts what the schema accepts, or throws where it can not say it in zod, as
# it does for if/then, for not and for dependentRequired.
# Seen: a key of `required` counts only if `properties` beside it names it, too. Else it is passed over without a word: a
# map with a key that must be there accepts {}, and so does an anyOf of "a or b must be there". z.toJSONSchema() writes
# the schema back without `required`. An object or array in `enum` or `const` is taken as well, and then matches nothing.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" "zod@4.6.7" "ajv@8.20.0"
cat > "$folder/seen.mjs" <<'NODE'
import assert from "node:assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";

const ajv = new Ajv2020({ strict: false });

function accepted(schema, value) {
  const answers = [ajv.validate(schema, value), z.fromJSONSchema(schema).safeParse(value).success];
  console.log(`${JSON.stringify(schema)} and ${JSON.stringify(value)}: ajv ${answers[0]}, zod ${answers[1]}`);
  return answers;
}

const text = { type: "string" };
const named = { type: "object", properties: { name: text }, required: ["name"] };
assert.deepStrictEqual(accepted(named, {}), [false, false], "named keys have changed");
for (const unsupported of [{ not: text }, { if: text, then: {} }, { dependentRequired: { a: ["b"] } }]) {
  assert.throws(() => z.fromJSONSchema({ type: "object", ...unsupported }), /not supported/, "errors have changed");
}

const map = { type: "object", required: ["name"], additionalProperties: text };
const either = ["name", "title"].map((key) => ({ type: "object", required: [key] }));
for (const schema of [
  { type: "object", required: ["name"] },
  map,
  { type: "object", properties: { title: text }, required: ["name"] },
  { type: "object", properties: { name: text, title: text }, anyOf: either },
]) {
  assert.deepStrictEqual(accepted(schema, {}), [false, true], "this has changed");
}
assert.ok(!("required" in z.toJSONSchema(z.fromJSONSchema(map))), "this has changed");
assert.deepStrictEqual(accepted({ const: [1] }, [1]), [true, false], "this has changed");
assert.deepStrictEqual(accepted({ enum: [{ a: 1 }, 2] }, { a: 1 }), [true, false], "this has changed");
NODE
node "$folder/seen.mjs"
