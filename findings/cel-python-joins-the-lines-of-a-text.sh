#!/usr/bin/env bash
# 30 November 2026, cel-python 0.5.0 (from PyPI), Python 3.11.
#
# One would guess: between three quotes a text of CEL goes over several lines, and the ends of these are part of it, as
# the language has it, whose texts in one pair of quotes write them as "\n".
# Seen: the expression is taken and each line feed in the text is dropped without a word, so that "one" and "two" on two
# lines are "onetwo" and the comparison with "one\ntwo" is false. So it is in bytes. Of a carriage return with a line
# feed the carriage return is left. With an r before the quotes, which is for texts without escapes, all is kept.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "cel-python==0.5.0"
"$folder/venv/bin/python" - <<'PYTHON'
import celpy

environment = celpy.Environment()


def value(expression):
    answer = environment.program(environment.compile(expression)).evaluate({})
    print(f"{expression!r} is {answer!r}")
    return answer


for quotes in ("'''", '"""'):
    text = f"{quotes}one\ntwo\n{quotes}"
    assert value(r"'one\ntwo\n'") == value(f"{quotes}one\\ntwo\\n{quotes}") == value("r" + text) == "one\ntwo\n"
    assert value("br" + text) == b"one\ntwo\n", "the others have changed"
    assert value(text) == "onetwo" and value("b" + text) == b"onetwo", "this has changed"
    assert not value(text + r" == 'one\ntwo\n'") and value(f"size({text})") == 6, "this has changed"
assert value("'''one\ttwo'''") == "one\ttwo", "other characters have changed"
assert value("'''one\r\ntwo'''") == "one\rtwo", "this has changed"
PYTHON
