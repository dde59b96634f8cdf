"""Find things that texts name, each under a key that does not depend on its spelling.

Keys: `/cart/ttl.py`, the last two parts of a path; `#get user by id`, the words of a symbol; `$cargo`, a program;
`!SHOP-12`, `!#12`, a ticket. Others are terms, without a key.
"""

import re
from typing import Final, NamedTuple

from palimp_daemon.text.named_commands import KINDS
from palimp_daemon.text.named_subjects import CHARACTERS_MAX, Subjects, subjects_of
from palimp_daemon.text.written_paths import is_path

TICKETS_MAX: Final = 16
"""Tickets read per text: one with more is a list."""

_TICKET: Final = re.compile(r"(?<![\w#/&-])(?:[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6}|#[1-9]\d{0,6})(?![\w-])")
_NO_TICKETS: Final = re.compile(r"(?:UTF|ISO|SHA|RFC|HTTP|CVE|PEP|ADR|AES|RSA|BASE|GPT|MD)-\d+\Z")
_PARTS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")


class Entity(NamedTuple):
    """A thing that a text names; *name* as written there."""

    key: str
    name: str


def path_keys(path: str) -> list[str]:
    """Return the keys of *path*: its last two parts, or a glob's end."""
    parts = [part for part in path.removeprefix("./").split("/") if part and part != "~"]
    while parts and parts[-1] in ("*", "**"):
        parts.pop()
    return [f"/{'/'.join(parts[-1:] if '*' in parts[-1] else parts[-2:])}"] if parts else []


def symbol_key(symbol: str) -> str:
    """Return the key of *symbol*: the words of its last part, if any."""
    last = re.split(r"\.|::|#|->|/", symbol.removesuffix("()"))[-1]
    words = [part.lower() for part in _PARTS.findall(last)]
    return f"#{' '.join(words)}" if words else ""


def entities_in(text: str) -> list[Entity]:
    """Return the entities of *text* by sort, each key once."""
    return entities_among(subjects_of(text), text)


def entities_among(subjects: Subjects, text: str) -> list[Entity]:
    """Return the entities of *text* from its known *subjects*."""
    found = [Entity(key, path) for path in subjects.paths for key in path_keys(path)]
    found += [Entity(key, symbol) for symbol in subjects.symbols if (key := symbol_key(symbol))]
    found += [Entity(f"${program}", program) for program in _programs(subjects)]
    found += [Entity(f"!{ticket}", ticket) for ticket in tickets_in(text)]
    return [*{each.key: each for each in reversed(found)}.values()][::-1]


def tickets_in(text: str) -> list[str]:
    """Return the first TICKETS_MAX tickets in *text*: `SHOP-12`, `#12`."""
    tickets = [each for each in _TICKET.findall(text[:CHARACTERS_MAX]) if not _NO_TICKETS.match(each)]
    return list(dict.fromkeys(tickets))[:TICKETS_MAX]


def keys_of_name(name: str) -> list[str]:
    """Return the keys that *name* may mean; none for a term."""
    plain = name.strip().strip("`").strip()
    if tickets_in(plain) == [plain]:
        return [f"!{plain}"]
    if is_path(plain) or "/" in plain:
        return [*path_keys(plain), *path_keys(plain.rsplit("/", 1)[-1])]
    keys = path_keys(plain) if re.search(r"\w\.\w", plain) and " " not in plain else []
    if " " not in plain and (key := symbol_key(plain)):
        keys += [key, f"${plain}"]
    return keys


def _programs(subjects: Subjects) -> list[str]:
    written = [each for each in subjects.commands if each not in KINDS and not each.startswith("install:")]
    return [program for each in written if (program := each.split()[0])]
