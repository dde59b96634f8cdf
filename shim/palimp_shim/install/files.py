"""What an installation does to files: decided first, then done, and written down so that it can be undone.

Theory
------
A `Change` is a file before and after. The journal (`install.json` beside the database) keeps the bytes before and a
hash of those after, for each client. If a file still has that hash, going back is putting the old bytes there, or
removing the file. If somebody wrote to it meanwhile, what is ours is taken out of what it is now, and that is said.

The journal is written before the files are: a crash leaves a note of more than was done, never of less.
"""

import base64
import difflib
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.paths import state_directory
from palimp_shim.plain_files import read_bounded

JOURNAL: Final = "install.json"
FILE_BYTES_MAX: Final = 64 * 1024 * 1024
"""A client's own file: Claude Code's grows with every project."""


@dataclass(frozen=True)
class Change:
    """A file before and after; None: it is not there. *taken_out* makes of its text one without what is ours."""

    path: Path
    before: bytes | None
    after: bytes | None
    taken_out: Callable[[str], str]


def text_of(path: Path) -> tuple[bytes | None, str]:
    """Return the bytes and the text of the file at *path*; None and nothing when there is none.

    Raises:
        PalimpError: it cannot be read, or is no UTF-8 text.
    """
    try:
        data = read_bounded(path, FILE_BYTES_MAX)
        return data, data.decode()
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror}."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "It was left as it is.") from None
    except UnicodeDecodeError:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} is no UTF-8 text.", "It was left as it is.") from None


def difference(changes: Sequence[Change]) -> str:
    """Return what *changes* would do, as a unified diff."""
    lines: list[str] = []
    for change in changes:
        old, new = ((data or b"").decode(errors="replace").splitlines() for data in (change.before, change.after))
        one, other = (str(change.path) if data is not None else os.devnull for data in (change.before, change.after))
        lines += difflib.unified_diff(old, new, one, other, lineterm="")
    return "\n".join(lines)


def apply(changes: Sequence[Change], client: str, env: Mapping[str, str]) -> None:
    """Make *changes*, noted in the journal of *client* first.

    Raises:
        PalimpError: a file cannot be written, or was changed since it was looked at; those before it are written.
    """
    journal = _journal(env)
    known: dict[str, Any] = journal.setdefault(client, {"files": {}, "folders": []})
    for change in changes:
        noted = known["files"].get(str(change.path))
        before = change.before
        if noted is not None and before is not None and noted["after"] != _hash(before):
            before = change.taken_out(before.decode()).encode()  # somebody wrote to it since the first installation
        elif noted is not None:
            before = _decoded(noted["before"])
        known["files"][str(change.path)] = {"before": _encoded(before), "after": _hash(change.after)}
        missing = [str(folder) for folder in change.path.parents if not folder.exists()]
        known["folders"] += [folder for folder in missing if folder not in known["folders"]]
    _write_journal(journal, env)
    for change in changes:
        if text_of(change.path)[0] != change.before:
            raise PalimpError(
                ErrorCode.BUSY, f"{change.path} was written to by somebody else just now.", "It stays so; run it again."
            )
        _write(change.path, change.after)


def undo(found: Sequence[Change], client: str, env: Mapping[str, str]) -> list[str]:
    """Take back what was done for *client*; *found* are its files as they are now. Return what was done, a line each.

    Raises:
        PalimpError: a file cannot be written.
    """
    journal = _journal(env)
    known = journal.get(client, {"files": {}, "folders": []})
    done = [line for change in found if (line := _undone(change, known["files"].get(str(change.path))))]
    for folder in sorted(known["folders"], key=len, reverse=True):
        try:
            Path(folder).rmdir()
        except OSError:
            continue  # something else is in it, or it is gone
    if client in journal:
        del journal[client]
        _write_journal(journal, env)
    return done


def _undone(change: Change, noted: Mapping[str, Any] | None) -> str:
    """Take one file back, of which the journal says what is *noted*; return what was done, empty: nothing."""
    path = change.path
    if change.before is None:
        return ""
    if noted is not None and noted["after"] == _hash(change.before):
        _write(path, _decoded(noted["before"]))
        return f"{path} is as it was."
    text = change.before.decode()
    try:
        without = change.taken_out(text) if text.strip() else text
    except ValueError as error:
        return f"{path} was changed since, and cannot be read now ({error}): take palimp out of it yourself."
    if without == text:
        return f"{path} was changed since by somebody else, and stays." if noted is not None else ""
    _write(path, without.encode())
    return f"{path} was changed since by somebody else; what is palimp's was taken out of it."


def is_ours(path: Path, data: bytes, client: str, env: Mapping[str, str]) -> bool:
    """Tell whether *data* is what we put into the file at *path* for *client*."""
    noted = _journal(env).get(client, {"files": {}})["files"].get(str(path))
    return noted is not None and noted["after"] == _hash(data)


def installed_clients(env: Mapping[str, str]) -> list[str]:
    """Return the clients that the journal knows."""
    return sorted(_journal(env))


def _journal(env: Mapping[str, str]) -> dict[str, Any]:
    path = Path(state_directory(env)) / JOURNAL
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"{path} cannot be read: {error}.",
            "It says what the files were before; move it away.",
        ) from None
    return found


def _write_journal(journal: dict[str, Any], env: Mapping[str, str]) -> None:
    path = Path(state_directory(env)) / JOURNAL
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        text = f"{path.parent} cannot be made: {error.strerror}."
        raise PalimpError(
            ErrorCode.BAD_REQUEST, text, "Nothing was changed. Set PALIMP_HOME to another folder."
        ) from None
    _write(path, json.dumps(journal, indent=1).encode() if journal else None, mode=0o600)


def _write(path: Path, data: bytes | None, mode: int = 0o644) -> None:
    """Make the file at *path* hold *data*, whole or not at all; None: remove it. Links are followed, modes kept."""
    try:
        if data is None:
            path.unlink(missing_ok=True)
            return
        path = path.resolve()
        mode = path.stat().st_mode & 0o777 if path.exists() else mode
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.parent / f".palimp-{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("xb") as file:
                os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be written: {error.strerror}.") from error


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
