"""A transport by a folder carried between machines: Syncthing, NFS, a stick, a git repository.

    palimp-team.json              the team
    PROJECT/REPLICA-2026-11.log   a month's operations of one replica, the only writer
    PROJECT/REPLICA.json          the replica's notice

Half a file may come, a file twice ("conflicted copy"), or an earlier state. So every line has its own sum, every file
that begins with a replica's name is its, and a line counts once.
"""

import errno
import hashlib
import os
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from palimp_daemon.features.team.team_operation import (
    LINE_BYTES_MAX,
    OPERATIONS_MAX,
    PROJECT_KEY,
    REPLICA,
    Line,
    line_of,
    parse_line,
)
from palimp_daemon.features.team.transport import PAGE_BYTES_MAX, Notice, Patterns, RefusedError, TransportError
from palimp_daemon.runtime.files import TEMPORARY, replace_file, sync_folder
from palimp_protocol.decoders import decoder_of

TEAM_FILE: Final = "palimp-team.json"
FORMAT: Final = 1
"""Format of the folder."""

LOOK_S: Final = 2.0
"""Seconds between two looks: new files are found within five, even on a loaded machine."""

FILES_MAX: Final = 10_000
"""Files considered per project: fifty replicas for ten years, and as many copies."""

_FILE_BYTES_MAX: Final = 1 << 30
"""Bytes of a file: a replica's month has some megabytes, a long memory's first file some hundreds."""

LINES_MAX: Final = 750_000
"""Lines of one project with known places, 200 MB at worst: three full machines."""

_BLOCK_BYTES: Final = 65_536

_NOTICE_BYTES_MAX: Final = 65_536

_MODE: Final = 0o600
"""Mode of each file: other users must not read memories."""


class TeamFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file that names a folder's team."""

    palimp_team: int
    id: str
    patterns: Patterns = []
    """Patterns of text that no machine sends."""


class _Place(NamedTuple):
    path: Path
    start: int
    length: int
    sum: bytes


class _Seen(NamedTuple):
    inode: int
    size: int
    mtime_ns: int
    read_to: int
    digest: bytes
    """Digest of the part read."""


class _Project:
    def __init__(self) -> None:
        self.files: dict[Path, _Seen] = {}
        self.places: dict[str, dict[int, _Place]] = {}
        self.doubled: dict[str, set[int]] = {}
        """By replica, counters found in lines with different sums."""
        self.lines = 0
        """Places that are kept."""
        self.vector: dict[str, int] | None = None
        """None: it must be counted anew."""


def create_team(folder: Path, team: str) -> None:
    """Make *folder* the folder of *team*, an id.

    Raises:
        TransportError: it cannot be written, or has a team already.
    """
    with _readable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / TEAM_FILE).exists():
            raise TransportError(f"{folder} holds a team already.", f"Join it: palimp team join {folder}")
        replace_file(folder / TEAM_FILE, msgspec.json.encode(TeamFile(palimp_team=FORMAT, id=team)), _MODE)


def team_in(folder: Path) -> str:
    """Return the id of a folder's team.

    Raises:
        TransportError: it has none, or one of a newer palimp.
    """
    return _team_file(folder).id


def _team_file(folder: Path) -> TeamFile:
    with _readable(folder):
        if not folder.is_dir():
            raise TransportError(f"{folder} is not there.", _GONE)
        try:
            found = decoder_of(TeamFile).decode(_beginning_of(folder / TEAM_FILE))
        except FileNotFoundError:
            hint = f"Wait until it has arrived, or make a team there: palimp team create {folder}"
            raise TransportError(f"{folder} holds no team: {TEAM_FILE} is missing.", hint) from None
        except msgspec.DecodeError:
            raise TransportError(f"{folder / TEAM_FILE} cannot be read.", "Wait until all of it has arrived.") from None
    if found.palimp_team > FORMAT:
        raise TransportError(f"{folder} is of a newer palimp.", "Upgrade palimp on this machine.")
    return found


_GONE: Final = "Is its disk or share mounted? What was not sent waits, and is sent once it is there again."


_FULL: Final = "You must be let write there, and its disk must have room. What was not sent waits until then."

_NOT_WRITTEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
"""Errors of a folder that is read-only or full, yet readable."""


