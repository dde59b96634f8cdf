#!/usr/bin/env bash
# A project, and what its user wants. Runs in the case's own folder, with its own home.
set -euo pipefail
git init -q .
cat >ledger.py <<'PY'
"""The ledger of the shop."""


def total(amounts):
    """Return the sum of *amounts*, in integer cents."""
    return sum(amounts)
PY
palimp add "Tests are plain functions whose names begin with test_that_. The user wants no classes of tests." \
  --kind preference >/dev/null
