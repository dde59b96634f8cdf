"""Change files for an installation, journaled for undoing.

From a file changed by others only our parts are removed. The journal is written first: after a crash it notes too much,
never too little.
"""

import base64
import codecs
import difflib
import errno
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from palimp_protocol.env.paths import state_directory
from palimp_protocol.errors import ErrorCode, PalimpError

JOURNAL: Final = "install.json"
FILE_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes of a client's own file: Claude Code's grows with each project, to a reported 65 MB."""

CHUNK_BYTES: Final = 1024 * 1024
"""Bytes compared and checked at once, to avoid copying a large file."""

CONTEXT_LINES: Final = 3
LINE_SHOWN_MAX: Final = 300
"""Characters of a line in a difference: some files are one line."""


@dataclass(frozen=True)
class Change:
    """A file before and after; None: no file. *taken_out* removes our parts."""

    path: Path
    before: bytes | None
    after: bytes | None
    taken_out: Callable[[bytes], bytes]


def text_of(path: Path) -> bytes | None:
    """Return a text file's bytes; None: no file.

    Raises:
        PalimpError: it cannot be read, is no plain file, or is no UTF-8 text.
    """
    try:
        data = _bytes_of(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PalimpError(
            ErrorCode.BAD_REQUEST, f"{path} cannot be read: {error.strerror}.", "Nothing was changed."
        ) from None
    if len(data) > FILE_BYTES_MAX:
        text = f"{path} is too large: it has more than {FILE_BYTES_MAX // 1024**2} MiB."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "It was left as it is.")
    try:
        decoder = codecs.getincrementaldecoder("utf-8")()
        for at in range(0, len(data), CHUNK_BYTES):
            decoder.decode(data[at : at + CHUNK_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} is no UTF-8 text.", "It was left as it is.") from None
    return data


def _bytes_of(path: Path) -> bytes:
    """Opening a FIFO would wait for its writer."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "it is no plain file")
        return file.read(FILE_BYTES_MAX + 1)


def difference(changes: Sequence[Change]) -> str:
    """Return *changes* as a unified diff."""
    lines: list[str] = []
    for change in changes:
        old, new = change.before or b"", change.after or b""
        one, other = (str(change.path) if data is not None else os.devnull for data in (change.before, change.after))
        first, before, after = _differing_lines(old, new)
        diff = difflib.unified_diff(before, after, one, other, lineterm="", n=CONTEXT_LINES)
        lines += [_renumber_header(line, first) if line.startswith("@@ ") else line for line in diff]
    return "\n".join(lines)


def _differing_lines(old: bytes, new: bytes) -> tuple[int, list[str], list[str]]:
    """Only these are split: the rest may be tens of megabytes."""
    begin, end = _same_at_ends(old, new)
    begin = _lines_before(old, begin, CONTEXT_LINES + 1)
    end = min(end, len(old) - begin, len(new) - begin)
    end = max(0, len(old) - _lines_after(old, len(old) - end, CONTEXT_LINES + 1))
    before, after = (
        [_shorten_line(line) for line in data[begin : len(data) - end].splitlines()] for data in (old, new)
    )
    return old.count(b"\n", 0, begin), before, after


def _shorten_line(line: bytes) -> str:
    text = line.decode(errors="replace")
    return text if len(text) <= LINE_SHOWN_MAX else f"{text[:LINE_SHOWN_MAX]}… ({len(text):,} characters)"


def _renumber_header(header: str, first: int) -> str:
    return re.sub(r"([-+])(\d+)", lambda match: f"{match[1]}{int(match[2]) + first}", header) if first else header


def _same_at_ends(one: bytes, other: bytes) -> tuple[int, int]:
    most = min(len(one), len(other))
    begin = _same(lambda at, end: one[at:end] == other[at:end], most)
    end = _same(
        lambda at, end: one[len(one) - end : len(one) - at] == other[len(other) - end : len(other) - at], most - begin
    )
    return begin, end


def _same(is_same: Callable[[int, int], bool], most: int) -> int:
    """Compare whole chunks, then halves of the first other one."""
    at, step = 0, CHUNK_BYTES
    while step:
        while at + step <= most and is_same(at, at + step):
            at += step
        step //= 2
    return at


def _lines_before(data: bytes, at: int, count: int) -> int:
    for _ in range(count):
        at = data.rfind(b"\n", 0, max(0, at))
    return at + 1


def _lines_after(data: bytes, at: int, count: int) -> int:
    for _ in range(count):
        found = data.find(b"\n", at)
        at = len(data) if found < 0 else found + 1
    return at