@contextmanager
def _readable(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        text = f"{error.filename or folder} cannot be used: {error.strerror or error}."
        if error.errno in _NOT_WRITTEN:
            raise RefusedError(text, _FULL) from error
        raise TransportError(text, _GONE) from error


class Folder:
    """A `Transport` by the folder *root* of *team*."""

    look_s = LOOK_S
    clock_ms = 0

    def __init__(self, root: Path, team: str) -> None:
        self._root = root
        self._team = team
        self._projects: dict[str, _Project] = {}

    def bell(self) -> None:
        """Return None: nothing signals arrivals."""

    def news(self) -> frozenset[str]:
        """Return nothing: only a look finds arrivals."""
        return frozenset()

    def look(self, project: str) -> Mapping[str, int]:
        """As in `Transport`."""
        if team_in(self._root) != self._team:
            hint = "`palimp team leave`, then join that one; or put the former folder back."
            raise TransportError(f"{self._root} is the folder of another team now.", hint)
        known = self._projects.setdefault(project, _Project())
        with _readable(self._root):
            present = {path: path.stat() for path in self._logs(project)}
            for path in [*known.files]:
                if path not in present:
                    self._forget(known, path)
            try:
                for _ in range(2):  # of a file that is read anew the copies are, too
                    for path, status in sorted(present.items()):
                        self._read_file(known, path, status)
            except TransportError:
                del self._projects[project]
                raise
        if known.vector is None:
            known.vector = {replica: _without_hole(places) for replica, places in known.places.items()}
        return known.vector

    def sums(self, project: str, replica: str) -> Mapping[int, bytes]:
        """As in `Transport`; empty if a counter's lines differ, as one may still have erased text."""
        doubled = self._projects[project].doubled.get(replica, ()) if project in self._projects else ()
        return {
            counter: b"" if counter in doubled else place.sum
            for counter, place in self._places(project, replica).items()
        }

    def read(self, project: str, replica: str, after: int, limit: int) -> list[Line]:
        """As in `Transport`."""
        places = self._places(project, replica)
        lines: list[Line] = []
        with _readable(self._root):
            left = PAGE_BYTES_MAX
            while len(lines) < limit and left > 0 and (place := places.get(after + len(lines) + 1)):
                left -= place.length
                with place.path.open("rb") as file:
                    file.seek(place.start)
                    line = parse_line(file.read(place.length).rstrip(b"\n"))
                if line is None or line.sum != place.sum:  # it was written anew since
                    break
                lines.append(line)
        return lines

    def append(self, project: str, replica: str, bodies: Sequence[tuple[int, bytes]]) -> None:
        """As in `Transport`, to this month's file."""
        month = time.strftime("%Y-%m", time.gmtime())
        path = self._root / project / f"{replica}-{month}.log"
        with _readable(self._root):
            _make_folder(path.parent)
            is_new = not path.exists()
            with os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, _MODE), "a+b") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # half a line
                        file.write(b"\n")
                file.write(b"".join(line_of(replica, counter, body) for counter, body in bodies))
                file.flush()
                os.fsync(file.fileno())
            if is_new:
                sync_folder(path.parent)

    def clear(self, project: str, replica: str, bodies: Mapping[int, bytes]) -> None:
        """As in `Transport`, in copies, too."""
        with _readable(self._root):
            for unfinished in (self._root / project).glob(f"{TEMPORARY}*"):  # of a write that was killed
                unfinished.unlink(missing_ok=True)
            for path in self._logs(project):
                if not path.name.startswith(f"{replica}-"):
                    continue
                if any(kept is not line for line, kept in _cleared_lines(path, replica, bodies)):
                    replace_file(path, (kept for _, kept in _cleared_lines(path, replica, bodies)), _MODE)

    def tell(self, project: str, notice: Notice) -> None:
        """As in `Transport`."""
        with _readable(self._root):
            _make_folder(self._root / project)
            replace_file(self._root / project / f"{notice.replica}.json", msgspec.json.encode(notice), _MODE)

    def notices(self, project: str) -> list[Notice]:
        """As in `Transport`."""
        found: list[Notice] = []
        left = PAGE_BYTES_MAX
        with _readable(self._root):
            for path in sorted((self._root / project).glob("*.json"))[:FILES_MAX]:
                try:
                    left -= len(text := _beginning_of(path))
                    if left < 0:
                        break
                    notice = decoder_of(Notice).decode(text)
                except (msgspec.DecodeError, FileNotFoundError):
                    continue  # it arrives just now
                if path.name == f"{notice.replica}.json":
                    found.append(notice)
        return found

    def patterns(self) -> Patterns:
        """As in `Transport`."""
        return _team_file(self._root).patterns

    def set_patterns(self, patterns: Patterns) -> None:
        """As in `Transport`."""
        found = replace(_team_file(self._root), patterns=patterns)
        with _readable(self._root):
            replace_file(self._root / TEAM_FILE, msgspec.json.encode(found), _MODE)

    def members(self) -> None:
        """Return None: all replicas are the folder's owner's."""

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _places(self, project: str, replica: str) -> Mapping[int, _Place]:
        return self._projects[project].places.get(replica, {}) if project in self._projects else {}

    def _logs(self, project: str) -> list[Path]:
        folder = self._root / project
        if not PROJECT_KEY.fullmatch(project) or not folder.is_dir() or folder.is_symlink():
            return []
        named = [path for path in folder.iterdir() if REPLICA.match(path.name) and path.name[16:17] == "-"]
        return [path for path in sorted(named)[:FILES_MAX] if path.is_file() and not path.is_symlink()]

    def _read_file(self, known: _Project, path: Path, status: os.stat_result) -> None:
        seen = known.files.get(path)
        now = (status.st_ino, status.st_size, status.st_mtime_ns)
        if seen and seen[:3] == now:
            return
        if status.st_size > _FILE_BYTES_MAX:
            hint = "palimp writes none so large: move it away, and look at what carries the folder."
            raise TransportError(f"{path} has more than {_FILE_BYTES_MAX >> 30} GB.", hint)
        known.vector = None
        with path.open("rb") as file:
            digest = _digest_on(hashlib.blake2b(digest_size=16), file, seen.read_to if seen else 0)
            if seen and digest.digest() != seen.digest:
                self._forget(known, path)
                file.seek(0)
                digest = hashlib.blake2b(digest_size=16)
            first = end = file.tell()
            for start, length, line in _whole_lines(file):
                self._note_line(known, _Place(path, start, length, b""), parse_line(line))
                end = start + length
            file.seek(first)
            known.files[path] = _Seen(*now, end, _digest_on(digest, file, end - first).digest())

    def _note_line(self, known: _Project, place: _Place, line: Line | None) -> None:
        replica = place.path.name[:16]
        if not line or line.replica != replica or line.counter > OPERATIONS_MAX:
            return
        of_replica = known.places.setdefault(replica, {})
        if (first := of_replica.get(line.counter)) is None:
            of_replica[line.counter] = place._replace(sum=line.sum)
            known.lines += 1
        elif first.sum != line.sum:
            known.doubled.setdefault(replica, set()).add(line.counter)
        if known.lines > LINES_MAX:
            hint = "Move away the files there that none of your machines wrote, or begin anew in another folder."
            raise TransportError(f"{place.path.parent} has more than {LINES_MAX:,} operations.", hint)

    def _forget(self, known: _Project, path: Path) -> None:
        known.vector = None
        del known.files[path]
        replica = path.name[:16]
        gone = {counter for counter, place in known.places.get(replica, {}).items() if place.path == path}
        for counter in gone:
            del known.places[replica][counter]
        known.lines -= len(gone)
        if known.doubled.pop(replica, None) or gone:
            for other in [each for each in known.files if each.name[:16] == replica]:
                del known.files[other]


