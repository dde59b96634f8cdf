#!/usr/bin/env bash
# 30 November 2026, rich 15.0.0 (from PyPI), Python 3.11.
#
# One would guess: Table(leading=2) puts two blank lines between each two rows, as leading=1 puts one. The docs say so, too:
# the number counts the lines.
# Seen: there is one line for any number, and it holds the blank row that many times side by side, so that it juts out
# of the table; the console crops it where it ends. A table without a box has no blank line at all.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "rich==15.0.0"
"$folder/venv/bin/python" - <<'PYTHON'
import io

from rich import box
from rich.console import Console
from rich.table import Table

WIDTH = 17


def lines_of(leading, **given):
    table = Table(show_header=False, leading=leading, width=WIDTH, **given)
    table.add_row("one", "two")
    table.add_row("three", "four")
    console = Console(file=io.StringIO(), width=80, _environ={})
    console.print(table)
    return console.file.getvalue().splitlines()


for leading in range(4):
    drawn = lines_of(leading, box=box.ASCII)
    print(f"leading={leading}:", *drawn, sep="\n  ")
    blank = drawn[2:-2]
    assert all(len(line) == WIDTH for line in drawn if line not in blank), "the other lines have changed"
    assert [len(line) for line in blank] == [WIDTH * leading][:leading], "this has changed"
assert lines_of(2, box=None) == lines_of(0, box=None), "this has changed"
PYTHON
