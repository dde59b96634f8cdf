"""Add or remove entries in a YAML text's table, changing nothing else.

Lines are added where the parser says; if the result is wrong, nothing is written, and a person is told the lines to
add.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

import yaml

from palimp_clients.install.json_structure import BOM

Value = dict[str, Any]

INDENT: Final = "  "


class YamlTextError(ValueError):
    """The text is no YAML, or cannot be changed; *lines* are to be added by hand."""

    def __init__(self, text: str, lines: str = "") -> None:
        super().__init__(text)
        self.lines = lines


class _Place(NamedTuple):
    """A block's first child's beginning and indent."""

    at: int
    indent: str


def read_yaml(text: bytes) -> Value:
    """Return the content of *text*, or empty.

    Raises:
        YamlTextError: it is no YAML, or no table.
    """
    try:
        value: Any = yaml.safe_load(text.removeprefix(BOM))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise YamlTextError(" ".join(str(error).split())) from None
    except RecursionError:
        raise YamlTextError("too many values are nested in one another") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise YamlTextError("it is no table")
    return cast("Value", value)


def with_member(text: bytes, table: str, name: str, value: Any) -> bytes:
    """Return *text* with *value* as *table*'s member *name*, replaced if there.

    Raises:
        YamlTextError: *text* is no YAML, or has another form there.
    """
    wanted = _table_in(read_yaml(text), table)
    if name in wanted[table]:
        text = without_member(text, table, name)
    wanted[table][name] = value
    lines = _lines({name: value})
    return _verify(text, lambda: _with_block(text, (table,), lines), wanted, f"{table}:\n{_indent(lines, INDENT)}")


def without_member(text: bytes, table: str, name: str) -> bytes:
    """Return *text* without *table*'s member *name*, and an empty table.

    Raises:
        YamlTextError: *text* is no YAML, or other parts would change.
    """
    value = read_yaml(text)
    if not isinstance(known := value.get(table), dict) or name not in known:
        return text
    del known[name]
    if known:
        return _verify(text, lambda: _without(text, (table, name)), value)
    del value[table]
    return _verify(text, lambda: _without(text, (table,)), value)


def with_item(text: bytes, table: str, name: str, item: Value) -> bytes:
    """Return *text* with *item* first in *table*'s list *name*.

    Raises:
        YamlTextError: *text* is no YAML, or has another form there.
    """
    wanted = _table_in(read_yaml(text), table)
    items = wanted[table].get(name)
    if items is None:
        return with_member(text, table, name, [item])
    lines = _lines([item])
    by_hand = f"{table}:\n{_indent(_lines({name: [item]}), INDENT)}"
    if not isinstance(items, list):
        raise YamlTextError(f"{name} of {table} is no list", by_hand)
    cast("list[Any]", items).insert(0, item)
    return _verify(text, lambda: _with_block(text, (table, name), lines), wanted, by_hand)


def without_items(text: bytes, table: str, is_ours: Callable[[Any], bool]) -> bytes:
    """Return *text* without our items in *table*'s lists, and empty parts.

    Raises:
        YamlTextError: *text* is no YAML, or other parts would change.
    """
    while found := _first_item(read_yaml(text), table, is_ours):
        name, index, is_alone = found
        if is_alone:
            text = without_member(text, table, name)
            continue
        value = read_yaml(text)
        del value[table][name][index]
        before, place = text, (table, name, index)
        text = _verify(before, lambda before=before, place=place: _without(before, place), value)
    return text


def _first_item(value: Value, table: str, is_ours: Callable[[Any], bool]) -> tuple[str, int, bool] | None:
    lists: Any = value.get(table)
    if not isinstance(lists, dict):
        return None
    for name, items in cast("Value", lists).items():
        known = cast("list[Any]", items) if isinstance(items, list) else []
        for index, item in enumerate(known):
            if is_ours(item):
                return name, index, len(known) == 1
    return None


def _table_in(value: Value, table: str) -> Value:
    if value.get(table) is None:
        value[table] = {}
    if not isinstance(value[table], dict):
        raise YamlTextError(f"{table} is no table in it")
    return value


def _verify(text: bytes, edit: Callable[[], str], wanted: Value, lines: str = "") -> bytes:
    try:
        edited = edit().encode()
        if text.startswith(BOM):
            edited = BOM + edited
        if read_yaml(edited) == wanted:
            return edited
    except (YamlTextError, yaml.YAMLError, LookupError, UnicodeError):
        pass
    raise YamlTextError("there is no place for it that leaves everything else as it is", lines)


def _with_block(text: bytes, path: tuple[str, ...], lines: str) -> str:
    said = _decode(text)
    newline = "\r\n" if "\r\n" in said else "\n"
    root = yaml.compose(said, yaml.SafeLoader)
    found = _pair(root, path[0]) if root else None
    if found is None:
        gap = "" if not said or said.endswith("\n") else "\n"
        block = f"{gap}{path[0]}:\n{_indent(lines, INDENT)}"
        return said + block.replace("\n", newline)
    for name in path[1:]:
        found = _pair(found[1], name)
        if found is None:
            raise LookupError(name)
    key, node = found
    depth = " " * key.start_mark.column
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        place = _line_of(said, node.start_mark.index)
        block = _indent(lines, place.indent)
        return said[: place.at] + block.replace("\n", newline) + said[place.at :]
    if node.value and not node.tag.endswith(":null"):
        raise LookupError(path[-1])
    # Nothing, or an empty pair of brackets: the block takes its place.
    colon = said.index(":", key.end_mark.index) + 1
    end = max(colon, node.end_mark.index)
    rest = said[end:].removeprefix("\r").removeprefix("\n")
    block = newline + _indent(lines, depth + INDENT).replace("\n", newline)
    return said[:colon] + block + rest


def _without(text: bytes, path: tuple[str | int, ...]) -> str:
    said = _decode(text)
    node: Any = yaml.compose(said, yaml.SafeLoader)
    start = 0
    for step in path:
        if isinstance(step, int):
            node = node.value[step]
            start = node.start_mark.index
        else:
            key, node = cast("tuple[Any, Any]", _pair(node, step))
            start = key.start_mark.index
    first = said.rfind("\n", 0, start) + 1
    last = said.find("\n", _last_index(node))
    return said[:first] + ("" if last < 0 else said[last + 1 :])


def _last_index(node: Any) -> int:
    """The parser puts a block's end after following comments; hence its last scalar's end."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return _last_index(last[1] if isinstance(last, tuple) else last)
    return max(node.start_mark.index, node.end_mark.index - 1)


