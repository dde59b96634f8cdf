#!/usr/bin/env bash
# 30 November 2026, apsw 3.54.1.0 (from PyPI) with the SQLite in it, Python 3.11.
#
# One would guess: apsw.fts5query takes an FTS5 query apart and writes it again so that it finds the same rows.
# Seen: brackets that hold a NOT on the right of a NOT are left out. FTS5 reads NOT from the left, so "x NOT (y NOT z)"
# comes back as a query for something else, and no error says so. A column filter within another one comes back as a text
# that FTS5 refuses, though it took the original.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "apsw==3.54.1.0"
"$folder/venv/bin/python" - <<'PYTHON'
import apsw
from apsw.fts5query import parse_query_string, to_query_string

connection = apsw.Connection(":memory:")
connection.execute("CREATE VIRTUAL TABLE notes USING fts5(title, body)")
for text in ("ship", "ship harbour", "ship harbour storm"):
    connection.execute("INSERT INTO notes VALUES (?, '')", (text,))


def found(query):
    return [title for (title,) in connection.execute("SELECT title FROM notes(?) ORDER BY rowid", (query,))]


def written(query):
    return to_query_string(parse_query_string(query))


asked = "ship NOT (harbour NOT storm)"
print(f"{asked!r} finds {found(asked)}; written again it is {written(asked)!r} and finds {found(written(asked))}")
assert found(asked) == ["ship", "ship harbour storm"], "FTS5 has changed"
assert found(written(asked)) == ["ship"], "this has changed"

nested = "{title body} : (title : ship)"
assert len(found(nested)) == 3, "FTS5 has changed"
try:
    found(written(nested))
except apsw.SQLError as error:
    print(f"{nested!r} finds 3; written again it is {written(nested)!r}: {error}")
else:
    raise AssertionError("this has changed")
PYTHON
