// Keys of the inbox: j and k go to the next and the previous row, e edits it, d drops it. Without script, buttons do.
"use strict";

const rows = [...document.querySelectorAll(".rows > li")];

function here() {
  return rows.findIndex((row) => row.contains(document.activeElement));
}

function goTo(index) {
  rows[Math.max(0, Math.min(index, rows.length - 1))].querySelector("a").focus();
}

const keys = {
  j: () => goTo(here() + 1),
  k: () => goTo(here() - 1),
  e: () => rows[here()]?.querySelector(".actions a.button").click(),
  d: () => rows[here()]?.querySelector("form[action$='/drop']").requestSubmit(),
};

document.addEventListener("keydown", (event) => {
  const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.repeat && event.key === "d";
  if (rows.length && !isTyped && Object.hasOwn(keys, event.key)) keys[event.key]();
});

for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
