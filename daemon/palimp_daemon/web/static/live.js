// What is shown follows what agents do. Of all tabs one, which holds a lock, reads the stream of events and tells the others:
// a browser opens six connections to an address. Without script, a reload does the same.
"use strict";

const stream = document.querySelector("#stream");
const tabs = new BroadcastChannel("palimp");
let isMissed = false;
let isLost = false;

function follow() {
  isMissed = document.hidden;
  if (!document.hidden) htmx.trigger(document.body, "follow");
}

function say(state) {
  for (const each of document.querySelectorAll("#connection > [data-when]")) each.hidden = each.dataset.when !== state;
}

const hear = {
  written: follow,
  lost() {
    if (!isLost) say("lost");
    isLost = true;
  },
  served(version) {
    if (version !== stream.dataset.version) say("upgraded");
    else if (isLost) say("again");
    isLost = false;
  },
};

function tell(what, version) {
  hear[what](version);
  tabs.postMessage([what, version]);
}

tabs.addEventListener("message", ({ data: [what, version] }) => hear[what](version));
document.addEventListener("visibilitychange", () => isMissed && follow());
for (const name of ["htmx:sse:error", "htmx:error", "htmx:response:error"]) stream.addEventListener(name, () => tell("lost"));
for (const name of ["written", "served"]) stream.addEventListener(name, ({ detail }) => tell(name, detail.data));

// A form is not sent to nobody: the browser would show an error in place of what was typed.
async function hold(event) {
  if (!isLost) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    await fetch("/static/icon.svg");
  } catch {
    say("kept");
    document.querySelector("#connection").scrollIntoView();
    return;
  }
  hear.served(stream.dataset.version); // only the stream was lost
  event.target.requestSubmit(event.submitter);
}

document.addEventListener("submit", hold, true); // before htmx

const TRY_AGAIN_MS = 3_000; // the extension connects again by itself only if it was connected before

function lead() {
  const connect = () => htmx.trigger(stream, "lead");
  connect();
  setInterval(connect, TRY_AGAIN_MS);
  return new Promise(() => {}); // the lock is held for as long as the page is there
}

document.addEventListener("DOMContentLoaded", () => navigator.locks.request("palimp", lead)); // after htmx' own listener