def _pair(node: Any, name: str) -> tuple[Any, Any] | None:
    pairs = cast("list[tuple[Any, Any]]", node.value) if isinstance(node, yaml.MappingNode) else []
    return next(((key, value) for key, value in pairs if key.value == name), None)


def _line_of(said: str, index: int) -> _Place:
    first = said.rfind("\n", 0, index) + 1
    indent = said[first:index]
    if indent.strip():
        raise LookupError(indent)
    return _Place(first, indent)


def _decode(text: bytes) -> str:
    return text.removeprefix(BOM).decode()


def _indent(lines: str, indent: str) -> str:
    return "".join(f"{indent}{line}\n" for line in lines.splitlines())


def _lines(value: Mapping[str, Any] | list[Value]) -> str:
    """Write a block's lines; texts and empty lists as in JSON."""
    if isinstance(value, list):
        rows: list[str] = []
        for item in value:
            first, *others = _lines(item).splitlines()
            rows += [f"- {first}", *(f"  {line}" for line in others)]
        return "".join(f"{row}\n" for row in rows)
    found = ""
    for key, each in value.items():
        if isinstance(each, dict | list) and each:
            found += f"{key}:\n{_indent(_lines(cast('Value', each)), INDENT)}"
        else:
            found += f"{key}: {json.dumps(each, ensure_ascii=False)}\n"
    return found
