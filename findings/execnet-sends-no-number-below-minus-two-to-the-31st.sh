#!/usr/bin/env bash
# 30 November 2026, execnet 2.1.2 (from PyPI), Python 3.11.
#
# One would guess: execnet.dumps takes any int, as its loads gives any back; numbers above 2**31 - 1 are sent as text.
# Seen: only the upper end is looked at. Below -2**31 dumps raises struct.error, and no DumpError, which is its own for
# anything that it can not send.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "execnet==2.1.2"
"$folder/venv/bin/python" - <<'PYTHON'
import struct

import execnet


def sent(number):
    try:
        return execnet.loads(execnet.dumps(number)) == number
    except execnet.DumpError as error:
        return error
    except struct.error as error:
        return f"struct.error: {error}"


for number in (2**31, 2**100, -(2**31), -(2**31) - 1):
    print(f"execnet sends {number}: {sent(number)}")
assert sent(2**100) is sent(-(2**31)) is True, "the others have changed"
assert str(sent(-(2**31) - 1)).startswith("struct.error"), "this has changed"
PYTHON
