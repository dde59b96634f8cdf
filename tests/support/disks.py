"""A disk that fails when a test says so, and what it holds after a power cut.

Theory
------
What was written and not synced may be on the disk after a power cut, in part, in any order, or not at all. The daemon
runs on a disk that writes down every write and every sync (`spoiled_disk/sitecustomize.py`). From that trace the files
are made as they may be found after a cut at any place in it: with nothing that was not synced; with some of it, torn
at the sectors; with all of it, but the last write torn. Deletions and new names without a sync may be undone as well;
renames are taken to be in order, as journalling file systems keep them.
"""

import mmap
import os
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

READ, WRITE, SYNC = 1, 2, 4
CONTROL: Final = struct.Struct("<BBHiQ")
CLOCK: Final = struct.Struct("<q")
RECORD: Final = struct.Struct("<cHQI")
SECTOR: Final = 512

KEPT, TORN = 0.5, 0.3
"""Parts of what was not synced: what is there, and what of that is torn, where it is "some of it"."""

MODES: Final = ("nothing unsynced", "some of it", "all but the end")


class Disk:
    """Controls the disk under the daemons that are started with `env`, and their time of day."""

    def __init__(self, folder: Path, *pragmas: str, is_traced: bool = False) -> None:
        path, self.trace = folder / "disk.control", folder / "disk.trace"
        path.write_bytes(bytes(CONTROL.size + CLOCK.size))
        with path.open("r+b") as file:
            self._control = mmap.mmap(file.fileno(), 0)
        self.trace.touch()
        self.env = {
            "PYTHONPATH": str(Path(__file__).parents[1] / "spoiled_disk"),
            "DISK_CONTROL": str(path),
            "DISK_PRAGMAS": ";".join(pragmas),
            "DISK_TRACE": str(self.trace) if is_traced else "",
        }

    def fail(self, operations: int, *, after: int, is_full: bool = False, is_once: bool = False) -> None:
        """Let *operations* fail from the one *after* so many on, or that one only."""
        CONTROL.pack_into(self._control, 0, operations, ord("F" if is_full else "E"), is_once, after, self.count)

    def heal(self) -> None:
        """Let everything succeed again."""
        CONTROL.pack_into(self._control, 0, 0, 0, 0, 0, self.count)

    def turn_clock(self, ahead_ms: int) -> None:
        """Let the daemon's time of day be *ahead_ms* ahead, or behind."""
        CLOCK.pack_into(self._control, CONTROL.size, ahead_ms)

    @property
    def count(self) -> int:
        """How many reads, writes and syncs there were."""
        return CONTROL.unpack_from(self._control)[4]

    @property
    def traced_bytes(self) -> int:
        """How long the trace is: what happens from now on is behind it."""
        return self.trace.stat().st_size


@dataclass
class TracedFile:
    """One file: what is on the disk for certain (None: perhaps no file), and what was done to it since."""

    synced: bytearray | None = None
    since: list[tuple[bytes, int, bytes]] = field(default_factory=list)

    def image(self, mode: str, chance: random.Random) -> bytes | None:
        """Return what may be found of it after a cut; None: no file."""
        if mode == MODES[0] or not self.since:
            return None if self.synced is None else bytes(self.synced)
        if mode == MODES[1]:
            kept = [
                _torn(each, chance) if chance.random() < 0.3 else each for each in self.since if chance.random() < 0.5
            ]
        else:
            kept = [*self.since[:-1], _torn(self.since[-1], chance)]
        if not kept and self.synced is None:
            return None
        return _applied(bytearray(self.synced or b""), kept)

    def sync(self) -> None:
        """Let all of it be on the disk."""
        done = _applied(self.synced or bytearray(), self.since)
        self.synced = None if done is None else bytearray(done)
        self.since.clear()

    def sync_deletion(self) -> None:
        """Let it be gone, if it was deleted."""
        deleted = [place for place, (what, _, _) in enumerate(self.since) if what == b"D"]
        if deleted:
            self.synced = None
            del self.since[: deleted[-1] + 1]


def _torn(step: tuple[bytes, int, bytes], chance: random.Random) -> tuple[bytes, int, bytes]:
    what, at, data = step
    return (what, at, data[: chance.randrange(len(data) // SECTOR + 1) * SECTOR]) if what == b"W" else step


def _applied(content: bytearray, steps: list[tuple[bytes, int, bytes]]) -> bytearray | bytes | None:
    is_there = True
    for what, at, data in steps:
        if what == b"D":
            content, is_there = bytearray(), False
            continue
        is_there = True
        if what == b"T":
            del content[at:]
            content.extend(bytes(at - len(content)))
        elif what == b"W":
            if len(content) < at:
                content.extend(bytes(at - len(content)))
            content[at : at + len(data)] = data
    return content if is_there else None


class Trace:
    """What happened on a disk, one step after the other, over the files that were *there* before."""

    def __init__(self, path: Path, there: dict[str, bytes]) -> None:
        self._data = path.read_bytes()
        self._at = 0
        self._names: dict[int, str] = {}
        self.files = {name: TracedFile(bytearray(content)) for name, content in there.items()}

    def steps(self) -> int:
        """Return how many steps there are in all."""
        at = count = 0
        while at < len(self._data):
            what, _, _, length = RECORD.unpack_from(self._data, at)
            at += RECORD.size + length
            count += what != b"N"
        return count

    def __iter__(self) -> Iterator[int]:
        """Take one step after the other, each time yielding how far into the trace it reaches."""
        while self._at < len(self._data):
            what, number, at, length = RECORD.unpack_from(self._data, self._at)
            data = self._data[self._at + RECORD.size : self._at + RECORD.size + length]
            self._at += RECORD.size + length
            if what == b"N":  # every process numbers anew
                self._names[number] = os.fsdecode(data)
                continue
            self._step(what, self._names[number], at, data)
            yield self._at

    def _step(self, what: bytes, name: str, at: int, data: bytes) -> None:
        file = self.files.setdefault(name, TracedFile())
        if what == b"S":
            if file.synced is None and name.endswith(("-wal", "-journal")):
                # SQLite syncs the folder with the first sync of a new log (unixSync in its os_unix.c).
                for other in self.files.values():
                    other.sync_deletion()
            file.sync()
        elif what == b"R":
            self.files[os.fsdecode(data)] = self.files.pop(name)
        elif what in (b"W", b"T"):
            file.since.append((what, at, data))
        elif what == b"D":
            file.since.append((b"D", 0, b""))
            if at:
                file.sync()

    def put_down(self, database: Path, folder: Path, mode: str, chance: random.Random) -> Path:
        """Make in *folder* the *database* and its logs as they may be found if the power were cut now."""
        for end in ("", "-wal", "-journal"):
            path = folder / f"{database.name}{end}"
            file = self.files.get(f"{database}{end}")
            content = file.image(mode, chance) if file else None
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)
        return folder / database.name
