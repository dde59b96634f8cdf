#!/usr/bin/env bash
# 30 November 2026, tree-sitter 0.26.1 with tree-sitter-python 0.25.0 (from PyPI), Python 3.11.
#
# One would guess: in a query (#not-any-of? @x "a" "b") keeps what is neither, as two lines of #not-eq? do; the docs of
# tree-sitter say that "not-" turns each of its predicates round.
# Seen: with two texts or more it leaves out nothing, as if it were not there: any name differs from one of the two, and
# that is enough. With one text it works, and so does #any-of? with many.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "tree-sitter==0.26.1" "tree-sitter-python==0.25.0"
"$folder/venv/bin/python" - <<'PYTHON'
import tree_sitter_python
from tree_sitter import Language, Parser, Query, QueryCursor

GRAMMAR = Language(tree_sitter_python.language())
NAMES = ["len", "load", "print", "print", "save"]
tree = Parser(GRAMMAR).parse("\n".join(NAMES).encode())


def left(predicates):
    captures = QueryCursor(Query(GRAMMAR, f"((identifier) @x {predicates})")).captures(tree.root_node)
    names = sorted(node.text.decode() for node in captures.get("x", []))
    print(f"{predicates} keeps {names}")
    return names


assert left('(#any-of? @x "print" "len")') == ["len", "print", "print"], "any-of has changed"
for rest in ('(#not-eq? @x "print") (#not-eq? @x "len")', '(#not-match? @x "^(print|len)$")'):
    assert left(rest) == ["load", "save"], "the others have changed"
assert left('(#not-any-of? @x "print")') == ["len", "load", "save"], "one text has changed"
for texts in ('"print" "len"', '"print" "len" "save" "load"'):
    assert left(f"(#not-any-of? @x {texts})") == NAMES, "this has changed"
PYTHON
