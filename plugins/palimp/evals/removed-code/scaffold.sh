#!/usr/bin/env bash
# A project whose history took a function out. Runs in the case's own folder, with its own home.
set -euo pipefail
git init -q .
commit() {
  git add .
  git -c user.name=ann -c user.email=ann@example.com commit -qm "$1"
}
plain='"""Calls to the server."""

import time


def fetch(session, address):
    """Return the body at *address*."""
    return session.get(address).body
'
helper='

def call_with_retry(action, attempts=3, pause_s=0.5):
    """Call *action*, again after each failure, *attempts* times at most."""
    for attempt in range(attempts):
        try:
            return action()
        except ConnectionError:
            if attempt == attempts - 1:
                raise
            time.sleep(pause_s * (attempt + 1))
'
printf '%s%s' "$plain" "$helper" >client.py
commit "Talk to the server, with a retry helper"
printf '%s' "$plain" >client.py
commit "Remove the retry helper: it hides outages from the callers"
# Clients show a model the last commits; the reason stands behind them.
for page in 1 2 3 4 5 6 7 8; do
  echo "Page $page" >>README.md
  commit "Write page $page of the manual"
done
palimp changes import >/dev/null 2>&1
