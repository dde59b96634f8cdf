#!/usr/bin/env bash
# 30 November 2026, pytest-trio 0.8.0 with pytest 9.2.0 and trio 0.35.0 (from PyPI), Python 3.11.
#
# One would guess: pytest.skip("no network") and pytest.xfail("later") within a trio test are reported with their reason
# and their line, as they are within any other test.
# Seen: since a nursery packs them into a group, the plugin raises an empty pytest.skip() or pytest.xfail() in their
# place. The summary of -rsx names a line of pytest itself and "Skipped", for the xfail no reason at all, and pytest
# folds skips for different reasons into one.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pytest-trio==0.8.0" "pytest==9.2.0" "trio==0.35.0"
cd "$folder"
cat > test_plain.py <<'PYTHON'
import pytest


def test_skip():
    pytest.skip("no network")


def test_other_skip():
    pytest.skip("no display")


def test_xfail():
    pytest.xfail("later")
PYTHON
sed -e 's/^def/@pytest.mark.trio\nasync def/' test_plain.py > test_trio.py
summary() {
    "$folder/venv/bin/python" -m pytest -q -rsx --no-header -p no:cacheprovider "$1" | grep -E '^(SKIPPED|XFAIL)'
}
plain=$(summary test_plain.py)
trio=$(summary test_trio.py)
printf 'plain tests:\n%s\ntrio tests:\n%s\n' "$plain" "$trio"
for reason in "no network" "no display" "later"; do
    grep -q "$reason" <<< "$plain" || { echo "pytest has changed"; exit 1; }
    if grep -q "$reason" <<< "$trio"; then echo "this has changed"; exit 1; fi
done
grep -q 'SKIPPED \[2\] .*_pytest/python.py' <<< "$trio" || { echo "this has changed"; exit 1; }
