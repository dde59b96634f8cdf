#!/usr/bin/env bash
# 30 November 2026, apsw 3.54.1.0 (from PyPI) with the SQLite in it, Python 3.11.
#
# One would guess: a Python function that apsw.ext.make_virtual_module has made a table takes parameters from another
# table of the query, as the table functions of SQLite do: "FROM numbers, upto(number)".
# Seen: the planner may go through upto first, since apsw accepts a plan in which the parameter is not known yet. Then
# the function is called once, with its default, and only rows where the other table happens to hold the default are
# found; no error says so. CROSS JOIN or LEFT JOIN, which settle the order, find all. json_each refuses such a plan.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "apsw==3.54.1.0"
"$folder/venv/bin/python" - <<'PYTHON'
import apsw
from apsw.ext import VTColumnAccess, make_virtual_module

calls = []


def upto(last=3):
    calls.append(last)
    return [(value,) for value in range(1, last + 1)]


upto.columns, upto.column_access = ("value",), VTColumnAccess.By_Index
connection = apsw.Connection(":memory:")
make_virtual_module(connection, "upto", upto)
connection.execute("CREATE TABLE numbers(number, listed)")
connection.execute("INSERT INTO numbers VALUES (1, '[1]'), (2, '[1, 2]'), (3, '[1, 2, 3]')")


def found(source):
    calls.clear()
    rows = connection.execute(f"SELECT number, value FROM {source} ORDER BY number, value").fetchall()
    print(f"{source}: {rows}, called with {calls}")
    return rows


ALL = [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
assert found("numbers, json_each(listed)") == ALL
assert found("numbers CROSS JOIN upto(number)") == found("numbers LEFT JOIN upto(number)") == ALL
assert found("numbers, upto(number)") == ALL[3:] and calls == [3], "this has changed"
PYTHON
