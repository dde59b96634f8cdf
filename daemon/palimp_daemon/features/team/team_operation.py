"""Replicas' operations, in lines.

A line is `SUM REPLICA COUNTER JSON`: a checksum of the rest, in digits of fixed width.
"""

import hashlib
import re
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.decoders import decoder_of

VERSION: Final = 1
"""Version of the format; raised if older palimps would misread an operation."""

LINE_BYTES_MAX: Final = 262_144
"""Bytes of a line: four times `TEXT_CHARACTERS_MAX`, six bytes per character in JSON."""

OPERATIONS_MAX: Final = 250_000
"""Operations per replica and project; their sums and places take 40 MB at worst. Beyond it this replica gets a new id;
others' operations are left out."""

_SUM_BYTES: Final = 8

_HEX: Final = "[0-9a-f]"
REPLICA: Final = re.compile(f"{_HEX}{{16}}")
PROJECT_KEY: Final = re.compile(f"{_HEX}{{32}}")

Kind = Literal["put", "purge", "restore", "pin", "unpin", "link", "unlink", "erase", "cleared", "merge"]

KINDS: Final[frozenset[str]] = frozenset(Kind.__args__)

Id = Annotated[str, Meta(pattern="^m[0-9a-z]{6,20}$")]
Time = Annotated[int, Meta(ge=0, lt=2**47)]


class TeamOperation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change of a memory, or of a project's key (`merge`); it sets its kind's fields."""

    version: Annotated[int, Meta(ge=1)] = VERSION
    project: Annotated[str, Meta(pattern=f"^{_HEX}{{32}}$")]
    replica: Annotated[str, Meta(pattern=f"^{_HEX}{{16}}$")]
    counter: Annotated[int, Meta(ge=1, lt=2**53)]
    stamp: Annotated[str, Meta(pattern=rf"^{_HEX}{{12}}\.{_HEX}{{4}}\.{_HEX}{{16}}$")]
    kind: str
    """One of `Kind`; a newer palimp may send another."""
    id: Id | Literal[""] = ""
    by: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] = ""
    """The replica's name."""
    title: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] = ""
    text: Annotated[str, Meta(max_length=limits.TEXT_CHARACTERS_MAX)] = ""
    tags: Annotated[str, Meta(max_length=limits.TAGS_MAX * (limits.TAG_CHARACTERS_MAX + 1))] = ""
    about: Annotated[str, Meta(max_length=20)] = ""
    """The memory's kind."""
    at: Time = 0
    """When it was saved, purged, pinned or linked, in Unix milliseconds."""
    older: Annotated[str, Meta(max_length=21)] = ""
    relation: Literal["", "replaces", "narrows", "disagrees"] = ""
    said_by: Literal["", "text", "agent", "user", "compact"] = ""
    said: Annotated[str, Meta(max_length=limits.TEXT_CHARACTERS_MAX)] = ""
    is_edit: bool = False
    erased_text: Annotated[str, Meta(pattern=f"^({_HEX}{{32}})?$")] = ""
    """With `erase`: the text's hash, keyed by the team's id; empty: not known."""
    other: Annotated[str, Meta(pattern=f"^({_HEX}{{32}})?$")] = ""
    """With `merge`: another key of the same project."""
    goes_on: bool = False
    """With `merge`: new operations are sent under that key."""

    @property
    def field(self) -> str:
        """The register it sets."""
        if self.kind in ("link", "unlink"):
            return link_field(self.relation, self.older)
        return {"put": "put", "purge": "purged", "restore": "purged", "pin": "pin", "unpin": "pin"}.get(
            self.kind, "erased"
        )


def link_field(relation: str, older: str) -> str:
    """Return a link's register."""
    return f"{relation} {older}"


class Line(NamedTuple):
    """A line with a valid sum."""

    replica: str
    counter: int
    sum: bytes
    body: bytes


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = decoder_of(TeamOperation)


def encode(operation: TeamOperation) -> bytes:
    """Encode *operation* as JSON."""
    return _ENCODER.encode(operation)


def decode(body: bytes) -> TeamOperation:
    """Decode an operation.

    Raises:
        msgspec.DecodeError: it is invalid, or out of bounds.
    """
    return _DECODER.decode(body)


def line_of(replica: str, counter: int, body: bytes) -> bytes:
    """Return the line of *body*, with its end."""
    rest = b"%s %d %s" % (replica.encode(), counter, body)
    return b"%s %s\n" % (_sum(rest), rest)


def parse_line(line: bytes) -> Line | None:
    """Parse *line*, without its end; None if its sum is wrong."""
    total, _, rest = line.partition(b" ")
    if len(line) > LINE_BYTES_MAX or total != _sum(rest):
        return None
    replica, counter, body = rest.split(b" ", 2) if rest.count(b" ") >= 2 else (b"", b"", b"")
    if not (replica.isalnum() and counter.isdigit()):
        return None
    return Line(replica.decode(), int(counter), total, body)


def sum_of(replica: str, counter: int, body: bytes) -> bytes:
    """Return the sum of the line of *body*."""
    return line_of(replica, counter, body).partition(b" ")[0]


def _sum(rest: bytes) -> bytes:
    return hashlib.blake2b(rest, digest_size=_SUM_BYTES).hexdigest().encode()
