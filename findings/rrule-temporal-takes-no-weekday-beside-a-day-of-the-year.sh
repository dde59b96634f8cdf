#!/usr/bin/env bash
# 30 November 2026, rrule-temporal 2.2.8 and rrule 2.8.1 (from npm), Node 20.
#
# One would guess: FREQ=YEARLY;BYYEARDAY=1;BYDAY=SU is each first of January that is a Sunday. RFC 5545 has a weekday
# narrow down a yearly rule that names days of the year, and the README calls the package fully compliant with it.
# Seen: the weekday is passed over, with `strict: true` as well, and each first of January is given; so is a day of the
# month. A month beside the day of the year counts, and so does a weekday beside a month and its day, which says the
# same here. rrule, which reads the same rules, gives the Sundays.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" "rrule-temporal@2.2.8" "rrule@2.8.1"
cat > "$folder/seen.mjs" <<'NODE'
import assert from "node:assert";
import rrule from "rrule";
import { RRuleTemporal } from "rrule-temporal";

function days(rule) {
  const text = `DTSTART:20250101T090000Z\nRRULE:FREQ=YEARLY;${rule};UNTIL=20401231T090000Z`;
  const answers = [{}, { strict: true }].map((options) =>
    new RRuleTemporal({ rruleString: text, ...options }).all().map((date) => date.toPlainDate().toString()),
  );
  assert.deepStrictEqual(answers[0], answers[1], "strict has changed");
  const others = rrule.rrulestr(text).all().map((date) => date.toISOString().slice(0, 10));
  for (const [name, found] of [["rrule-temporal", answers[0]], ["rrule", others]]) {
    console.log(`${rule}: ${name} gives ${found.length} days, ${found.slice(0, 4)}`);
  }
  return [answers[0], others];
}

const sundays = ["2034-01-01", "2040-01-01"];
const leap = ["2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29"];
const years = Array.from({ length: 16 }, (_, year) => 2025 + year);
const january = years.map((year) => `${year}-01-01`);
const sixtieth = years.map((year) => (year % 4 === 0 ? `${year}-02-29` : `${year}-03-01`));

assert.deepStrictEqual(days("BYMONTH=1;BYMONTHDAY=1;BYDAY=SU"), [sundays, sundays], "days of a month have changed");
assert.deepStrictEqual(days("BYYEARDAY=60;BYMONTH=2"), [leap, leap], "months have changed");
assert.deepStrictEqual(days("BYYEARDAY=1"), [january, january], "days of the year have changed");
assert.deepStrictEqual(days("BYYEARDAY=1;BYDAY=SU"), [january, sundays], "this has changed");
assert.deepStrictEqual(days("BYYEARDAY=60;BYMONTHDAY=29"), [sixtieth, leap], "this has changed");
NODE
node "$folder/seen.mjs"
