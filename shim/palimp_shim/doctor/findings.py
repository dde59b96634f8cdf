"""Findings, and judgements that are functions of values."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from palimp_protocol.text import count_of

State = Literal["well", "note", "warning", "failure", "mended"]

Mend = Callable[[], str | None]
"""Repairs without confirmation; returns the finding's new text, or None for the same."""


@dataclass(frozen=True)
class Finding:
    """One check's result. *hint* names the remedy, unless *mend* applies it."""

    check: str
    state: State
    text: str
    hint: str = ""
    mend: Mend | None = None

    def repair(self) -> "Finding":
        """Apply the remedy; return the new finding."""
        assert self.mend  # noqa: S101  only called with it
        return replace(self, text=self.mend() or self.text, state="mended", hint="", mend=None)


NETWORK: Final = frozenset(
    "nfs nfs4 cifs smb3 smbfs afs ceph glusterfs lustre 9p virtiofs fuse.sshfs fuse.rclone fuse.s3fs davfs".split()  # noqa: SIM905
)
"""File systems (proc(5), /proc/mounts) with locks and syncs that depend on another machine."""

PASSING: Final = frozenset({"tmpfs", "ramfs", "overlay"})
"""File systems that vanish with the machine or container."""

SPACE_FAILURE_BYTES: Final = 50_000_000
SPACE_WARNING_BYTES: Final = 500_000_000
"""Below, the write-ahead log or a new index may soon lack room."""

CLOCK_MIN_MS: Final = 1_735_689_600_000
"""The year 2025: palimp is not older, so an earlier clock is wrong."""

CLOCK_AHEAD_MS: Final = 3_600_000
"""Tolerated lead of the newest memory over the clock, as clocks get set."""


def of_file_system(kind: str, folder: str) -> Finding:
    """Judge *folder*'s file system *kind*; empty: unknown."""
    if kind in NETWORK:
        text = f"{folder} is on {kind}, a file system of another machine: locks and syncs may not hold."
        return Finding("file system", "warning", text, "Set PALIMP_HOME to a folder on a disk of this machine.")
    if kind in PASSING:
        text = f"{folder} is on {kind}: the memories are gone with this machine or container."
        return Finding("file system", "warning", text, "Set PALIMP_HOME to a folder that stays, or mount one.")
    return Finding("file system", "well", f"{folder} is on {kind or 'an unknown file system'}.")


def of_space(free_bytes: int) -> Finding:
    """Judge the free space."""
    text = f"{free_bytes / 1e9:,.1f} GB are free."
    hint = "Free some space; `palimp compact` and `changes.keep_days` make the database smaller."
    if free_bytes < SPACE_FAILURE_BYTES:
        return Finding("disk", "failure", text, hint)
    return Finding("disk", "warning", text, hint) if free_bytes < SPACE_WARNING_BYTES else Finding("disk", "well", text)


def of_clock(now_ms: int, newest_ms: int) -> Finding:
    """Compare the clock with the newest memory's time (0: none)."""
    if now_ms < CLOCK_MIN_MS:
        return Finding("clock", "failure", "The clock is years behind.", "Set the clock: memories are dated by it.")
    if newest_ms > now_ms + CLOCK_AHEAD_MS:
        hours = count_of(round((newest_ms - now_ms) / 3_600_000), "hour")
        text = f"The newest memory is {hours} in the future: the clock was ahead, or is behind."
        hint = "Set the clock; the order of memories is unaffected, their dates are wrong."
        return Finding("clock", "warning", text, hint)
    return Finding("clock", "well", "It agrees with the newest memory." if newest_ms else "It is set.")
