"""Our server under `mcpServers` in a client's JSON file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.client_files import Change, text_of
from palimp_clients.install.json_edit import value_at, with_member, without_member
from palimp_clients.install.json_structure import BOM, JsonShapeError, JsonTextError
from palimp_protocol.errors import ErrorCode, PalimpError

Edit = Callable[[bytes], bytes]

MEND: Final = "Mend it first; palimp leaves it as it is."
BY_HAND: Final = "Nothing was changed. Add this yourself:"
SERVER: Final = ("mcpServers", "palimp")


def with_server(entry: Mapping[str, Any], text: bytes) -> bytes:
    """Return *text* with *entry* as our server."""
    known = value_at(text, SERVER)
    if isinstance(known, dict) and known.items() >= entry.items():  # pyright: ignore[reportUnknownMemberType]
        return text  # what else the user set there stays
    return with_member(text, SERVER, dict(entry))


def without_server(text: bytes) -> bytes:
    """Return *text* without our server."""
    without = without_member(text, SERVER)
    return without_member(without, SERVER[:1]) if without != text and not value_at(without, SERVER[:1]) else without


def edit_json_file(path: Path, edit: Edit, taken_out: Edit) -> Change:
    """Return *edit* of the JSON file at *path*.

    Raises:
        PalimpError: it cannot be read, or is no JSON; nothing was changed.
    """
    data = text_of(path)
    text = data or b""
    try:
        after = edit(text if text.removeprefix(BOM).strip() else b"{}\n")
    except JsonShapeError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} has another form: {error}.", MEND) from None
    except JsonTextError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} is not valid JSON: {error}.", MEND) from None
    return Change(path, data, after, taken_out)