def _without_hole(places: Mapping[int, _Place]) -> int:
    counter = 0
    while counter + 1 in places:
        counter += 1
    return counter


def _cleared_lines(path: Path, replica: str, bodies: Mapping[int, bytes]) -> Generator[tuple[bytes, bytes]]:
    with path.open("rb") as file:
        while line := file.readline(LINE_BYTES_MAX + 1):
            parsed = parse_line(line.rstrip(b"\n"))
            body = bodies.get(parsed.counter) if parsed else None
            if not parsed:
                yield line, b""  # half a line may be half of what is to go
            elif body is not None and parsed.body != body:
                yield line, line_of(replica, parsed.counter, body)
            else:
                yield line, line if line.endswith(b"\n") else line + b"\n"


def _beginning_of(path: Path) -> bytes:
    if not path.is_file():
        path.stat()
        return b""
    with path.open("rb") as file:
        return file.read(_NOTICE_BYTES_MAX)


def _digest_on(digest: "hashlib.blake2b", file: BinaryIO, length: int) -> "hashlib.blake2b":
    while length and (block := file.read(min(length, _BLOCK_BYTES))):
        digest.update(block)
        length -= len(block)
    return digest


def _whole_lines(file: BinaryIO) -> Generator[tuple[int, int, bytes]]:
    """Yield start, length and text of ended lines; no text if too long."""
    start = file.tell()
    while line := file.readline(LINE_BYTES_MAX + 1):
        length, piece = len(line), line
        while not piece.endswith(b"\n"):
            if not (piece := file.readline(LINE_BYTES_MAX + 1)):
                return
            length += len(piece)
        yield start, length, line[:-1] if length == len(line) else b""
        start += length


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink():
        raise TransportError(f"{folder} is a link.", "Remove it: whoever made it would have palimp write elsewhere.")
