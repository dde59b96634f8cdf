"""Set or remove a value in a TOML text; comments, order and line ends stay."""

from typing import Any, cast

import tomlkit

from palimp_protocol.settings import Value


def with_value(text: str, key: str, value: Value) -> str:
    """Return *text* with the dotted *key* set to *value*.

    Raises:
        ValueError: *text* is no TOML, or a part of *key* is no table in it.
    """
    document = tomlkit.parse(text)
    *tables, name = key.split(".")
    table: Any = document
    for part in tables:
        if part not in table:
            table[part] = tomlkit.table()
        inner: Any = table[part]
        if not isinstance(inner, dict):
            raise ValueError(f"{part} is no table in it")  # noqa: TRY004  the text is wrong, not the caller
        table = cast("Any", inner)
    table[name] = list(value) if isinstance(value, tuple) else value
    return tomlkit.dumps(document)


def without_value(text: str, key: str) -> str:
    """Return *text* without the dotted *key*, and without an empty table unless commented.

    Raises:
        ValueError: *text* is no TOML.
    """
    document = tomlkit.parse(text)
    *parts, name = key.split(".")
    tables: list[Any] = [document]
    for part in parts:
        inner = tables[-1].get(part)
        if not isinstance(inner, dict):
            return text
        tables.append(cast("Any", inner))
    if name not in tables[-1]:
        return text
    del tables[-1][name]
    for outer, part in zip(reversed(tables[:-1]), reversed(parts), strict=True):
        inner = outer[part]
        if inner or "#" in inner.as_string() or inner.trivia.comment:
            break
        del outer[part]
    return tomlkit.dumps(document)
