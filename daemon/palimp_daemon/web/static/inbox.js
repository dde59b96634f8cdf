// Keys of the inbox: j and k go to the next and the previous row, e edits it, d drops it. Without script, buttons do.
"use strict";

const rowsShown = () => [...document.querySelectorAll(".rows > li")];

function here(rows) {
  return rows.findIndex((row) => row.contains(document.activeElement));
}

function goTo(rows, index) {
  rows[Math.max(0, Math.min(index, rows.length - 1))].querySelector("a").focus();
}

const keys = {
  j: (rows) => goTo(rows, here(rows) + 1),
  k: (rows) => goTo(rows, here(rows) - 1),
  e: (rows) => rows[here(rows)]?.querySelector(".actions a.button").click(),
  d: (rows) => rows[here(rows)]?.querySelector("form[action$='/drop']")?.requestSubmit(),
};

document.addEventListener("keydown", (event) => {
  const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.repeat && event.key === "d";
  const rows = rowsShown();
  if (rows.length && !isTyped && Object.hasOwn(keys, event.key)) keys[event.key](rows);
});

function showHint() {
  for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
}

showHint();
document.addEventListener("htmx:after:swap", showHint);
