"""Put our server into a TOML text's table, or remove it, changing nothing else.

Ways are tried, the smallest change first, until the parsed result is right; else nothing is written, and a person is
told the lines to add.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from palimp_clients.install.json_structure import BOM

HEADER: Final = re.compile(rb"^[ \t]*\[", re.MULTILINE)

_VALUE_LINE: Final = re.compile(rb"^[ \t]*[^\s#][^\n]*(?:\n|\Z)", re.MULTILINE)
_KEY: Final = rb"[ \t]*[\"']?%s[\"']?[ \t]*"


class TomlTextError(ValueError):
    """The text is no TOML, or cannot be changed; *lines* are to be added by hand."""

    def __init__(self, text: str, lines: str = "") -> None:
        super().__init__(text)
        self.lines = lines


def server_in(text: bytes, table: str, name: str) -> Any:
    """Return the server *name* in *table*, or None.

    Raises:
        TomlTextError: *text* is no TOML.
    """
    servers = parse_toml(text).get(table)
    return cast("dict[str, Any]", servers).get(name) if isinstance(servers, dict) else None


def with_server(text: bytes, table: str, name: str, entry: Mapping[str, Any]) -> bytes:
    """Return *text* with *entry* as server *name* in *table*; the user's other fields stay.

    Raises:
        TomlTextError: *text* is no TOML, or has something else there.
    """
    wanted = parse_toml(text)
    lines = _lines(table, name, entry)
    if not isinstance(wanted.setdefault(table, {}), dict):
        raise TomlTextError(f"{table} is no table in it", lines)
    known = wanted[table].get(name)
    is_known = isinstance(known, dict)
    if is_known and known.items() >= entry.items():  # pyright: ignore[reportUnknownMemberType]
        return text
    wanted[table][name] = {**(known if is_known else {}), **entry}
    ways: list[Callable[[], bytes]] = [lambda: _with_by_tomlkit(text, table, name, entry)]
    if known is None:
        ways.insert(0, lambda: with_lines(text, lines))
    return first_that_says(ways, [wanted], f"{table} cannot be changed with everything else as it is", lines)


def without_server(text: bytes, table: str, name: str) -> bytes:
    """Return *text* without server *name* in *table*, and an empty table.

    Raises:
        TomlTextError: *text* is no TOML, or other parts would change.
    """
    if server_in(text, table, name) is None:
        return text
    wanted = parse_toml(text)
    del wanted[table][name]
    empty = {key: value for key, value in wanted.items() if key != table or value}
    ways: list[Callable[[], bytes]] = [
        lambda: _without_sections(text, table, name),
        lambda: _without_by_tomlkit(text, table, name),
    ]
    return first_that_says(ways, [wanted, empty], f"{table}.{name} cannot be taken out with everything else as it is")


def first_that_says(
    ways: list[Callable[[], bytes]], wanted: list[dict[str, Any]], otherwise: str, lines: str = ""
) -> bytes:
    """Return the first of *ways* with a *wanted* result.

    Raises:
        TomlTextError: none has.
    """
    for way in ways:
        try:
            text = way()
            if _canonical(parse_toml(text)) in map(_canonical, wanted):
                return text
        except Exception:  # noqa: BLE001, S112  whatever a library makes of an odd file: it is not written
            continue
    raise TomlTextError(otherwise, lines)


def parse_toml(text: bytes) -> dict[str, Any]:
    """Return the content of *text*.

    Raises:
        TomlTextError: it is no TOML.
    """
    try:
        return tomllib.loads(text.removeprefix(BOM).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TomlTextError(str(error)) from None
    except RecursionError:
        raise TomlTextError("too many values are nested in one another") from None


def _canonical(value: Mapping[str, Any]) -> str:
    """Give keys one order; NaN equals NaN."""
    return json.dumps(value, sort_keys=True, default=repr)


def _lines(table: str, name: str, entry: Mapping[str, Any]) -> str:
    """Texts and their lists are the same in TOML and JSON."""
    values = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in entry.items())
    return f"[{table}.{name}]\n{values}"


def with_lines(text: bytes, lines: str) -> bytes:
    """Return *text* with *lines* at its end, after an empty line."""
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    between = b"" if not text.removeprefix(BOM) else newline if text.endswith(b"\n") else newline * 2
    return text + between + lines.encode().replace(b"\n", newline)


def _without_sections(text: bytes, table: str, name: str) -> bytes:
    key = rb"^[ \t]*\[" + _KEY % re.escape(table).encode() + rb"\." + _KEY % re.escape(name).encode() + rb"[.\]]"
    section = re.compile(key, re.MULTILINE)
    while match := section.search(text):
        text = without_section(text, match.start(), match.end())
    return text


def without_section(text: bytes, start: int, end: int) -> bytes:
    """Return *text* without a section, its header from *start* to *end*, and the empty line before.

    Comments and empty lines after its last value are the next section's.
    """
    following = HEADER.search(text, end)
    section = text[start : following.start() if following else len(text)]
    *_, last = _VALUE_LINE.finditer(section)
    before = re.sub(rb"(\A|\n)\r?\n\Z", rb"\1", text[:start])
    return before + text[start + last.end() :]


def _with_by_tomlkit(text: bytes, table: str, name: str, entry: Mapping[str, Any]) -> bytes:
    import tomlkit  # noqa: PLC0415  only for one client

    document: Any = tomlkit.parse(text.removeprefix(BOM).decode())
    known: Any = document[table].get(name)
    if hasattr(known, "update"):
        known.update(entry)
    else:
        added = tomlkit.inline_table()
        for key, value in entry.items():
            added[key] = value
        document[table][name] = added
    return dump_toml(text, tomlkit.dumps(document))


def _without_by_tomlkit(text: bytes, table: str, name: str) -> bytes:
    import tomlkit  # noqa: PLC0415  only for one client

    document: Any = tomlkit.parse(text.removeprefix(BOM).decode())
    del document[table][name]
    if not document[table]:
        del document[table]
    return dump_toml(text, tomlkit.dumps(document))


def dump_toml(before: bytes, text: str) -> bytes:
    """Return *text* as bytes, with *before*'s byte order mark."""
    return (BOM if before.startswith(BOM) else b"") + text.encode()
