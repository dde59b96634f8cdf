#!/usr/bin/env bash
# A project, and what an earlier session decided in it. Runs in the case's own folder, with its own home.
set -euo pipefail
git init -q .
cat >ledger.py <<'PY'
"""The ledger of the shop."""


def total(amounts):
    """Return the sum of *amounts*."""
    return sum(amounts)
PY
palimp add "We decided that refund() and all of the ledger keep money in integer cents, because floats lost a cent in March." \
  --kind decision >/dev/null