def apply(changes: Sequence[Change], client: str, env: Mapping[str, str]) -> None:
    """Make *changes*, noted in *client*'s journal first.

    Raises:
        PalimpError: a file cannot be written, or was changed meanwhile; those before it are written.
    """
    journal = _journal(env)
    known: dict[str, Any] = journal.setdefault(client, {"files": {}, "folders": []})
    for change in changes:
        _enter(change, known)
    _write_journal(journal, env)
    for change in changes:
        if text_of(change.path) != change.before:
            raise PalimpError(
                ErrorCode.BUSY, f"{change.path} was written to by somebody else just now.", "It stays so; run it again."
            )
        _write(change.path, change.after)


def adopt(change: Change, client: str, env: Mapping[str, str]) -> None:
    """Note in *client*'s journal that *change*, by its own program, is ours.

    Raises:
        PalimpError: the journal cannot be read or written.
    """
    journal = _journal(env)
    _enter(change, journal.setdefault(client, {"files": {}, "folders": []}))
    _write_journal(journal, env)


def _enter(change: Change, known: dict[str, Any]) -> None:
    noted = known["files"].get(str(change.path))
    before = change.before
    if noted is not None and before is not None and noted["after"] != _hash(before):
        before = change.taken_out(before)  # somebody wrote to it since the first installation
    elif noted is not None:
        before = _former(noted, before)
    known["files"][str(change.path)] = _note(before, change.after)
    missing = [str(folder) for folder in Path(os.path.realpath(change.path)).parents if not _is_there(folder)]
    known["folders"] += [folder for folder in missing if folder not in known["folders"]]


def undo(found: Sequence[Change], client: str, env: Mapping[str, str]) -> list[str]:
    """Undo *client*'s installation in *found*; return a line for each.

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
    path = change.path
    if change.before is None:
        return ""
    if noted is not None and noted["after"] == _hash(change.before):
        _write(path, _former(noted, change.before))
        return f"{path} is as it was."
    text = change.before
    try:
        without = change.taken_out(text) if text.strip() else text
    except ValueError as error:
        return f"{path} was changed since, and cannot be read now ({error}): take palimp out of it yourself."
    if without == text:
        return f"{path} was changed since by somebody else, and stays." if noted is not None else ""
    _write(path, without)
    return f"{path} was changed since by somebody else; palimp's entries were removed from it."


def is_ours(path: Path, data: bytes, client: str, env: Mapping[str, str]) -> bool:
    """Tell whether *data* is ours in *client*'s file at *path*."""
    noted = _journal(env).get(client, {"files": {}})["files"].get(str(path))
    return noted is not None and noted["after"] == _hash(data)


def installed_clients(env: Mapping[str, str]) -> list[str]:
    """Return the journal's clients."""
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
    _write(path, json.dumps(journal, indent=1).encode() if journal else None, mode=0o600, folder_mode=0o700)


def _write(path: Path, data: bytes | None, mode: int = 0o644, folder_mode: int = 0o777) -> None:
    """Write all or nothing; None: remove. Links are followed, modes kept."""
    real = Path(os.path.realpath(path))  # a link that leads nowhere stays one: what it names is made, and removed
    try:
        if data is None:
            real.unlink(missing_ok=True)
            return
        mode = real.stat().st_mode & 0o777 if real.exists() else mode
        real.parent.mkdir(parents=True, exist_ok=True, mode=folder_mode)
        temporary = real.parent / f".palimp-{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("xb") as file:
                os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(real)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        hint = (
            "Make room, then run it again." if error.errno == errno.ENOSPC else "Make it writable, then run it again."
        )
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be written: {error.strerror}.", hint) from error


def _is_there(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:
        return True  # it cannot be looked at, so it is none that we make


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _note(before: bytes | None, after: bytes | None) -> dict[str, Any]:
    if before is None or after is None:
        return {"after": _hash(after), "before": None if before is None else base64.b64encode(before).decode()}
    begin, end = _same_at_ends(before, after)
    between = base64.b64encode(before[begin : len(before) - end]).decode()
    return {"after": _hash(after), "begin": begin, "between": between, "end": end}


def _former(noted: Mapping[str, Any], after: bytes | None) -> bytes | None:
    if "between" not in noted:
        return None if noted["before"] is None else base64.b64decode(noted["before"])
    now = after or b""
    return now[: noted["begin"]] + base64.b64decode(noted["between"]) + now[len(now) - noted["end"] :]
