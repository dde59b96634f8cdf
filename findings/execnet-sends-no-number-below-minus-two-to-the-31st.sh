#!/usr/bin/env bash
# 30 November 2026, execnet 2.1.2, pytest-xdist 3.8.0, pytest 9.2.0 (from PyPI), Python 3.11.
#
# One would guess: execnet.dumps takes any int, as its loads gives any back; numbers above 2**31 - 1 are sent as text.
# Seen: only the upper end is looked at. Below -2**31 dumps raises struct.error, and no DumpError, which is its own for
# anything that it can not send. pytest-xdist sends reports with it: where a passing test records such a number as a
# property, the worker ends with an internal error. With the same number above zero, or without -n, the test passes.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "execnet==2.1.2" "pytest-xdist==3.8.0" "pytest==9.2.0"
cd "$folder"
cat > test_balance.py <<'PYTHON'
import os


def test_balance(record_property):
    record_property("balance", int(os.environ["BALANCE"]))
PYTHON
"$folder/venv/bin/python" - <<'PYTHON'
import os
import struct
import subprocess
import sys

import execnet


def sent(number):
    try:
        return execnet.loads(execnet.dumps(number)) == number
    except execnet.DumpError as error:
        return error
    except struct.error as error:
        return f"struct.error: {error}"


def run(balance, workers):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers]
    done = subprocess.run(command, env=os.environ | {"BALANCE": balance}, capture_output=True, text=True)
    return "internal error" if "INTERNALERROR" in done.stdout else done.stdout.splitlines()[-1].partition(" in ")[0]


for number in (2**31, 2**100, -(2**31), -(2**31) - 1):
    print(f"execnet sends {number}: {sent(number)}")
assert sent(2**100) is sent(-(2**31)) is True, "the others have changed"
assert str(sent(-(2**31) - 1)).startswith("struct.error"), "this has changed"

runs = {(balance, workers): run(balance, workers) for balance in ("3000000000", "-3000000000") for workers in "01"}
for (balance, workers), outcome in runs.items():
    print(f"pytest -n {workers}, balance {balance}: {outcome}")
assert list(runs.values()) == ["1 passed", "1 passed", "1 passed", "internal error"], "this has changed"
PYTHON
