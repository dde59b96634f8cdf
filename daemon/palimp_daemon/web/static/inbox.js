// Keys of the inbox: j and k go to the next and the previous row, y keeps it, e edits it, d drops it. Without script, buttons do.
"use strict";

let settled = null; // the row that a key has answered, and its place

const rowsShown = () => [...document.querySelectorAll(".rows > li")];

function here(rows) {
  return rows.findIndex((row) => row.contains(document.activeElement));
}

function goTo(rows, index) {
  rows[Math.max(0, Math.min(index, rows.length - 1))].querySelector("a").focus();
}

function settle(rows, answer) {
  const row = rows[here(rows)];
  const form = row?.querySelector(`form[action$='/${answer}']`);
  if (!form) return;
  settled = { row, at: here(rows) };
  form.requestSubmit();
}

const keys = {
  j: (rows) => goTo(rows, here(rows) + 1),
  k: (rows) => goTo(rows, here(rows) - 1),
  y: (rows) => settle(rows, "keep"),
  e: (rows) => rows[here(rows)]?.querySelector(".actions a.button").click(),
  d: (rows) => settle(rows, "drop"),
};

document.addEventListener("keydown", (event) => {
  const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.repeat && "yd".includes(event.key);
  const rows = rowsShown();
  if (rows.length && !isTyped && Object.hasOwn(keys, event.key)) keys[event.key](rows);
});

function show() {
  for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
  if (!settled || settled.row.isConnected) return;
  const rows = rowsShown();
  if (rows.length) goTo(rows, settled.at); // to the row that took its place
  settled = null;
}

show();
document.addEventListener("htmx:after:swap", show);
