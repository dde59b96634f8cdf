#!/usr/bin/env bash
# 28 November 2026, rich 15.0.0 (from PyPI), Python 3.11.
#
# One would guess: Console(width=40) is 40 columns wide on any terminal, since the caller says so.
# Seen: where TERM is "dumb" the given width counts only if a height is given, too; else the console is 80 columns wide,
# and tables are laid out for these on a terminal of 40. Where TERM is anything else the width alone counts.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "rich==15.0.0"
"$folder/venv/bin/python" - <<'PYTHON'
import io

from rich.console import Console


def width_of(term: str, **given: int) -> int:
    return Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": term}, **given).width


seen = {
    "xterm, width=40": width_of("xterm", width=40),
    "dumb, width=40": width_of("dumb", width=40),
    "dumb, width=40, height=10": width_of("dumb", width=40, height=10),
}
for what, width in seen.items():
    print(f"{what}: {width} columns")
assert list(seen.values()) == [40, 80, 40], seen
PYTHON
